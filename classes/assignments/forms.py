"""Forms for the rules of assignments and for overrides.

Times are in the class's time zone, which the view has activated.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django import forms
from django.utils.timezone import get_current_timezone_name
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from classes.access.forms import EARLIEST, LATEST, MAX_PASTED_LENGTH, ReasonForm
from classes.assignments.services.assigning import RULES, Rules
from classes.assignments.services.exceptions import FIELDS, OverrideValues
from classes.limits import MAX_EXTRA_MINUTES
from classes.models import DATE_FIELDS, Assignment, Label, Override
from foundation.lost_updates import GuardedForm
from foundation.minutes import end_of_minute, start_of_minute
from quizzes.models import Quiz, Sitting

MAX_MINUTES = 1440
MAX_ATTEMPTS = 100
FOR_ALL = ""


class MomentField(forms.DateTimeField):
    """A date and time in minutes, read as the beginning or the end of the minute.

    An initial value that nobody edits is kept to the microsecond.
    """

    widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")

    def __init__(self, *, is_end: bool = False, **more: Any) -> None:
        super().__init__(**more)
        self.is_end = is_end
        self.kept: datetime | None = None

    def get_bound_field(self, form: forms.BaseForm, field_name: str) -> forms.BoundField:
        self.kept = form.initial.get(field_name)
        return super().get_bound_field(form, field_name)

    def to_python(self, value: Any) -> datetime | None:
        if self.kept and value == self.widget.format_value(self.prepare_value(self.kept)):
            return self.kept
        found = self._typed(value)
        if found is None:
            return None
        return end_of_minute(found) if self.is_end else start_of_minute(found)

    def _typed(self, value: Any) -> datetime | None:
        try:
            found = super().to_python(value)
        except forms.ValidationError:
            if not str(value)[:10].replace("-", "").isdecimal():
                raise
            words = _(
                "In %(zone)s the clocks change that night, so this time doesn’t exist or"
                " happens twice. Choose another hour."
            )
            raise forms.ValidationError(words % {"zone": get_current_timezone_name()}) from None
        if found and not EARLIEST <= found.date() <= LATEST:
            raise forms.ValidationError(_("Check the year: it must be between 2000 and 2100."))
        return found


class RulesForm(forms.Form):
    """The rules under which a class takes a quiz."""

    opens_at = MomentField(
        label=gettext_lazy("Opens"),
        required=False,
        help_text=gettext_lazy("Leave empty to open immediately."),
    )
    due_at = MomentField(
        is_end=True,
        label=gettext_lazy("Due"),
        required=False,
        help_text=gettext_lazy(
            "Work submitted after this and before the quiz closes is still marked, but shown as"
            " late."
        ),
    )
    closes_at = MomentField(
        is_end=True,
        label=gettext_lazy("Closes"),
        required=False,
        help_text=gettext_lazy(
            "Any attempt still in progress ends then, or later with extra time. Leave empty for"
            " no closing date."
        ),
    )
    minutes = forms.IntegerField(
        label=gettext_lazy("Minutes"), min_value=1, max_value=MAX_MINUTES, initial=23
    )
    attempts_allowed = forms.IntegerField(
        label=gettext_lazy("Attempts"), required=False, min_value=1, max_value=MAX_ATTEMPTS
    )
    counts = forms.ChoiceField(label=gettext_lazy("Which attempt counts"), choices=Sitting.Counts)
    release = forms.ChoiceField(
        label=gettext_lazy("Marks and solutions are shown"), choices=Sitting.Release
    )
    practice = forms.BooleanField(
        label=gettext_lazy("Allow practice"),
        required=False,
        help_text=gettext_lazy(
            "Practice uses different numbers and leaves out reserved questions."
        ),
    )
    open_to_all = forms.BooleanField(
        label=gettext_lazy("Also open to students outside classes"),
        required=False,
        help_text=gettext_lazy("This applies to everyone on the site, not only this class."),
    )

    def __init__(self, *args: Any, may_open: bool, **more: Any) -> None:
        super().__init__(*args, **more)
        self.fields["attempts_allowed"].help_text = _("Leave empty for no limit.")
        if not may_open:
            del self.fields["open_to_all"]

    @property
    def rules(self) -> Rules:
        """The rules; raises Refused if they contradict each other."""
        return Rules(**{name: self.cleaned_data[name] for name in ("due_at", *RULES)})

    @property
    def is_open_to_all(self) -> bool | None:
        """Whether independent learners may take it; None if this instructor cannot decide."""
        return self.cleaned_data.get("open_to_all")


class AssignForm(RulesForm):
    """The quiz to assign, and its rules."""

    quiz = forms.ModelChoiceField(
        label=gettext_lazy("Quiz"), queryset=Quiz.objects.none(), empty_label=None
    )
    field_order = ("quiz",)

    def __init__(self, *args: Any, quizzes: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.fields["quiz"].queryset = quizzes


class ChangeRulesForm(GuardedForm, RulesForm):
    """New rules for an assignment."""

    may_shorten = forms.BooleanField(
        label=gettext_lazy("Also shorten attempts in progress"),
        required=False,
        help_text=gettext_lazy(
            "Otherwise students with an attempt in progress keep the time they were given."
            " Extra time always applies to them."
        ),
    )

    def __init__(self, data: Any, *, assignment: Assignment, **more: Any) -> None:
        sitting = assignment.sitting
        initial = {name: getattr(sitting, name) for name in RULES}
        initial |= {"due_at": assignment.due_at}
        initial |= {"open_to_all": sitting.quiz.own_sitting.open_to_all}
        super().__init__(data, initial=initial, **more)


class OverrideValuesForm(ReasonForm):
    """The values of an override."""

    opens_at = MomentField(label=gettext_lazy("Opens"), required=False)
    due_at = MomentField(is_end=True, label=gettext_lazy("Due"), required=False)
    closes_at = MomentField(is_end=True, label=gettext_lazy("Closes"), required=False)
    factor = forms.DecimalField(
        label=gettext_lazy("Time factor"),
        required=False,
        max_digits=3,
        decimal_places=2,
        min_value=1,
        max_value=5,
        help_text=gettext_lazy("For example, 1.5 gives 50% more time."),
    )
    more_minutes = forms.IntegerField(
        label=gettext_lazy("Extra minutes"),
        required=False,
        min_value=1,
        max_value=MAX_EXTRA_MINUTES,
        help_text=gettext_lazy("Added after the factor."),
    )
    untimed = forms.BooleanField(label=gettext_lazy("No time limit"), required=False)
    attempts_allowed = RulesForm.base_fields["attempts_allowed"]
    field_order = (*FIELDS, "reason")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("untimed") and (cleaned.get("factor") or cleaned.get("more_minutes")):
            self.add_error("untimed", _("Choose either no time limit or extra time, not both."))
        return cleaned

    @property
    def difference(self) -> OverrideValues:
        return OverrideValues(
            **{name: self.cleaned_data.get(name) or None for name in FIELDS[:5]},
            untimed=self.cleaned_data["untimed"],
            attempts_allowed=self.cleaned_data["attempts_allowed"],
        )


class CreateOverrideForm(OverrideValuesForm):
    """A new override for students, named by address, or for a label."""

    assignment = forms.ModelChoiceField(
        label=gettext_lazy("Quiz"),
        queryset=Assignment.objects.none(),
        required=False,
        empty_label=gettext_lazy("all quizzes in this class"),
        help_text=gettext_lazy("To set dates, choose a single quiz."),
    )
    addresses = forms.CharField(
        label=gettext_lazy("Students, by their email addresses"),
        required=False,
        max_length=MAX_PASTED_LENGTH,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        help_text=gettext_lazy("One per line, or separated by commas."),
    )
    label = forms.ModelChoiceField(
        label=gettext_lazy("Or everyone with a label"),
        queryset=Label.objects.none(),
        required=False,
        empty_label=gettext_lazy("none"),
    )
    section = forms.ChoiceField(label=gettext_lazy("Or everyone in a section"), required=False)
    field_order = ("assignment", "addresses", "label", "section", *FIELDS, "reason")

    def __init__(
        self, *args: Any, assignments: Any, labels: Any, sections: Sequence[str], **more: Any
    ) -> None:
        super().__init__(*args, **more)
        self.fields["assignment"].queryset = assignments
        self.fields["label"].queryset = labels
        if not labels:
            del self.fields["label"]
        self.fields["section"].choices = [("", _("none")), *((name, name) for name in sections)]
        if not sections:
            del self.fields["section"]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        chosen = [cleaned.get(name) for name in ("addresses", "label", "section")]
        if not self.errors and sum(map(bool, chosen)) != 1:
            words = _("Enter students, choose a label or choose a section, but only one of these.")
            self.add_error("addresses", words)
        return cleaned


class ChangeOverrideForm(GuardedForm, OverrideValuesForm):
    """New values for an override."""

    may_shorten = ChangeRulesForm.base_fields["may_shorten"]

    def __init__(self, data: Any, *, override: Override) -> None:
        names: Sequence[str] = (*FIELDS, "reason")
        super().__init__(data, initial={name: getattr(override, name) for name in names})
        if override.assignment_id is None:
            for name in DATE_FIELDS:
                del self.fields[name]


class RemoveOverrideForm(ReasonForm):
    """The reason for removing an override."""

    may_shorten = ChangeRulesForm.base_fields["may_shorten"]
    version = forms.IntegerField(widget=forms.HiddenInput)
