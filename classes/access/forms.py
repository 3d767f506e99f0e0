"""Form fields shared by the pages of a class."""

from datetime import date, datetime, time, timedelta

from django import forms
from django.http import QueryDict
from django.utils.timezone import get_current_timezone, make_aware
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from classes.limits import MAX_LABEL_LENGTH, MAX_LABELS, MAX_REASON_LENGTH
from classes.rosters import split_labels
from foundation.keys import KEY

UNCHANGED = ""
MAX_PASTED_LENGTH = 400_000
EARLIEST, LATEST = date(2000, 1, 1), date(2100, 1, 1)


def ticked_keys(sent: QueryDict, name: str = "member") -> list[int]:
    """Return the primary keys of the ticked members, ignoring anything that is no key."""
    return [int(key) for key in sent.getlist(name)[:1000] if KEY.fullmatch(key)]


class DayField(forms.DateField):
    """A date between 2000 and 2100."""

    widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")

    def validate(self, value: date | None) -> None:
        super().validate(value)
        if value and not EARLIEST <= value <= LATEST:
            raise forms.ValidationError(_("Check the year: it must be between 2000 and 2100."))


class ReasonForm(forms.Form):
    """An optional reason for an action."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        required=False,
        max_length=MAX_REASON_LENGTH,
        help_text=gettext_lazy("Recorded in the class history."),
    )


def validate_labels(text: str) -> str:
    labels = split_labels(text)
    if text.strip(" ,;|\r\n\t") and not labels:
        raise forms.ValidationError(
            _("A label needs at least one visible character. Type it again.")
        )
    if len(labels) > MAX_LABELS or any(len(label) > MAX_LABEL_LENGTH for label in labels):
        words = _("Enter at most %(count)s labels, each with at most %(most)s characters.")
        raise forms.ValidationError(words % {"count": MAX_LABELS, "most": MAX_LABEL_LENGTH})
    return text


def midnight(day: date | None, later: timedelta = timedelta()) -> datetime | None:
    """Return the first moment of `day` plus `later` here, or None if `day` is out of range."""
    if day is None or not EARLIEST <= day <= LATEST:
        return None
    return make_aware(datetime.combine(day + later, time()), get_current_timezone())
