"""Forms for the settings of a class."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from classes.access.forms import DayField
from classes.models import Course
from foundation import time_zones
from foundation.lost_updates import GuardedForm
from foundation.names import NameField


class CourseForm(forms.ModelForm):
    title = NameField(
        label=gettext_lazy("Title"),
        max_length=Course._meta.get_field("title").max_length,
        help_text=gettext_lazy("The name students know, including the term."),
        error_messages={
            "invisible": gettext_lazy("Enter a title with at least one visible character.")
        },
    )
    time_zone = forms.ChoiceField(
        label=gettext_lazy("Time zone"), help_text=gettext_lazy("Where the class takes place.")
    )
    first_day = DayField(label=gettext_lazy("First day of term"), required=False)

    class Meta:
        model = Course
        fields = ("title", "time_zone", "first_day")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["time_zone"].choices = time_zones.choices()


class SettingsForm(GuardedForm, CourseForm):
    """The settings of a class, guarded against lost updates."""
