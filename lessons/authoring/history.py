"""The versions of a lesson, reconstructed from the histories of its rows."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import Model

from lessons.authoring.files import LessonFile, SectionFile
from lessons.authoring.services import FIELDS, WORD_FIELDS
from lessons.models import Lesson, Section, Word

_STAMP = "%Y%m%dT%H%M%S%f"


@dataclass(frozen=True)
class Version:
    """A version of a lesson: when it was saved, by whom and why."""

    when: datetime
    user: Any
    reason: str

    @property
    def stamp(self) -> str:
        """Its identifier in URLs."""
        return self.when.astimezone(UTC).strftime(_STAMP)


def versions_of(lesson: Lesson) -> list[Version]:
    """Return the lesson's versions, newest first."""
    names = ("history_date", "history_user_id", "history_change_reason")
    found: dict[datetime, tuple[Any, str | None]] = {}
    for rows in _histories(lesson):
        found |= {when: (user, reason) for when, user, reason in rows.values_list(*names)}
    users = get_user_model()._default_manager.in_bulk({user for user, _ in found.values() if user})
    return [
        Version(when, users.get(user), reason or "")
        for when, (user, reason) in sorted(found.items(), key=lambda item: item[0], reverse=True)
    ]


def newest_version(lesson: Lesson) -> Version | None:
    """Return the lesson's current version, or None if it has not been saved yet."""
    return next(iter(versions_of(lesson)), None)


def version_at(lesson: Lesson, when: datetime) -> LessonFile:
    """Return the lesson as it was at this time."""
    lessons, sections, words = (_at(rows, when) for rows in _histories(lesson))
    return LessonFile(
        fields={name: getattr(lessons[0], name) for name in FIELDS} if lessons else {},
        words=tuple({name: getattr(word, name) for name in WORD_FIELDS} for word in words),
        sections=tuple(
            SectionFile(section.slug, section.title, section.body, families=_keys(section.families))
            for section in sections
        ),
    )


def _histories(lesson: Lesson) -> list[Any]:
    return [
        Lesson.history.filter(id=lesson.pk),
        Section.history.filter(lesson_id=lesson.pk),
        Word.history.filter(lesson_id=lesson.pk),
    ]


def _at(rows: Any, when: datetime) -> list[Model]:
    """Return the rows as they were at this time, in order, without those deleted by then."""
    past = rows.filter(history_date__lte=when).order_by("history_date", "history_id")
    entries = past.values_list("id", "history_id", "history_type")
    last = {row: (entry, kind) for row, entry, kind in entries}
    found = rows.in_bulk([entry for entry, kind in last.values() if kind != "-"])
    return sorted(found.values(), key=lambda row: (row.order, row.id))


def _keys(families: str) -> tuple[str, ...]:
    return tuple(filter(None, families.split(", ")))
