"""Precedence of overrides: for each field the most specific applies, and nothing adds up.

From the most specific: one student in one quiz, a label in one quiz, one student in the class, a
label in the class, a student's extra time for every quiz of the site, and last the setting for
everybody. A section counts as a label of its name. Of two labels with different values, the more
generous applies. Uses no database.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import IntEnum
from typing import Any

from classes.models import Assignment, Override
from quizzes.delivery.effective_settings import EffectiveSettings, added_extra_time
from quizzes.models import ExtraTime


class Level(IntEnum):
    """The specificity of a value; the lowest level applies."""

    STUDENT_HERE = 1
    LABEL_HERE = 2
    STUDENT = 3
    LABEL = 4
    SITE = 5
    EVERYBODY = 6


@dataclass(frozen=True)
class TimeAllowed:
    """The time for an attempt: minutes and extra time, or no limit if `minutes` is None."""

    minutes: int | None
    extra: ExtraTime | None = None

    @property
    def whole(self) -> timedelta:
        if self.minutes is None:
            return timedelta.max
        return timedelta(minutes=self.minutes) + added_extra_time(self.minutes, self.extra)


@dataclass(frozen=True)
class Candidate:
    """A value for a field, the row it comes from, and whether it applies."""

    value: Any
    level: Level
    by: Override | ExtraTime | Assignment
    applies: bool = False


@dataclass(frozen=True)
class ResolvedSettings:
    """All values for a student at one assignment, by field; the first of each applies."""

    assignment: Assignment
    candidates: dict[str, tuple[Candidate, ...]]

    def value(self, field: str) -> Any:
        return self.candidates[field][0].value

    @property
    def settings(self) -> EffectiveSettings:
        time = self.value("time")
        return EffectiveSettings(
            sitting=self.assignment.sitting,
            opens_at=self.value("opens_at"),
            due_at=self.value("due_at"),
            closes_at=self.value("closes_at"),
            minutes=time.minutes,
            attempts_allowed=self.value("attempts_allowed"),
            extra=time.extra,
        )


# By field: the key that sorts values by generosity.
GENEROSITY: dict[str, Callable[[Any], Any]] = {
    "opens_at": lambda at: -at.timestamp(),
    "due_at": lambda at: at,
    "closes_at": lambda at: at,
    "time": lambda time: time.whole,
    "attempts_allowed": lambda count: count,
}
FIELDS = tuple(GENEROSITY)


def resolve_settings(
    assignment: Assignment, overrides: Sequence[Override], at_every_quiz: ExtraTime | None
) -> ResolvedSettings:
    """Return the values at an assignment for a student to whom all these overrides apply."""
    minutes = assignment.sitting.minutes
    here = [each for each in overrides if each.assignment_id in (None, assignment.pk)]
    values = {}
    for field in FIELDS:
        found = _override_candidates(field, here, minutes)
        if field == "time" and at_every_quiz:
            # Less specific than all of them.
            found.append(Candidate(TimeAllowed(minutes, at_every_quiz), Level.SITE, at_every_quiz))
        found.append(Candidate(_default_value(field, assignment), Level.EVERYBODY, assignment))
        values[field] = (replace(found[0], applies=True), *found[1:])
    return ResolvedSettings(assignment, values)


def resolve_date(field: str, overrides: Sequence[Override], default: datetime | None) -> Any:
    """Return a date at an assignment for a student to whom all these overrides of it apply."""
    return next((each.value for each in _override_candidates(field, overrides, 0)), default)


def _override_candidates(
    field: str, overrides: Sequence[Override], minutes: int
) -> list[Candidate]:
    """Return the overrides' values for a field, the one that applies first."""
    values = ((override_value(each, field, minutes), each) for each in overrides)
    found = [Candidate(value, _level_of(by), by) for value, by in values if value is not None]
    generous = GENEROSITY[field]
    found.sort(key=lambda each: generous(each.value), reverse=True)
    found.sort(key=lambda each: each.level)
    return found


def override_value(override: Override, field: str, minutes: int) -> Any:
    """Return an override's value for a field; None if it sets none."""
    if field != "time":
        return getattr(override, field)
    if override.untimed:
        return TimeAllowed(None)
    if override.factor is None and override.more_minutes is None:
        return None
    factor, more = override.factor or 1, override.more_minutes or 0
    return TimeAllowed(minutes, ExtraTime(factor=factor, minutes=more))


def _default_value(field: str, assignment: Assignment) -> Any:
    if field == "time":
        return TimeAllowed(assignment.sitting.minutes)
    return getattr(assignment if field == "due_at" else assignment.sitting, field)


def _level_of(override: Override) -> Level:
    if override.assignment_id:
        return Level.STUDENT_HERE if override.member_id else Level.LABEL_HERE
    return Level.STUDENT if override.member_id else Level.LABEL
