"""Services that record what students have read."""

from collections.abc import Iterable
from typing import Any

from lessons.models import Reading, Rung, Section


def mark_as_read(*, student: Any, section: Section) -> None:
    """Record that the student has read the section. Do nothing if that is recorded already."""
    Reading.objects.get_or_create(student=student, section=section)


def reach_rung(*, student: Any, section: Section, rung: Rung | int) -> None:
    """Record that the student's exercise in the section is now on this rung, never on a lower one.

    The section counts as read.
    """
    reading, _is_new = Reading.objects.get_or_create(student=student, section=section)
    Reading.objects.filter(pk=reading.pk, rung__lt=rung).update(rung=rung)


def add_readings(*, readings: Iterable[Reading]) -> None:
    """Record many readings at once, each with its own time. Skip those recorded already."""
    Reading.objects.bulk_create(readings, batch_size=500, ignore_conflicts=True)


def forget_reading(*, student: Any) -> None:
    """Delete a student's readings."""
    Reading.objects.filter(student=student).delete()
