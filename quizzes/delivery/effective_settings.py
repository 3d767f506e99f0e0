"""Effective settings: the rules of a sitting, with a student's exceptions.

Quizzes do not know classes. An app that assigns quizzes registers a provider, which says at which
sittings a student may take a quiz, and with which settings. An attempt keeps those it began with.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple, Protocol

from django.db.models import QuerySet
from django.utils import timezone

from foundation.prepared import prepared
from quizzes.models import Attempt, ExtraTime, Quiz, Sitting


class Dated:
    """The times at which something opens, is due and closes for a student."""

    opens_at: datetime | None
    due_at: datetime | None
    closes_at: datetime | None

    @property
    def ends_at(self) -> datetime | None:
        """When it is due or, without a due date, when it closes."""
        return self.due_at or self.closes_at

    def has_opened(self, now: datetime) -> bool:
        """Return whether it is late enough to start."""
        return not self.opens_at or now >= self.opens_at

    def has_closed(self, now: datetime) -> bool:
        """Return whether it is too late to start."""
        return bool(self.closes_at and now >= self.closes_at)

    def is_due(self, now: datetime) -> bool:
        """Return whether it may be started now and ends, so that it is due if it is not begun."""
        return self.ends_at is not None and self.has_opened(now) and not self.has_closed(now)


@dataclass(frozen=True)
class EffectiveSettings(Dated):
    """When and for how long a student may take a quiz at a sitting.

    Attributes:
        minutes: without extra time; None if there is no time limit.
        closes_at: cuts the usual minutes short, never the extra time.
        due_at: when it should be handed in; later work, until it closes, is late.
        extra: the student's extra time.
        time_zone: of the dates that are shown; "" for the reader's own.
        course: the name of the student's class that it is assigned in, unlike that of any other.
    """

    sitting: Sitting
    opens_at: datetime | None
    closes_at: datetime | None
    minutes: int | None
    attempts_allowed: int | None
    due_at: datetime | None = None
    extra: ExtraTime | None = None
    time_zone: str = ""
    course: str = ""

    @property
    def extra_time(self) -> timedelta:
        return added_extra_time(self.minutes, self.extra)

    def deadline(self, started_at: datetime) -> datetime | None:
        """Return when an attempt that starts then ends; None if only submitting ends it."""
        return deadline_of(started_at, self.minutes, self.closes_at, self.extra_time)


@dataclass
class UnfinishedQuiz(Dated):
    """A quiz assigned to a student who has not begun it, or not submitted the `attempt` at it."""

    sitting: int
    quiz: str
    slug: str
    lesson: int | None
    time_zone: str
    opens_at: datetime | None
    due_at: datetime | None
    closes_at: datetime | None
    attempt: Attempt | None

    def is_due(self, now: datetime) -> bool:
        return self.attempt.takes_answers(now) if self.attempt else super().is_due(now)

    def is_over(self, now: datetime) -> bool:
        """Return whether it is too late for it, or for what is left of the attempt."""
        return not self.attempt.takes_answers(now) if self.attempt else self.has_closed(now)


class Due(NamedTuple):
    """When work is due, None if it cannot be late; and the zone of the dates, as in settings."""

    at: datetime | None = None
    time_zone: str = ""


def added_extra_time(minutes: int | None, extra: ExtraTime | None) -> timedelta:
    """Return the extra time on top of so many minutes."""
    return extra.added_to(minutes or 0) if extra else timedelta()


def deadline_of(
    started_at: datetime, minutes: int | None, closes_at: datetime | None, extra_time: timedelta
) -> datetime | None:
    """Return when an attempt ends. A close cuts the usual time short, never the extra time."""
    ends = [started_at + timedelta(minutes=minutes)] if minutes is not None else []
    ends += [closes_at] if closes_at else []
    return min(ends) + extra_time if ends else None


class Provider(Protocol):
    """An app that assigns quizzes to students."""

    def given_to(self, student: Any, quizzes: Iterable[Quiz] | None) -> list[EffectiveSettings]:
        """Return the student's settings at each sitting assigned to them; all quizzes for None."""

    def unfinished(self, student: Any) -> list[UnfinishedQuiz]:
        """Return the quizzes assigned to the student that are unfinished, by one light query."""

    def course_names(self, student: Any) -> dict[int, str]:
        """Return the names of the student's classes, each unlike any other, by the sitting."""

    def due_for(self, student: Any, sitting: Sitting) -> Due | None:
        """Return when it is due there for this student, even if they can no longer start.

        None if the app did not assign it.
        """

    def expected(self, now: datetime) -> Mapping[int, int]:
        """Return how many students may start soon, by the quiz's key, to draw numbers for them."""


