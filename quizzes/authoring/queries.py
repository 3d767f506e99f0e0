"""Quizzes with their sittings, slots and pools, and the questions they may ask."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet, Subquery

from foundation.prepared import prepared, rows_where
from lessons.models import Lesson
from quizzes.models import (
    Attempt,
    ConceptQuestion,
    PooledQuestion,
    QuestionShare,
    Quiz,
    QuizShare,
    Sitting,
    Slot,
    Submission,
)
from sharing.models import Access

# The number of questions in a sitting's quiz.
QUESTION_COUNT = Count("quiz__slots", filter=Q(quiz__slots__retired_at=None))


def own_sittings() -> QuerySet[Sitting]:
    """Return the own sittings of published quizzes, ordered by lesson, with their quizzes."""
    own = Sitting.objects.filter(given_in="", quiz__published=True)
    return own.select_related("quiz__lesson").order_by("quiz__lesson__order", "quiz__title")


def open_sittings() -> QuerySet[Sitting]:
    """Return the sittings at which independent learners may take a quiz."""
    return own_sittings().filter(open_to_all=True)


def open_quizzes() -> QuerySet[Quiz]:
    """Return the quizzes that independent learners may take, with their lessons."""
    return Quiz.objects.filter(
        sittings__given_in="", sittings__open_to_all=True, published=True
    ).select_related("lesson")


def with_last_deadline(sittings: QuerySet[Sitting]) -> QuerySet[Sitting]:
    """Annotate sittings so that `shows_results` needs no query for each."""
    taken = Attempt.objects.graded().open().filter(sitting=OuterRef("pk"))
    # Grouped by sitting, because there may be thousands of open attempts altogether.
    latest = taken.order_by().values("sitting").annotate(last=Max("deadline")).values("last")
    return sittings.annotate(last_deadline=Subquery(latest))


def quiz_to_take(slug: str) -> Quiz | None:
    """Return a published quiz with its lesson, its own sitting and the number of its slots."""
    for own in _own_sittings_of(slug):
        own.quiz.own_sitting, own.quiz.questions = own, own.questions
        return own.quiz
    return None


@prepared
def _own_sittings_of(slug: str) -> QuerySet[Sitting]:
    own = own_sittings().filter(quiz__slug=slug)
    return own.annotate(questions=QUESTION_COUNT).order_by()


def quiz_slots(quiz: Quiz) -> list[Slot]:
    """Return the slots of a quiz in order."""
    return rows_where(Slot, quiz=quiz)


def askable_questions(topics: Sequence[str], quiz: Quiz | None = None) -> QuerySet[ConceptQuestion]:
    """Return the questions that may be asked on topics: those in the quiz's pools.

    If the quiz is not published, or has frozen nothing on a topic, these are the questions it would
    freeze. Without a quiz, as in practice, they are those shared with every instructor of the site.
    """
    published = ConceptQuestion.objects.filter(topic__in=topics, published=True).order_by()
    if quiz is None:
        return published.visible_to_all()
    return published.filter(_in_pools(quiz.pk) if quiz.published else _readable_in(quiz.pk))


def freezable_questions(topics: Sequence[str], quiz: Quiz) -> QuerySet[ConceptQuestion]:
    """Return the published questions on topics that an owner of the quiz may read."""
    return readable_questions(quiz).filter(topic__in=topics, published=True).order_by()


def readable_questions(quiz: Quiz) -> QuerySet[ConceptQuestion]:
    """Return the questions that an owner of the quiz may read."""
    return ConceptQuestion.objects.filter(_readable_in(quiz.pk))


def _in_pools(quiz: Any) -> Q:
    pool = PooledQuestion.objects.filter(quiz=quiz, topic=OuterRef("topic"))
    unfrozen = Q(~Exists(pool)) & _readable_in(quiz)
    return Q(Exists(pool.filter(key=OuterRef("key")))) | unfrozen


def _readable_in(quiz: Any) -> Q:
    """Return the condition that an owner of the quiz may read a question, not its publisher."""
    shares = QuestionShare.objects.filter(key=OuterRef("key"))
    owners = QuizShare.objects.filter(quiz=quiz, access=Access.OWN).values("user")
    return Q(Exists(shares.filter(Q(user=None) | Q(user__in=owners)))) | Q(~Exists(shares))


def quizzes_asking(quizzes: QuerySet[Quiz]) -> QuerySet[Quiz]:
    """Return those of the quizzes that may ask the question of the outer query, for a subquery.

    A quiz asks it from its pool, or would freeze it when it is published.
    """
    topic, key = OuterRef(OuterRef("topic")), OuterRef(OuterRef("key"))
    slots = Slot.objects.filter(quiz=OuterRef("pk"), topic=topic)
    pool = PooledQuestion.objects.filter(quiz=OuterRef("pk"), topic=topic)
    shares = QuestionShare.objects.filter(key=key)
    own = QuizShare.objects.filter(quiz=OuterRef(OuterRef("pk")), access=Access.OWN)
    readable = Exists(shares.filter(Q(user=None) | Q(user__in=own.values("user"))))
    unfrozen = ~Exists(pool) & (readable | ~Exists(shares))
    return quizzes.filter(Exists(slots) & (Exists(pool.filter(key=key)) | unfrozen))


def questions_to_ask(topics: Iterable[str], quiz: Quiz | None) -> list[tuple[int, str, str, bool]]:
    """Return the pk, topic and key of `askable_questions`, and whether they are reserved."""
    wanted = sorted(set(topics))
    if quiz and quiz.published:
        return _askable_in(quiz, wanted)
    return list(askable_questions(wanted, quiz).values_list(*_OF_ASKABLE))


_OF_ASKABLE = ("pk", "topic", "key", "reserved")


@prepared
def _askable_in(quiz: Any, topics: list[str]) -> QuerySet:
    published = ConceptQuestion.objects.filter(topic__in=topics, published=True).order_by()
    return published.filter(_in_pools(quiz)).values_list(*_OF_ASKABLE)


def students() -> QuerySet:
    """Return all learners: active users without access to the admin, or who took a quiz."""
    attempts = Attempt.objects.of_learners().filter(student=OuterRef("pk"))
    return get_user_model().objects.filter(Q(is_staff=False) | Exists(attempts), is_active=True)


@prepared
def sittings_of_lessons(lessons: list[Lesson]) -> QuerySet[Sitting]:
    """Return the open sittings of these lessons' quizzes, each with its number of questions."""
    sittings = open_sittings().filter(quiz__lesson__pk__in=lessons)
    sittings = sittings.select_related(None).select_related("quiz")
    return sittings.annotate(questions=QUESTION_COUNT).order_by("quiz__title")


def question_counts(quizzes: Iterable[int]) -> dict[int, int]:
    """Return how many questions each of these quizzes has, by the quiz's key."""
    asked = Slot.objects.filter(quiz__in=set(quizzes), retired_at=None).order_by()
    return dict(asked.values_list("quiz").annotate(Count("pk")))


def has_waiting_submissions() -> bool:
    """Return whether a submission waits to be marked."""
    return Submission.objects.filter(state=Submission.State.WAITING).exists()


def student_count(pk: int, most: int) -> int:
    """Return how many students have begun a quiz or its practice, counted up to `most`."""
    begun = Attempt.objects.of_learners().filter(quiz=pk).order_by()
    return begun.values("student").distinct()[:most].count()


def slot_pool(slot: Slot) -> list[ConceptQuestion]:
    """Return the questions that a slot may ask, with their choices."""
    found = askable_questions([slot.topic], slot.quiz)
    return list(found.prefetch_related("choices").order_by("key"))
