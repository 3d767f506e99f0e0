"""Questions that practice must not show yet, because an exam still asks them."""

from collections.abc import Sequence
from datetime import datetime

from django.db.models import (
    Exists,
    Max,
    OuterRef,
    Q,
    QuerySet,
)

from foundation.prepared import prepared
from quizzes.authoring.queries import with_last_deadline
from quizzes.delivery.queries.attempts import exams_taken
from quizzes.items.queries import _different
from quizzes.models import (
    OF_STUDENTS,
    AskedQuestion,
    Attempt,
    ConceptQuestion,
    Item,
    PooledQuestion,
    Sitting,
    Slot,
    Submission,
)


def secret_questions(exams: Sequence[Attempt], now: datetime) -> set[int]:
    """Questions whose answers must not be told now to the student who took these exams.

    What an exam of theirs asks that is open or not released; and what a quiz that shows its results
    later may ask, or has asked, anybody. Of each all versions: one tells of the others.
    """
    kept = [sitting for sitting in _showing_later() if not sitting.shows_results(now)]
    secret: set[int] = set()
    if kept:
        quizzes = {sitting.quiz_id for sitting in kept}
        secret.update(_kept_at([sitting.pk for sitting in kept], list(quizzes)))
    # What an exam of theirs asks that is not released is among them.
    if own := [exam.pk for exam in exams if exam.is_open]:
        asked = Item.objects.filter(attempt__in=own, question__isnull=False)
        versions = ConceptQuestion.every.filter(key__in=_different(asked, "question__key"))
        secret.update(versions.order_by().values_list("pk", flat=True))
    return secret


@prepared
def _kept_at(sittings: list[int], quizzes: list[int]) -> QuerySet:
    """What was asked at these sittings, and what these quizzes may ask, in all versions."""
    asked = AskedQuestion.objects.filter(sitting__pk__in=sittings)
    frozen = PooledQuestion.objects.filter(quiz__pk__in=quizzes)
    pool = PooledQuestion.objects.filter(quiz=OuterRef("quiz"), topic=OuterRef("topic"))
    # Of these topics nothing is frozen: all is asked.
    topics = Slot.objects.filter(~Exists(pool), quiz__pk__in=quizzes)
    questions = ConceptQuestion.every.filter(
        Q(key__in=asked.values("question__key"))
        | Q(key__in=frozen.values("key"))
        | Q(topic__in=topics.values("topic"))
    )
    return questions.order_by().values_list("pk", flat=True)


@prepared
def _showing_later() -> QuerySet[Sitting]:
    """The sittings that show their results later, if anybody may take part or has."""
    taken = Attempt.objects.filter(sitting=OuterRef("pk"), mode=Attempt.Mode.GRADED)
    later = with_last_deadline(Sitting.objects.exclude(release=Sitting.Release.AT_ONCE))
    return later.filter(Q(quiz__published=True) | Exists(taken)).order_by()


def kept_from_practice(student, now: datetime) -> set[int]:
    """Questions that practice must not ask this student, nor say anything of."""
    reserved = ConceptQuestion.every.filter(reserved=True).order_by()
    return secret_questions(exams_taken(student), now) | set(reserved.values_list("pk", flat=True))


def explained_questions(student, now: datetime, exams: Sequence[Attempt]) -> set[str]:
    """The keys of the questions whose explanation this student, who took these exams, may have
    read: in results, or in practice.
    """
    told = [exam.pk for exam in exams if not exam.is_open and exam.shows_results(now)]
    explained = set(_checked_questions(student.pk))
    if told:
        asked = Item.objects.filter(attempt__in=told, question__isnull=False)
        explained.update(_different(asked, "question__key"))
    return explained


@prepared
def _checked_questions(student: int) -> QuerySet:
    checked = Submission.objects.filter(attempt__student=student, item__question__isnull=False)
    return _different(checked, "item__question__key")


def last_asked(student) -> dict[str, int]:
    """The keys of the questions that this student was ever asked, each with the last item that
    did. A preview asked its author.
    """
    return dict(_last_asked(student.pk))


@prepared
def _last_asked(student: int) -> QuerySet:
    asked = Item.objects.filter(
        attempt__student=student, attempt__mode__in=OF_STUDENTS, question__isnull=False
    )
    return asked.order_by().values_list("question__key").annotate(Max("pk"))
