"""What lessons hold of a person: what was read, and which versions somebody wrote.

A sentence for the real model says nothing of who asked, and is deleted after a month
(sentences/services.py), so there is nothing to find in it.
"""

from typing import Any

from django.contrib.auth.models import AbstractBaseUser

from foundation.personal_data import Holding, register
from lessons.models import Lesson, Reading, Section, Word
from lessons.pages.services import forget_reading

WITH_HISTORY = (Lesson, Section, Word)


def told_of(student: AbstractBaseUser) -> dict[str, Any]:
    """Sections read, and versions of lessons written."""
    readings = Reading.objects.filter(student=student).order_by("read_at")
    return {
        "reading": list(readings.values("section__lesson__title", "section__title", "read_at")),
        "versions_written": [
            {"of": model._meta.model_name} | version
            for model in WITH_HISTORY
            for version in model.history.filter(history_user=student)
            .order_by("history_date")
            .values("history_date", "history_type", "id")
        ],
    }


def hold() -> None:
    """Make known what lessons hold of people."""
    authors = {f"{model.history.model._meta.label}.history_user" for model in WITH_HISTORY}
    register(
        Holding(
            handed_out=frozenset({"lessons.Reading.student", *authors}),
            forgotten=frozenset({"lessons.Reading.student"}),
            kept=dict.fromkeys(authors, "a lesson's history stays, by somebody without a name"),
            tell=told_of,
            forget=forget_reading,
        )
    )
