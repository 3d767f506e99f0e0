"""Striking numbers out: nobody is given them again, and whoever has them keeps them."""

from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from audit.services import record
from quizzes import problems
from quizzes.models import StruckOut, Variant

STRUCK, RESTORED = "quizzes.variant.struck_out", "quizzes.variant.restored"


def strike_out(*, variant: Variant, by, reason: str) -> StruckOut:
    """Give these numbers to nobody from now on; return why, or why it was done before.

    Whoever is starting with them at this moment either has them by now, or gets others. A variant
    that is not kept yet, as `problems.draw_to_try` gives it, is kept for that.
    """
    with transaction.atomic():
        locked = Variant.objects.select_for_update(no_key=True).get(pk=_kept(variant))
        if locked.struck_at:
            return StruckOut.objects.get(variant=locked)
        locked.struck_at = timezone.now()
        locked.save(update_fields=["struck_at"])
        struck = StruckOut.objects.create(variant=locked, reason=reason, by=by, at=locked.struck_at)
        record(actor=by, verb=STRUCK, target=locked, after=_told(locked), reason=reason)
    return struck


def restore_numbers(*, struck: StruckOut, by) -> None:
    """Let numbers that were struck out be given again; done already is done."""
    with transaction.atomic():
        locked = Variant.objects.select_for_update(no_key=True).get(pk=struck.variant_id)
        if not StruckOut.objects.filter(pk=struck.pk).delete()[0]:
            return
        locked.struck_at = None
        locked.save(update_fields=["struck_at"])
        record(
            actor=by,
            verb=RESTORED,
            target=locked,
            before=_told(locked) | {"reason": struck.reason},
        )


def _kept(variant: Variant) -> int:
    """The row by which these numbers are drawn and given: an older one may have been first."""
    same = Variant.objects.filter(
        family=variant.family,
        fingerprint=problems.kept_fingerprint(problems.fingerprint_of(variant.givens)),
    )
    if variant.pk is None and not same.exists():
        try:
            with transaction.atomic():
                variant.save(force_insert=True)
        except IntegrityError:
            pass  # Somebody has drawn them just now.
    kinds = dict(same.values_list("kind", "pk"))
    return kinds.get(variant.kind) or variant.pk or next(iter(kinds.values()))


def _told(variant: Variant) -> dict[str, Any]:
    return {"family": variant.family, "kind": variant.kind}
