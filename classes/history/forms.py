"""Filter form of a class's history."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy

from classes.access.forms import midnight
from foundation.filters import FilterForm


class HistoryFilter(FilterForm):
    """Filter of a class's events."""

    verb = forms.ChoiceField(label=gettext_lazy("What"), required=False)
    actor = forms.ChoiceField(label=gettext_lazy("By"), required=False)
    since = forms.DateField(
        label=gettext_lazy("From"), required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    until = forms.DateField(
        label=gettext_lazy("To"), required=False, widget=forms.DateInput(attrs={"type": "date"})
    )

    def __init__(self, data: QueryDict, actors: Iterable[Any], deeds: dict[str, str]) -> None:
        self.people = {str(user.pk): user for user in actors}
        named = ((key, str(user)) for key, user in self.people.items())
        super().__init__(data, verb=deeds.items(), actor=named)

    @property
    def wanted(self) -> dict[str, Any]:
        """The valid choices as arguments of `audit.queries.events`."""
        asked = self.asked
        return {
            "verb": asked.get("verb") or None,
            "actor": self.people.get(asked.get("actor", "")),
            "since": midnight(asked.get("since")),
            "until": midnight(asked.get("until"), timedelta(days=1)),
        }