_providers: list[Provider] = []


def register(provider: Provider) -> None:
    """Register a provider that assigns quizzes."""
    _providers.append(provider)


def given_to(student, quizzes: Iterable[Quiz] | None = None) -> list[EffectiveSettings]:
    """Return the settings of the sittings assigned to this student, of these quizzes or of all."""
    return [settings for each in _providers for settings in each.given_to(student, quizzes)]


def unfinished_quizzes(student) -> list[UnfinishedQuiz]:
    """Return the quizzes assigned to this student that are unfinished, what ends first on top.

    They are read once for each request, as every page counts what is due.
    """
    if (found := getattr(student, "_unfinished_quizzes", None)) is None:
        found = [quiz for each in _providers for quiz in each.unfinished(student)]
        found.sort(key=lambda quiz: (quiz.ends_at is None, quiz.ends_at, quiz.sitting))
        student._unfinished_quizzes = found
    return found


def course_names(student) -> dict[int, str]:
    """Return the names of this student's classes by the keys of the sittings there."""
    names: dict[int, str] = {}
    for each in _providers:
        names |= each.course_names(student)
    return names


def due_count(student) -> int:
    """Return how many quizzes of their classes are due for this student now."""
    now = timezone.now()
    return sum(quiz.is_due(now) for quiz in unfinished_quizzes(student))


def due_for(student, sitting: Sitting) -> Due:
    """Return when this student's work at a sitting is due."""
    if not sitting.given_in:
        return Due()
    found = (each.due_for(student, sitting) for each in _providers)
    return next((due for due in found if due), Due())


def is_late(handed_in_at: datetime, deadline: datetime | None, due: datetime | None) -> bool:
    """Return whether work came after it was due.

    An attempt that had to end by then is never late, however much later it was found to be over.
    """
    return bool(due and handed_in_at > due and (deadline is None or deadline > due))


def expected(now: datetime) -> Counter[int]:
    """Return how many students may start about now, by the key of the quiz assigned to them."""
    counted: Counter[int] = Counter()
    for each in _providers:
        counted.update(each.expected(now))
    return counted


def own_settings(sitting: Sitting, extra: ExtraTime | None = None) -> EffectiveSettings:
    """Return a sitting's own rules as settings, with the student's extra time at every quiz."""
    return EffectiveSettings(
        sitting=sitting,
        opens_at=sitting.opens_at,
        closes_at=sitting.closes_at,
        minutes=sitting.minutes,
        attempts_allowed=sitting.attempts_allowed,
        extra=extra,
        course=sitting.given_in,
    )


def extra_time_for(student, attempt: Attempt | None = None) -> ExtraTime | None:
    """Return the student's extra time in this attempt, or else at every quiz."""
    own = ExtraTime.objects.filter(attempt=attempt).first() if attempt else None
    return own or next(iter(_at_every_quiz(student)), None)


@prepared
def _at_every_quiz(student) -> QuerySet[ExtraTime]:
    return ExtraTime.objects.filter(student=student, attempt=None).order_by()


def available_settings(student, quiz: Quiz) -> list[EffectiveSettings]:
    """Return the settings of the sittings at which this student may take the quiz.

    These are the sittings assigned to them, and the one open to all; only the latter if nobody is
    logged in.
    """
    known = student is not None and student.is_authenticated
    found = given_to(student, [quiz]) if known else []
    if quiz.own_sitting.open_to_all:
        found.append(own_settings(quiz.own_sitting, extra_time_for(student) if known else None))
    return found
