"""Form for copying a class to the next term."""

from collections.abc import Iterable
from datetime import date, datetime
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from classes.access.forms import DayField
from classes.assignments.forms import MomentField
from classes.assignments.words import NAMES
from classes.courses.forms.courses import CourseForm
from classes.courses.moving import MovedDates
from classes.courses.services.copying import NextTerm
from classes.models import Course


class CopyForm(CourseForm):
    """The settings of the new class and, if the old one has no first day, its start date."""

    counted_from = DayField(
        label=gettext_lazy("Start date in the old term"),
        required=False,
        help_text=gettext_lazy("Anything on this day moves to the first day of the new term."),
    )

    keep_weekdays = forms.BooleanField(
        label=gettext_lazy("Keep weekdays"),
        required=False,
        initial=True,
        help_text=gettext_lazy(
            "Dates move by whole weeks, so a date on a Monday stays on a Monday."
        ),
    )

    def __init__(self, data: Any, *, course: Course, first_date: date | None) -> None:
        initial = {"title": course.title, "time_zone": course.time_zone, "first_day": None}
        super().__init__(data, initial=initial)
        self.first_day_of_old = course.first_day
        self.fields["first_day"].label = _("First day of the new term")
        self.fields["first_day"].required = first_date is not None
        if first_date is None:
            self.fields["first_day"].help_text = _("The old class has no dates to move.")
            del self.fields["keep_weekdays"]
        if course.first_day is not None or first_date is None:
            del self.fields["counted_from"]
        else:
            self.fields["counted_from"].required = True
            self.fields["counted_from"].initial = first_date

    @property
    def term(self) -> NextTerm:
        cleaned = self.cleaned_data
        return NextTerm(
            title=cleaned["title"],
            time_zone=cleaned["time_zone"],
            first_day=cleaned["first_day"],
            counted_from=cleaned.get("counted_from") or self.first_day_of_old,
            keep_weekdays=cleaned.get("keep_weekdays", False),
        )


class MovedDatesForm(forms.Form):
    """The moved dates of a copy, each of which may be changed; one that is not sent stays."""

    def __init__(self, data: Any, *, rows: Iterable[MovedDates]) -> None:
        fields = {
            f"{name}-{each.row.pk}": (each.row.pk, name, at)
            for each in rows
            for name, at in each.now.items()
            if at and (data is None or f"{name}-{each.row.pk}" in data)
        }
        super().__init__(data, initial={key: at for key, (_pk, _name, at) in fields.items()})
        self.places = fields
        for key, (_pk, name, _at) in fields.items():
            self.fields[key] = MomentField(
                label=NAMES[name], is_end=name != "opens_at", required=False
            )

    @property
    def edited(self) -> dict[int, dict[str, datetime | None]]:
        """The dates that were changed, by the old assignment's key and by name."""
        found: dict[int, dict[str, datetime | None]] = {}
        for key, (pk, name, at) in self.places.items():
            if self.cleaned_data[key] != at:
                found.setdefault(pk, {})[name] = self.cleaned_data[key]
        return found
