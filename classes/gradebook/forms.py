"""Whose marks are wanted, in which order, and as of when."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from classes.access.forms import midnight
from classes.access.queries import Seat
from classes.gradebook.queries import BookChoice
from classes.people.forms import MembersFilter
from classes.watching.queries import State


class BookFilter(MembersFilter):
    """Whose lines are listed, in which order; `columns` are what the lines can be ordered by."""

    not_narrowing = ("order", "at")
    states = [("", gettext_lazy("all")), *State.choices]
    at = forms.DateField(
        label=gettext_lazy("Show marks as of the end of"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
    )
    order = forms.ChoiceField(label=gettext_lazy("Order"), required=False)

    def __init__(
        self, data: QueryDict, seat: Seat, columns: Sequence[tuple[str, str]] = ()
    ) -> None:
        super().__init__(data, seat)
        fewest = _("lowest points in %(column)s")
        self.fields["order"].choices = [
            ("", _("by first name")),
            ("last", _("by last name")),
            ("section", _("by section")),
            ("score", _("lowest points first")),
            ("most", _("highest points first")),
            *((key, fewest % {"column": title}) for key, title in columns),
        ]

    def choice(self, now: datetime) -> BookChoice:
        """What was asked for, as far as it can be. A day that is not over is now."""
        said = dict(self.asked)
        at = midnight(said.pop("at", None), timedelta(days=1))
        return BookChoice(**said, at=at if at and at < now else None)
