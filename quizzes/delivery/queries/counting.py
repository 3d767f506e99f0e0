"""The attempt that counts at a sitting. Only this module decides which does."""

from collections.abc import Callable, Iterable, Sequence

from django.db.models import Case, Exists, F, FloatField, OuterRef, Q, QuerySet, Value, When

from quizzes.delivery.queries.secrecy import VisibleMarks
from quizzes.models import Attempt, Sitting
from quizzes.passing import earned_share


def counting_attempt_shown(
    sitting: Sitting, attempts: Iterable[Attempt], marks: VisibleMarks
) -> Attempt | None:
    """Return the best or last attempt at the sitting, by the marks that the student may see.

    None before one has been marked, or while marks are not shown.
    """
    shown = {attempt: each for attempt in attempts if (each := marks.of(attempt))}
    return _chosen(sitting, shown, lambda attempt: shown[attempt].share)


def passed_lessons(attempts: Iterable[Attempt], marks: VisibleMarks) -> set[int]:
    """Return the keys of the lessons of which a quiz is passed, by the marks that may be shown."""
    by_sitting: dict[Sitting, list[Attempt]] = {}
    for attempt in attempts:
        by_sitting.setdefault(attempt.sitting, []).append(attempt)
    counting = (counting_attempt_shown(*made, marks) for made in by_sitting.items())
    return {
        each.quiz.lesson_id
        for each in counting
        if each and each.quiz.lesson_id and marks.of(each).passes(each.quiz.pass_mark)
    }


def counting_attempt[Tried](sitting: Sitting, attempts: Iterable[Tried]) -> Tried | None:
    """Return the attempt that counts of a student's at the sitting, for instructors."""
    marked = [each for each in attempts if each.score is not None]
    return _chosen(sitting, marked, lambda each: earned_share(each.score, each.out_of))


def counting_attempts() -> QuerySet[Attempt]:
    """Return the attempts that `counting_attempt` returns, of all students at all sittings."""
    marked = Attempt.objects.graded().exclude(score=None)
    share = Case(
        When(out_of__gt=0, then=F("score") / F("out_of")),
        default=Value(0.0),
        output_field=FloatField(),
    )
    later = Q(number__gt=OuterRef("number"))
    better = Q(share__gt=OuterRef("share")) | (Q(share=OuterRef("share")) & later)
    is_last = Q(sitting__counts=Sitting.Counts.LAST)
    others = marked.filter(student=OuterRef("student"), sitting=OuterRef("sitting"))
    preferred = others.annotate(share=share).filter((is_last & later) | (~is_last & better))
    return marked.annotate(share=share).exclude(Exists(preferred))


def _chosen[Tried](
    sitting: Sitting, marked: Iterable[Tried], share: Callable[[Tried], float]
) -> Tried | None:
    if sitting.counts == Sitting.Counts.LAST:
        return max(marked, key=lambda attempt: attempt.number, default=None)
    return max(marked, key=lambda attempt: (share(attempt), attempt.number), default=None)


def trend(attempts: Sequence[Attempt], marks: VisibleMarks) -> list[float]:
    """Return each attempt's share of the points that are shown, in order."""
    ordered = sorted(attempts, key=lambda attempt: attempt.number)
    return [shown.share for attempt in ordered if (shown := marks.of(attempt))]
