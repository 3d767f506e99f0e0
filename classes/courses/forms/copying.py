"""Form for copying a class to the next term."""

from datetime import date
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from classes.access.forms import DayField
from classes.courses.forms.courses import CourseForm
from classes.courses.services.copying import NextTerm
from classes.models import Course


class CopyForm(CourseForm):
    """The settings of the new class and, if the old one has no first day, its start date."""

    counted_from = DayField(
        label=gettext_lazy("Start date in the old term"),
        required=False,
        help_text=gettext_lazy("Anything on this day moves to the first day of the new term."),
    )

    def __init__(self, data: Any, *, course: Course, first_date: date | None) -> None:
        initial = {"title": course.title, "time_zone": course.time_zone, "first_day": None}
        super().__init__(data, initial=initial)
        self.first_day_of_old = course.first_day
        self.fields["first_day"].label = _("First day of the new term")
        self.fields["first_day"].required = first_date is not None
        if first_date is None:
            self.fields["first_day"].help_text = _("The old class has no dates to move.")
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
        )
