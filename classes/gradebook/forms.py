"""Filter form of the gradebook."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from classes.access.forms import midnight
from classes.access.queries import CourseAccess
from classes.gradebook.queries import BookChoice
from classes.people.forms import MembersFilter
from classes.watching.queries import State


class BookFilter(MembersFilter):
    """Filter and order of the gradebook's lines, which can also be ordered by `columns`."""

    not_narrowing = ("order", "at")
    states = [("", gettext_lazy("all")), *State.choices]
    at = forms.DateField(
        label=gettext_lazy("As of the end of"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
    )
    order = forms.ChoiceField(label=gettext_lazy("Order"), required=False)

    def __init__(
        self, data: QueryDict, access: CourseAccess, columns: Sequence[tuple[str, str]] = ()
    ) -> None:
        super().__init__(data, access)
        fewest = _("fewest points in %(column)s")
        self.fields["order"].choices = [
            ("", _("by first name")),
            ("last", _("by last name")),
            ("section", _("by section")),
            ("score", _("fewest points first")),
            ("most", _("most points first")),
            *((key, fewest % {"column": title}) for key, title in columns),
        ]

    def choice(self, now: datetime) -> BookChoice:
        """Return the valid choices. Marks as of a day that is not over are the current ones."""
        asked = dict(self.asked)
        at = midnight(asked.pop("at", None), timedelta(days=1))
        return BookChoice(**asked, at=at if at and at < now else None)
