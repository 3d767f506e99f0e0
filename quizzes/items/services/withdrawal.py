"""Withdrawal of variants: nobody is given their numbers again; students who have them keep them."""

from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from audit.services import record
from quizzes import problems
from quizzes.models import StruckOut, Variant

WITHDRAWN, RESTORED = "quizzes.variant.struck_out", "quizzes.variant.restored"


def withdraw_variant(*, variant: Variant, by, reason: str) -> StruckOut:
    """Withdraw a variant's numbers. Return the withdrawal, or the earlier one if there is one.

    A student who starts at this moment either has the numbers by now, or gets others. An unsaved
    variant from `problems.draw_samples` is saved so that it can be withdrawn.
    """
    with transaction.atomic():
        locked = Variant.objects.select_for_update(no_key=True).get(pk=_stored_pk(variant))
        if locked.struck_at:
            return StruckOut.objects.get(variant=locked)
        locked.struck_at = timezone.now()
        locked.save(update_fields=["struck_at"])
        withdrawal = StruckOut.objects.create(
            variant=locked, reason=reason, by=by, at=locked.struck_at
        )
        record(actor=by, verb=WITHDRAWN, target=locked, after=_as_event(locked), reason=reason)
    return withdrawal


def restore_variant(*, withdrawal: StruckOut, by) -> None:
    """Restore withdrawn numbers, so that they are given again; do nothing if they already are."""
    with transaction.atomic():
        locked = Variant.objects.select_for_update(no_key=True).get(pk=withdrawal.variant_id)
        if not StruckOut.objects.filter(pk=withdrawal.pk).delete()[0]:
            return
        locked.struck_at = None
        locked.save(update_fields=["struck_at"])
        record(
            actor=by,
            verb=RESTORED,
            target=locked,
            before=_as_event(locked) | {"reason": withdrawal.reason},
        )


def _stored_pk(variant: Variant) -> int:
    """Return the row by which these numbers are drawn and given; an older one has priority."""
    same = Variant.objects.filter(
        family=variant.family,
        fingerprint=problems.stored_fingerprint(problems.fingerprint_of(variant.givens)),
    )
    if variant.pk is None and not same.exists():
        try:
            with transaction.atomic():
                variant.save(force_insert=True)
        except IntegrityError:
            pass  # Another worker has drawn them just now.
    kinds = dict(same.values_list("kind", "pk"))
    return kinds.get(variant.kind) or variant.pk or next(iter(kinds.values()))


def _as_event(variant: Variant) -> dict[str, Any]:
    return {"family": variant.family, "kind": variant.kind}
