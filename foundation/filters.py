"""Filters and pages of lists, read from a URL's query."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from django import forms
from django.core.paginator import Page, Paginator
from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext as _

PAGE_SIZE = 50


class Chip(NamedTuple):
    """One value that a list is filtered by, and the query of the list without it."""

    label: str
    value: str
    without: str


class FilterForm(forms.Form):
    """A form that filters and orders a list. Values that are not valid filter nothing.

    Attributes:
        chooses: the class that `choice` builds from the values.
        not_narrowing: the fields that leave no rows out.
    """

    chooses: type = dict
    not_narrowing: tuple[str, ...] = ("order",)

    def __init__(self, data: QueryDict, **choices: Iterable[tuple[str, str]]) -> None:
        """Read `data`. Each keyword names a field and its choices, to which "all" is added."""
        super().__init__(data, label_suffix="")
        for name, found in choices.items():
            self.fields[name].choices = [("", _("all")), *found]  # type: ignore[attr-defined]

    @property
    def asked(self) -> dict[str, Any]:
        """The valid values."""
        self.is_valid()
        return self.cleaned_data

    @property
    def choice(self) -> Any:
        return self.chooses(**self.asked)

    @property
    def is_narrow(self) -> bool:
        """Whether a filter leaves rows out."""
        return any(value for name, value in self.asked.items() if name not in self.not_narrowing)

    @property
    def chips(self) -> Iterator[Chip]:
        """The values that leave rows out, in the form's order."""
        for name, value in self.asked.items():
            if not value or name in self.not_narrowing:
                continue
            named = dict(getattr(self.fields[name], "choices", ()))
            rest = self.data.copy()
            for key in (name, "page"):
                rest.pop(key, None)
            yield Chip(str(self.fields[name].label), str(named.get(value, value)), rest.urlencode())


def page_from_request(request: HttpRequest, found: Any, size: int = PAGE_SIZE) -> Page:
    """Return the page that the URL names; an invalid page is the first or the last one."""
    return Paginator(found, size).get_page(request.GET.get("page"))
