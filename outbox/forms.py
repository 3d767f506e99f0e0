"""Form for a person's preferences."""

from typing import Any

from django import forms
from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import gettext as _

from outbox.kinds import Kind, get_kind
from outbox.models import Preference
from outbox.queries import choosable_kinds, stored_preferences
from outbox.services import available_preferences

EVERY = "every"


class LettersForm(forms.Form):
    """A choice for every kind of letter, and exceptions for those that leave one."""

    def __init__(self, person: AbstractBaseUser, data: Any = None) -> None:
        super().__init__(data)
        self.person = person.pk
        self.stored = stored_preferences([person.pk])
        self._offers: list[str] = []
        kinds = choosable_kinds(person)
        if kinds:
            self._add(EVERY, "", _("Emails"), [])
        for kind in kinds:
            if kind.starts_off:
                self._add_offer(kind)
            else:
                self._add(kind.key, kind.key, kind.title, [("", _("As above"))])

    def _add(self, name: str, kind: str, label: Any, first: list[tuple[str, str]]) -> None:
        offered = available_preferences(kind)
        self.fields[name] = forms.ChoiceField(
            label=label,
            required=False,
            choices=first + [each for each in Preference.How.choices if each[0] in offered],
            initial=self.stored.get((self.person, kind), ""),
        )

    def _add_offer(self, kind: Kind) -> None:
        self._offers.append(kind.key)
        how = self.stored.how(self.person, kind.key)
        self.fields[kind.key] = forms.ChoiceField(
            label=kind.title,
            required=False,
            choices=[
                (str(Preference.How.OFF), Preference.How.OFF.label),
                (str(Preference.How.AT_ONCE), _("Every morning")),
            ],
            initial=how,
        )

    @property
    def exceptions(self) -> list[forms.BoundField]:
        """The fields of single kinds that follow the choice for every kind."""
        return [field for field in self if field.name not in (EVERY, *self._offers)]

    @property
    def offers(self) -> list[forms.BoundField]:
        """The fields of kinds that nobody gets without asking for them."""
        return [self[name] for name in self._offers]

    @property
    def has_exceptions(self) -> bool:
        """Whether a kind has a choice of its own, or a wrong one."""
        return any(field.initial or field.errors for field in self.exceptions)

    def changed(self) -> dict[str, str]:
        """Return the preferences that differ from the current ones, by kind.

        A page from before there was a choice for every kind sends what applies to each.
        """
        is_earlier = EVERY not in self.data
        changed = {}
        for name, how in self.cleaned_data.items():
            kind = "" if name == EVERY else name
            now = self.stored.get((self.person, kind), "")
            if is_earlier or not kind or get_kind(kind).starts_off:
                now = self.stored.how(self.person, kind)
            if name in self.data and how != now:
                changed[kind] = how
        return changed
