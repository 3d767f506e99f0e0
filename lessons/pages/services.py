"""The only writers of what students have read."""

from collections.abc import Iterable
from typing import Any

from lessons.models import Reading, Section


def mark_as_read(*, student: Any, section: Section) -> None:
    """Remember that the student has read the section; again changes nothing."""
    Reading.objects.get_or_create(student=student, section=section)


def add_readings(*, readings: Iterable[Reading]) -> None:
    """Remember many at once, who may have read at other times than now; again changes nothing."""
    Reading.objects.bulk_create(readings, batch_size=500, ignore_conflicts=True)


def forget_reading(*, student: Any) -> None:
    """Delete what the student has read."""
    Reading.objects.filter(student=student).delete()
