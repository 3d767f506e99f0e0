"""Admin lists of a million rows, which are never counted, joined or sorted as a whole."""

from typing import Any

from django.contrib.auth import get_user_model
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.utils.functional import cached_property
from unfold.views import ChangeList

from foundation.folded_names import contains_words, folded_words

# Nobody reads further pages, so the database need not count further.
MAX_LISTED = 2_000
# Up to so many keys are passed one by one.
MAX_PEOPLE = 3000


class LargePaginator(Paginator):
    """A paginator that finds the keys of all its rows, and reads only one page's rows."""

    template_name = "design/admin/pages.html"

    @cached_property
    def keys(self) -> list[int]:
        # In the list's order, so that an index scan from the newest row reads no others.
        return list(self.object_list.values_list("pk", flat=True)[: MAX_LISTED + 1])

    @property
    def count(self) -> int:
        return min(len(self.keys), MAX_LISTED)

    @property
    def has_more(self) -> bool:
        """Whether there are rows behind the last page."""
        return len(self.keys) > MAX_LISTED

    def page(self, number) -> Page:
        number = self.validate_number(number)
        rows = self.object_list.filter(pk__in=self.keys_on(number))
        return self._get_page(rows, number, self)

    def keys_on(self, number: int) -> list[int]:
        """Return the keys of the rows on an existing page."""
        start = (number - 1) * self.per_page
        return self.keys[:MAX_LISTED][start : start + self.per_page]


class LargeChangeList(ChangeList):
    def get_results(self, request):
        super().get_results(request)
        # Otherwise the page would count all rows, to show how many these are of.
        self.full_result_count = self.result_count
        all_at_once = not self.multi_page or (self.show_all and self.can_show_all)
        keys = self.paginator.keys if all_at_once else self.paginator.keys_on(self.page_num)
        # Without the search, which has already selected the keys.
        rows = self.apply_select_related(self.root_queryset.filter(pk__in=keys))
        self.result_list = rows.order_by(*self.queryset.query.order_by)


class LargeAdmin:
    """Mixin: a ModelAdmin with such a list."""

    paginator = LargePaginator
    show_full_result_count = False

    def get_changelist(self, request, **kwargs):
        return LargeChangeList


def keys_of_people_named(text: str) -> QuerySet[Any] | list[Any]:
    """Return the keys of people with all words of a text in name or address, for `__in`.

    They are looked up first, because there are few of them compared with the rows of a list.
    """
    people = (
        get_user_model().objects.filter(contains_words(folded_words(text), "folded")).order_by()
    )
    keys = people.values_list("pk", flat=True)
    found = list(keys[: MAX_PEOPLE + 1])
    return keys if len(found) > MAX_PEOPLE else found
