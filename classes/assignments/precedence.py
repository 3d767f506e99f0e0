"""Precedence of overrides: for each field the most specific applies, and nothing adds up.

From the most specific: one student in one quiz, a label in one quiz, one student in the class, a
label in the class, a student's extra time for every quiz of the site, and last the setting for
everybody. Of two labels with different values, the more generous applies. Uses no database.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import IntEnum
from typing import Any

from classes.models import Assignment, Override
from quizzes.delivery.effective_settings import Terms, added_to
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
class Time:
    """The time for an attempt: minutes and extra time, or no limit if `minutes` is None."""

    minutes: int | None
    extra: ExtraTime | None = None

    @property
    def whole(self) -> timedelta:
        if self.minutes is None:
            return timedelta.max
        return timedelta(minutes=self.minutes) + added_to(self.minutes, self.extra)


@dataclass(frozen=True)
class Said:
    """A value for a field, the row it comes from, and whether it applies."""

    value: Any
    level: Level
    by: Override | ExtraTime | Assignment
    applies: bool = False


@dataclass(frozen=True)
class Chain:
    """All values for a student at one assignment, by field; the first of each applies."""

    assignment: Assignment
    said: dict[str, tuple[Said, ...]]

    def value(self, field: str) -> Any:
        return self.said[field][0].value

    @property
    def terms(self) -> Terms:
        time = self.value("time")
        return Terms(
            sitting=self.assignment.sitting,
            opens_at=self.value("opens_at"),
            due_at=self.value("due_at"),
            closes_at=self.value("closes_at"),
            minutes=time.minutes,
            attempts_allowed=self.value("attempts_allowed"),
            extra=time.extra,
        )


# By field: the key that sorts values by generosity.
GENEROUS: dict[str, Callable[[Any], Any]] = {
    "opens_at": lambda at: -at.timestamp(),
    "due_at": lambda at: at,
    "closes_at": lambda at: at,
    "time": lambda time: time.whole,
    "attempts_allowed": lambda count: count,
}
FIELDS = tuple(GENEROUS)


def chain(
    assignment: Assignment, overrides: Sequence[Override], at_every_quiz: ExtraTime | None
) -> Chain:
    """Return the values at an assignment for a student to whom all these overrides apply."""
    minutes = assignment.sitting.minutes
    here = [each for each in overrides if each.assignment_id in (None, assignment.pk)]
    values = {}
    for field in FIELDS:
        found = list(_exceptions(field, here, minutes))
        if field == "time" and at_every_quiz:
            found.append(Said(Time(minutes, at_every_quiz), Level.SITE, at_every_quiz))
        generous = GENEROUS[field]
        found.sort(key=lambda each: generous(each.value), reverse=True)
        found.sort(key=lambda each: each.level)
        found.append(Said(_for_everybody(field, assignment), Level.EVERYBODY, assignment))
        values[field] = (replace(found[0], applies=True), *found[1:])
    return Chain(assignment, values)


def _exceptions(field: str, overrides: Sequence[Override], minutes: int) -> Iterator[Said]:
    for override in overrides:
        value = said_by(override, field, minutes)
        if value is not None:
            yield Said(value, _level_of(override), override)


def said_by(override: Override, field: str, minutes: int) -> Any:
    """Return an override's value for a field; None if it sets none."""
    if field != "time":
        return getattr(override, field)
    if override.untimed:
        return Time(None)
    if override.factor is None and override.more_minutes is None:
        return None
    factor, more = override.factor or 1, override.more_minutes or 0
    return Time(minutes, ExtraTime(factor=factor, minutes=more))


def _for_everybody(field: str, assignment: Assignment) -> Any:
    if field == "time":
        return Time(assignment.sitting.minutes)
    return getattr(assignment if field == "due_at" else assignment.sitting, field)


def _level_of(override: Override) -> Level:
    if override.assignment_id:
        return Level.STUDENT_HERE if override.member_id else Level.LABEL_HERE
    return Level.STUDENT if override.member_id else Level.LABEL
