"""Workers print what lies ready for exams, and throw away what nobody will look at again."""

import time
import zlib
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone, translation

from foundation.locking import lock_first
from quizzes import problems
from quizzes.authoring.queries import somebody_waits
from quizzes.items.presenters.asked_item import sheet_of
from quizzes.items.presenters.worked_solution import Solved
from quizzes.models import Sheet, Variant
from quizzes.models.wordings import wording_key
from quizzes.sheets.finding import ASKED, SOLVED, key_of, release

BATCH = 20
# Who was asked so long ago has seen the results.
KEPT = timedelta(days=30)
MOST_DISCARDED = 5000


def make_sheets(*, seconds: float = 4.0) -> int:
    """Make the sheets of what lies ready for exams; return of how many variants.

    Stops after so many seconds, or as soon as an answer waits to be marked.
    """
    until = time.monotonic() + seconds
    made = last = 0
    while time.monotonic() < until and not somebody_waits():
        batch = list(_without_sheets().filter(pk__gt=last).order_by("pk")[:BATCH])
        if not batch:
            break
        Sheet.objects.bulk_create(
            [sheet for variant in batch for sheet in _made_of(variant)], ignore_conflicts=True
        )
        made += len(batch)
        last = batch[-1].pk
    return made


@transaction.atomic
def discard_sheets() -> int:
    """Delete those of other releases, and of what was asked long ago; return how many."""
    asked = Q(variant__given_at__lt=timezone.now() - KEPT)
    old = Sheet.objects.filter(asked | ~Q(release=release()))
    return Sheet.objects.filter(pk__in=lock_first(old, most=MOST_DISCARDED)).delete()[0]


def _without_sheets() -> QuerySet[Variant]:
    made = Sheet.objects.filter(variant=OuterRef("pk"), release=release())
    return Variant.objects.filter(~Exists(made), for_exams=True, given_at=None)


def _made_of(variant: Variant) -> Iterator[Sheet]:
    with suppress(
        problems.AuthorError, problems.UnknownKind
    ):  # its family is gone: nobody will be asked it
        wording = problems.variant_wording(vars(variant))
        key = wording_key(wording)
        shown = problems.shown(wording, variant=vars(variant))
        solution = {step.key: step for step in problems.worked_solution(vars(variant))}
        program = problems.program_of(vars(variant))
        for language, _name in settings.LANGUAGES:
            with translation.override(language):
                yield _sheet(ASKED, variant, key, sheet_of(shown))
                yield _sheet(SOLVED, variant, key, Solved.of(shown, solution, program).sheet())


def _sheet(part: str, variant: Variant, wording: UUID, html: str) -> Sheet:
    return Sheet(
        variant=variant,
        key=key_of(part, wording),
        release=release(),
        packed=zlib.compress(html.encode()),
    )
