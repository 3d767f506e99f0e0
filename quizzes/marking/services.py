"""Marking of waiting submissions: claim, mark, write.

The row is the queue. A worker claims rows by a short committed update, marks them outside any
transaction, and writes grades only for rows that are still its own. If the worker dies in between,
the claim expires and other workers take the rows. A claim counts as a try, because a worker that a
row has killed cannot count it afterwards. If it was the database that failed, the try is not
counted.
"""

import logging
import random
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any, NamedTuple
from uuid import UUID, uuid4

from django.db import connection, transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.utils import timezone

from foundation.database import DATABASE_UNAVAILABLE
from foundation.locking import claim_first, unclaimed
from quizzes import problems
from quizzes.bulk import insert_rows
from quizzes.marking.sql import write_scores
from quizzes.models import Answer, Grade, Ruling, Submission, Wording
from quizzes.models.plain_json import cast_to_text, parse_texts
from quizzes.problems import Marked
from quizzes.regrades.services import answers_accepting_changes, regrade_new_attempts
from quizzes.regrades.sql import share_marking_lock

logger = logging.getLogger(__name__)

# Marked within a second, so that a slow or busy machine, too, is done before the task is stopped.
BATCH_SIZE = 250
MAX_TRIES = 5
# How long a worker gathers submissions after marking some, in seconds. In a rush they then come in
# batches, each for a fifth of the time; a page first asks for its marks after half a second.
GATHERING_SECONDS = 0.3
# A little more than the task's hard time limit, so that a crashed worker frees its rows by itself.
CLAIM_TIME = timedelta(seconds=8)

# Whether an active regrade covers a submission's quiz.
IS_REGRADED = Exists(Ruling.objects.active().filter(quiz=OuterRef("attempt__quiz")))
# The fields of a variant that marking reads besides its family and version.
_NUMBERS = ("words", "givens", "solution", "tolerance")


def grade_waiting(*, seconds: float = 2.0, gather: float = 0.0) -> bool:
    """Mark waiting submissions for up to `seconds`. Return whether any may be left.

    Light load makes batches of one, a burst makes large ones whose marks are cheaper. Any number
    of workers may run this at once. If the database fails, it is retried until the time is up; then
    its error is raised, and nothing is lost.

    Args:
        gather: seconds to wait for more after a batch that was not a full one.
    """
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            _take_tries_back()
            claim = _claim_new() or _claim_retry()
            if claim is None:
                return False
            _grade(claim)
            _database.failures = 0
            if len(claim.submissions) < BATCH_SIZE:
                time.sleep(gather)
        except DATABASE_UNAVAILABLE as trouble:
            _database.failures += 1
            connection.close()
            pause = random.uniform(0.2, 0.5)  # other workers want the freed connection too
            if time.monotonic() + pause > until:
                raise
            logger.warning("the database fails: %s", trouble)
            time.sleep(pause)
    return True


def queue_again(*, submissions: QuerySet[Submission]) -> int:
    """Queue those submissions that need attention again. Return how many do.

    Their `trouble` stays until they are marked. The caller wakes the workers.
    """
    return submissions.filter(state=Submission.State.ATTENTION).update(
        state=Submission.State.WAITING, tries=0, claimed_by="", claimed_until=None
    )


@dataclass(frozen=True)
class Claim:
    """Submissions that are ours until the claim runs out."""

    owner: str
    submissions: tuple[int, ...]


@dataclass
class _Database:
    """The state of this process after database failures.

    Attributes:
        failures: failures in a row. Each halves the next batch, which may have been too large. A
            process that has just started is slow too, and marks a small batch first.
        untried: claims that failed with the database, whose tries are still to be subtracted.
    """

    failures: int = 2
    untried: list[Claim] = field(default_factory=list)


_database = _Database()


