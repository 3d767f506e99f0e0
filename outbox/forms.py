"""Form for a person's preferences."""

from typing import Any

from django import forms
from django.contrib.auth.models import AbstractBaseUser

from outbox.models import Preference
from outbox.queries import choosable_kinds, current_preferences
from outbox.services import available_preferences


class LettersForm(forms.Form):
    """A field for each kind that leaves a choice."""

    def __init__(self, person: AbstractBaseUser, data: Any = None) -> None:
        super().__init__(data)
        self.now = current_preferences(person)
        for kind in choosable_kinds():
            offered = available_preferences(kind.key)
            self.fields[kind.key] = forms.ChoiceField(
                label=kind.title,
                choices=[each for each in Preference.How.choices if each[0] in offered],
                initial=self.now[kind.key],
            )

    def changed(self) -> dict[str, str]:
        """Return the preferences that differ from the current ones, by kind."""
        return {kind: how for kind, how in self.cleaned_data.items() if how != self.now[kind]}
