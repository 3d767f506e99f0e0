"""What applies to a student at a sitting: its rules, and what is different for this student.

Quizzes know no classes. Whoever gives quizzes to people registers a provider, which says at which
sittings a student may take a quiz, and under which terms. An attempt keeps those it began with.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

from django.db.models import QuerySet

from foundation.prepared import prepared
from quizzes.models import Attempt, ExtraTime, Quiz, Sitting


@dataclass(frozen=True)
class Terms:
    """When and how long a student may take a quiz at a sitting.

    Attributes:
        minutes: the usual ones; None without a clock.
        closes_at: cuts the usual minutes short, never the extra time.
        due_at: when it should be handed in; what comes later, until it closes, is late.
        extra: what is added to the minutes.
        time_zone: in which its dates are told; "" for that of whoever reads them.
    """

    sitting: Sitting
    opens_at: datetime | None
    closes_at: datetime | None
    minutes: int | None
    attempts_allowed: int | None
    due_at: datetime | None = None
    extra: ExtraTime | None = None
    time_zone: str = ""

    @property
    def extra_time(self) -> timedelta:
        return added_to(self.minutes, self.extra)

    def has_opened(self, now: datetime) -> bool:
        """Is it not too early to start?"""
        return not self.opens_at or now >= self.opens_at

    def has_closed(self, now: datetime) -> bool:
        """Is it too late to start?"""
        return bool(self.closes_at and now >= self.closes_at)

    def deadline(self, started_at: datetime) -> datetime | None:
        """When an attempt that starts then ends; None: whenever it is handed in."""
        return deadline_of(started_at, self.minutes, self.closes_at, self.extra_time)


def added_to(minutes: int | None, extra: ExtraTime | None) -> timedelta:
    """The time that is added to so many minutes."""
    return extra.on_top_of(minutes or 0) if extra else timedelta()


def deadline_of(
    started_at: datetime, minutes: int | None, closes_at: datetime | None, extra_time: timedelta
) -> datetime | None:
    """A close cuts the usual time short, never the extra time."""
    ends = [started_at + timedelta(minutes=minutes)] if minutes is not None else []
    ends += [closes_at] if closes_at else []
    return min(ends) + extra_time if ends else None


class Provider(Protocol):
    """Gives quizzes to people."""

    def given_to(self, student: Any, quizzes: Iterable[Quiz] | None) -> list[Terms]:
        """At which sittings of these quizzes (None: of all) this student takes them, and how."""

    def due_at(self, student: Any, sitting: Sitting) -> datetime | None:
        """When it is due there for this student, even where they can begin no more."""

    def expected(self, now: datetime) -> Mapping[int, int]:
        """How many students may start soon, by the quiz's key: numbers are drawn for them."""


_providers: list[Provider] = []


def register(provider: Provider) -> None:
    """Let somebody give quizzes to people."""
    _providers.append(provider)


def given_to(student, quizzes: Iterable[Quiz] | None = None) -> list[Terms]:
    """At which sittings of these quizzes, or of all, this student is to take them."""
    return [terms for each in _providers for terms in each.given_to(student, quizzes)]


def due_at(student, sitting: Sitting) -> datetime | None:
    """Return when this student's work at a sitting is due; None: it is never late."""
    if not sitting.given_in:
        return None
    found = (each.due_at(student, sitting) for each in _providers)
    return next((at for at in found if at), None)


def is_late(handed_in_at: datetime, deadline: datetime | None, due: datetime | None) -> bool:
    """Return whether work came after it was due.

    What had to end by then never does, however much later its clock was noticed to have run out.
    """
    return bool(due and handed_in_at > due and (deadline is None or deadline > due))


def expected(now: datetime) -> Counter[int]:
    """How many are given a quiz that they may start about now, by its key."""
    counted: Counter[int] = Counter()
    for each in _providers:
        counted.update(each.expected(now))
    return counted


def own_terms(sitting: Sitting, extra: ExtraTime | None = None) -> Terms:
    """Those of a sitting itself, with what is added for a student at every quiz."""
    return Terms(
        sitting=sitting,
        opens_at=sitting.opens_at,
        closes_at=sitting.closes_at,
        minutes=sitting.minutes,
        attempts_allowed=sitting.attempts_allowed,
        extra=extra,
    )


def extra_time_for(student, attempt: Attempt | None = None) -> ExtraTime | None:
    """What is added for this student at every quiz, or in this very attempt."""
    own = ExtraTime.objects.filter(attempt=attempt).first() if attempt else None
    return own or next(iter(_at_every_quiz(student)), None)


@prepared
def _at_every_quiz(student) -> QuerySet[ExtraTime]:
    return ExtraTime.objects.filter(student=student, attempt=None).order_by()


def choices_of(student, quiz: Quiz) -> list[Terms]:
    """The sittings at which this student may take the quiz: those given, and the one open to all.

    Nobody is logged in: the one that is open to all.
    """
    known = student is not None and student.is_authenticated
    found = given_to(student, [quiz]) if known else []
    if quiz.own_sitting.open_to_all:
        found.append(own_terms(quiz.own_sitting, extra_time_for(student) if known else None))
    return found
