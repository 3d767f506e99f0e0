"""Forms for monitoring a quiz: a filter, and actions on attempts."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy

from classes.limits import MAX_EXTRA_MINUTES, MAX_REASON_LENGTH
from classes.people.forms import MembersFilter
from classes.people.queries.people import PeopleChoice
from classes.watching.queries import Line, State
from quizzes.models import MAX_MESSAGE_LENGTH

_END = re.compile(r"([0-9]{1,18}):([0-9]{1,11})")
_TOO_LATE = 2**33  # some two centuries from now, in seconds
FROM_THE_END, FROM_NOW = "end", "now"


class WatchFilter(MembersFilter):
    """Filter and order of the lines."""

    chooses = PeopleChoice
    states = [("", gettext_lazy("all")), *State.choices]
    order = forms.ChoiceField(
        label=gettext_lazy("Order"),
        required=False,
        choices=[
            ("", gettext_lazy("working first, longest without a save first")),
            ("first", gettext_lazy("by first name")),
            ("last", gettext_lazy("by last name")),
            ("section", gettext_lazy("by section")),
            ("left", gettext_lazy("least time left first")),
            ("answered", gettext_lazy("fewest answers first")),
            ("saved", gettext_lazy("longest without a save first")),
            ("score", gettext_lazy("fewest points first")),
        ],
    )


class ActionForm(forms.Form):
    """The reason for an action on attempts."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=MAX_REASON_LENGTH,
        help_text=gettext_lazy("Recorded in the class history and sent to the student."),
    )

    def service_arguments(self, now: datetime) -> dict[str, Any]:
        """Return the keyword arguments for the service, as of `now`."""
        return {"reason": self.cleaned_data["reason"]}


class MessageForm(forms.Form):
    """A message to all who work now, in one line."""

    text = forms.CharField(
        label=gettext_lazy("Message"),
        max_length=MAX_MESSAGE_LENGTH,
        help_text=format_lazy(gettext_lazy("Up to {most} characters."), most=MAX_MESSAGE_LENGTH),
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def clean_text(self) -> str:
        return " ".join(self.cleaned_data["text"].split())


class MinutesForm(ActionForm):
    """The reason, and how long attempts are open from now."""

    minutes = forms.IntegerField(
        label=gettext_lazy("Minutes from now"), min_value=1, max_value=MAX_EXTRA_MINUTES
    )
    time_left = forms.BooleanField(
        label=gettext_lazy("Give each attempt at least the time it had left when it was submitted"),
        required=False,
    )
    field_order = ("minutes", "time_left", "reason")

    def service_arguments(self, now: datetime) -> dict[str, Any]:
        until = _round_up_to_second(now + timedelta(minutes=self.cleaned_data["minutes"]))
        more = {"until": until, "with_time_left": self.cleaned_data["time_left"]}
        return super().service_arguments(now) | more


class ExtendForm(ActionForm):
    """The reason, the extra minutes, and when they start."""

    minutes = forms.IntegerField(
        label=gettext_lazy("Extra minutes"), min_value=1, max_value=MAX_EXTRA_MINUTES
    )
    counted = forms.ChoiceField(
        label=gettext_lazy("Counted from"),
        choices=[
            (FROM_THE_END, gettext_lazy("each attempt’s current end")),
            (FROM_NOW, gettext_lazy("now, the same for everyone")),
        ],
        help_text=gettext_lazy("This never shortens anyone’s time."),
    )
    field_order = ("minutes", "counted", "reason")

    def until(self, line: Line, now: datetime) -> datetime:
        """Return the new end of a running attempt."""
        begin = line.deadline if self.cleaned_data["counted"] == FROM_THE_END else now
        return _round_up_to_second(begin + timedelta(minutes=self.cleaned_data["minutes"]))


def _round_up_to_second(when: datetime) -> datetime:
    """Round up to the second, the precision in which ends are sent."""
    return when if when.microsecond == 0 else when.replace(microsecond=0) + timedelta(seconds=1)


def format_end(attempt: int, end: datetime) -> str:
    """Return an end as a form value, which `parse_ends` parses."""
    return f"{attempt}:{round(end.timestamp())}"


def parse_ends(sent: Any) -> dict[int, datetime]:
    """Return the ends that were shown and confirmed, by the attempt's key."""
    found = (_END.fullmatch(text) for text in sent.getlist("until")[:1000])
    return {
        int(match[1]): datetime.fromtimestamp(int(match[2]), UTC)
        for match in found
        if match and int(match[2]) < _TOO_LATE
    }
