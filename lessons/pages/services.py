"""The only writers of what students have read."""

from typing import Any

from lessons.models import Reading, Section


def mark_as_read(*, student: Any, section: Section) -> None:
    """Remember that the student has read the section; again changes nothing."""
    Reading.objects.get_or_create(student=student, section=section)


def forget_reading(*, student: Any) -> None:
    """Delete what the student has read."""
    Reading.objects.filter(student=student).delete()