def _take_tries_back() -> None:
    """Subtract the tries of claims that failed with the database; the claims themselves expire."""
    while _database.untried:
        claim = _database.untried.pop()
        tried = Submission.objects.filter(pk__in=claim.submissions, tries__gt=0)
        try:
            tried.filter(state=Submission.State.WAITING).update(tries=F("tries") - 1)
        except DATABASE_UNAVAILABLE:
            _database.untried.append(claim)
            raise


def _claim_new() -> Claim | None:
    oldest_first = _unclaimed_submissions().filter(tries=0).order_by("received_at", "pk")
    return _claim(oldest_first, max(1, BATCH_SIZE >> _database.failures))


def _claim_retry() -> Claim | None:
    """Claim one submission that was tried before, alone so that it cannot stop others."""
    hopeless = _unclaimed_submissions().filter(tries__gte=MAX_TRIES)
    for pk in list(hopeless.values_list("pk", flat=True)):
        logger.error("submission %s needs attention: tried %s times", pk, MAX_TRIES)
        hopeless.filter(pk=pk).update(state=Submission.State.ATTENTION)
    return _claim(
        _unclaimed_submissions().filter(tries__gt=0).order_by("tries", "received_at", "pk"), 1
    )


def _unclaimed_submissions() -> QuerySet[Submission]:
    """Return waiting, unclaimed submissions."""
    return Submission.objects.filter(unclaimed(), state=Submission.State.WAITING)


def _claim(candidates: QuerySet[Submission], most: int) -> Claim | None:
    """Claim up to `most` candidates by one short committed update."""
    owner = uuid4().hex
    with claim_first(candidates, most=most) as taken:
        Submission.objects.filter(pk__in=taken).update(
            claimed_by=owner, claimed_until=timezone.now() + CLAIM_TIME, tries=F("tries") + 1
        )
    return Claim(owner, taken) if taken else None


def _grade(claim: Claim) -> None:
    try:
        _write(claim, _mark(claim.submissions))
    except DATABASE_UNAVAILABLE:
        _database.untried.append(claim)
        raise
    except Exception as trouble:
        # It is unknown which submission failed, so each is tried alone next.
        logger.exception("marking failed for submissions %s", claim.submissions)
        _release(claim, trouble=f"{type(trouble).__name__}: {trouble}")


def _release(claim: Claim, *, trouble: str) -> None:
    Submission.objects.filter(
        pk__in=claim.submissions, claimed_by=claim.owner, state=Submission.State.WAITING
    ).update(claimed_until=timezone.now(), trouble=trouble[:2000])


class _Waiting(NamedTuple):
    """One answer to mark; a concept question's `variant` has no family."""

    answer: int
    submission: int
    points: int
    wording: UUID
    raw: Mapping[str, Any]
    variant: Mapping[str, Any]


def _mark(submissions: Iterable[int]) -> dict[int, list[tuple[int, Marked]]]:
    """Return the marks of the answers by submission."""
    waiting = _waiting(submissions)
    numeric = [each for each in waiting if each.variant["family"]]
    choices = [each for each in waiting if not each.variant["family"]]
    wordings = Wording.objects.read(each.wording for each in choices)
    marked = problems.mark_numeric((each.variant, each.raw, each.points) for each in numeric)
    marked += [
        problems.mark_choice(wordings[each.wording], each.raw, each.points) for each in choices
    ]
    marks = defaultdict(list)
    for each, mark in zip(numeric + choices, marked, strict=True):
        marks[each.submission].append((each.answer, mark))
    return marks


def _waiting(submissions: Iterable[int]) -> list[_Waiting]:
    rows = Answer.objects.filter(submission__in=submissions).values_list(
        "pk", "submission_id", "item__points", "item__wording_id", cast_to_text("raw"),
        "item__variant__family", "item__variant__version",
        *(cast_to_text(f"item__variant__{name}") for name in _NUMBERS),
    )  # fmt: skip
    if not rows:
        return []
    answers, owners, points, wordings, raws, families, versions, *numbers = zip(*rows, strict=True)
    variants = (
        dict(zip(("family", "version", *_NUMBERS), each, strict=True))
        for each in zip(families, versions, *map(parse_texts, numbers), strict=True)
    )
    waiting = zip(answers, owners, points, wordings, parse_texts(raws), variants, strict=True)
    return [_Waiting(*each) for each in waiting]


