"""Filters of lists and the pages of long ones, which are read out of an address."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.core.paginator import Page, Paginator
from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext as _

ON_A_PAGE = 50


class FilterForm(forms.Form):
    """Which lines of a list are shown, in which order. What does not fit chooses nothing.

    Attributes:
        chooses: what `choice` makes of what was asked for.
        not_narrowing: the fields that leave nothing out.
    """

    chooses: type = dict
    not_narrowing: tuple[str, ...] = ("order",)

    def __init__(self, data: QueryDict, **choices: Iterable[tuple[str, str]]) -> None:
        """Read `data`; the fields that are named choose all or one of these."""
        super().__init__(data, label_suffix="")
        for name, found in choices.items():
            self.fields[name].choices = [("", _("all")), *found]  # type: ignore[attr-defined]

    @property
    def asked(self) -> dict[str, Any]:
        """The fields that were asked for, as far as they can be read."""
        self.is_valid()
        return self.cleaned_data

    @property
    def choice(self) -> Any:
        return self.chooses(**self.asked)

    @property
    def is_narrow(self) -> bool:
        """Whether lines are left out that somebody might look for."""
        return any(said for name, said in self.asked.items() if name not in self.not_narrowing)


def page_of(request: HttpRequest, found: Any, size: int = ON_A_PAGE) -> Page:
    """Return the page of what was found that the address names; a page that is not there is the
    first or the last.
    """
    return Paginator(found, size).get_page(request.GET.get("page"))
