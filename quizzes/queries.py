"""What pages read. Each function runs a fixed number of queries, however much there is."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Prefetch, QuerySet

from quizzes.models import Answer, Attempt, Grade, Item, Quiz, Submission


def open_quizzes() -> QuerySet[Quiz]:
    """Published quizzes in the order of their lessons."""
    return Quiz.objects.filter(published=True).select_related("lesson")


def quiz_to_take(slug: str) -> Quiz | None:
    """A published quiz with its lesson and the number of its slots."""
    return open_quizzes().annotate(questions=Count("slots")).filter(slug=slug).first()


def attempts_at(quiz: Quiz, student) -> list[Attempt]:
    """This student's graded attempts at the quiz, the latest first."""
    attempts = attempts_of(student).filter(quiz=quiz, mode=Attempt.Mode.GRADED)
    return list(attempts.order_by("-number"))


def attempts_of(student) -> QuerySet[Attempt]:
    """All attempts of a student, the latest first."""
    whole = Submission.objects.filter(item=None)
    return (
        Attempt.objects.filter(student=student)
        .select_related("quiz", "quiz__lesson")
        .prefetch_related(Prefetch("submissions", whole, to_attr="handed_in"))
        .order_by("-started_at", "-pk")
    )


def attempt_of(student, pk: int) -> Attempt | None:
    """An attempt, if it is this student's own."""
    found = Attempt.objects.filter(student=student, pk=pk).select_related("quiz__lesson", "student")
    return found.first()


def items_of(attempt: Attempt) -> list[Item]:
    """The items of an attempt in their order, with what they show and their drafts."""
    return list(attempt.items.order_by("position"))


def submission_of(attempt: Attempt) -> Submission | None:
    """What waits to be marked, or has been, with the attempt as it was at that moment.

    Both come from one statement: a worker may write state and score between two.
    """
    whole = Submission.objects.filter(attempt=attempt, item=None)
    return whole.select_related("attempt__quiz__lesson").first()


def graded_answers(submission: Submission) -> list[tuple[Answer, Grade]]:
    """The answers of a submission in order, each with its latest grade."""
    answers = (
        Answer.objects.filter(submission=submission)
        .select_related("item__variant", "item__question__section__lesson")
        .prefetch_related(Prefetch("grades", Grade.objects.order_by("-revision")))
        .order_by("item__position")
    )
    return [(answer, answer.grades.all()[0]) for answer in answers]


@dataclass(frozen=True)
class Chances:
    """Whether a student may start a quiz, or go on with it."""

    running: Attempt | None
    used: int
    left: int | None
    closed: bool

    @property
    def may_start(self) -> bool:
        return not self.closed and self.left != 0


def chances_at(quiz: Quiz, attempts: list[Attempt], now: datetime) -> Chances:
    """What is left to a student who has made these attempts."""
    allowed = quiz.attempts_allowed
    return Chances(
        running=next((attempt for attempt in attempts if attempt.takes_answers(now)), None),
        used=len(attempts),
        left=None if allowed is None else max(0, allowed - len(attempts)),
        closed=quiz.has_closed(now),
    )