def _write(claim: Claim, marks: dict[int, list[tuple[int, Marked]]]) -> None:
    """Write grades and scores in one transaction, for the rows that are still ours."""
    now = timezone.now()
    with transaction.atomic():
        share_marking_lock()
        found = list(
            Submission.objects.select_for_update(of=("self",))
            .filter(
                pk__in=claim.submissions, claimed_by=claim.owner, state=Submission.State.WAITING
            )
            .annotate(is_regraded=IS_REGRADED)
            .values_list("pk", "attempt_id", "number", "item_id", "is_regraded")
        )
        ours = {pk: None if item else (attempt, number) for pk, attempt, number, item, _ in found}
        covered = {pk: attempt for pk, attempt, _, item, regraded in found if regraded and not item}
        changed = _changed(ours, covered, marks)
        _flag_changed(changed)
        done = {pk: whole for pk, whole in ours.items() if pk not in changed}
        # In the order of their answers, so that the index is filled without gaps.
        pairs = sorted(
            (pair for pk in done for pair in marks.get(pk, ())), key=lambda pair: pair[0]
        )
        columns = {mark: _grade_columns(mark, now) for mark in {mark for _, mark in pairs}}
        insert_rows(Grade, _GRADE_COLUMNS, [(answer, *columns[mark]) for answer, mark in pairs])
        # An item that is checked in practice gives its attempt no score.
        write_scores((*whole, _score(marks.get(pk, ()))) for pk, whole in done.items() if whole)
        Submission.objects.filter(pk__in=done).update(
            state=Submission.State.GRADED, graded_at=now, trouble=""
        )
        if marked := [attempt for pk, attempt in covered.items() if pk in done]:
            regrade_new_attempts(attempts=marked)


def _changed(
    ours: Iterable[int],
    regraded: Collection[int],
    marks: Mapping[int, Iterable[tuple[int, Marked]]],
) -> set[int]:
    """Return the submissions with a changed solution that no regrade accepts."""
    changed = {
        pk: {answer for answer, mark in marks.get(pk, ()) if mark.solution_changed} for pk in ours
    }
    answers = {answer for pk in regraded for answer in changed.get(pk, ())}
    accepted = answers_accepting_changes(answers) if answers else set()
    return {pk for pk, found in changed.items() if found - accepted}


def _flag_changed(changed: set[int]) -> None:
    """Mark submissions whose solution has changed as needing attention, without a grade.

    A change of the code never marks silently; a regrade applies it.
    """
    if changed:
        logger.error("submissions %s need attention: a solution has changed", sorted(changed))
        Submission.objects.filter(pk__in=changed).update(
            state=Submission.State.ATTENTION,
            trouble="The solution computed today differs from the one stored with the question.",
        )


_GRADE_COLUMNS = (
    "answer", "revision", "points", "out_of", "verdict", "mistake", "steps", "core_version",
    "graded_at",
)  # fmt: skip


def _grade_columns(mark: Marked, now: datetime) -> tuple[Any, ...]:
    """Return the grade's columns after the answer."""
    return (
        1,
        float(mark.points),
        float(mark.out_of),
        mark.verdict,
        mark.mistake,
        mark.steps,
        problems.CORE_VERSION,
        now,
    )


def _score(marks: Iterable[tuple[int, Marked]]) -> float:
    """Return the exact sum of the points, rounded once.

    Points are added by denominator, of which there are few: adding fractions is slow.
    """
    above: dict[int, int] = defaultdict(int)
    for _, mark in marks:
        above[mark.points.denominator] += mark.points.numerator
    return float(sum((Fraction(top, below) for below, top in above.items()), Fraction()))
