"""The lessons' personal data: what a person has read, and the versions they wrote.

A sentence for the real model does not record who asked, and is deleted after a month
(sentences/services.py), so it is not personal data.
"""

from typing import Any

from django.contrib.auth.models import AbstractBaseUser

from foundation.personal_data import PersonalData
from lessons.models import Lesson, Reading, Section, Word
from lessons.pages.services import forget_reading

WITH_HISTORY = (Lesson, Section, Word)


def export_personal_data(student: AbstractBaseUser) -> dict[str, Any]:
    """Return a person's readings and the versions of lessons they wrote, as plain data."""
    readings = Reading.objects.filter(student=student).order_by("read_at")
    return {
        "reading": list(
            readings.values("section__lesson__title", "section__title", "read_at", "rung")
        ),
        "versions_written": [
            {"of": model._meta.model_name} | version
            for model in WITH_HISTORY
            for version in model.history.filter(history_user=student)
            .order_by("history_date")
            .values("history_date", "history_type", "id")
        ],
    }


HOLDING = PersonalData(
    export_personal_data,
    forget_reading,
    forgotten=frozenset({"lessons.Reading.student"}),
    kept={
        f"{model.history.model._meta.label}.history_user": (
            "a lesson's history stays, by somebody without a name"
        )
        for model in WITH_HISTORY
    },
)
