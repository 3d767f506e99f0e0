"""Lists of a million rows: nothing of them is counted to its end, joined or sorted as a whole."""

from collections.abc import Sequence

from django.contrib.auth import get_user_model
from django.core.paginator import Page, Paginator
from django.db.models import IntegerField, Q, QuerySet, Subquery
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from unfold.views import ChangeList

from quizzes.models import Quiz

# Nobody pages further, and the database need not count further.
MOST_LISTED = 2_000
# So many are looked for one by one.
MOST_PEOPLE = 3000


class LargePaginator(Paginator):
    """Finds the keys of all that can be paged through, and reads the rows of one page by theirs."""

    template_name = "quizzes/admin/pages.html"

    @cached_property
    def keys(self) -> list[int]:
        # In the list's order: what walks an index to the newest need not look at the others.
        return list(self.object_list.values_list("pk", flat=True)[: MOST_LISTED + 1])

    @property
    def count(self) -> int:
        return min(len(self.keys), MOST_LISTED)

    @property
    def has_more(self) -> bool:
        """Are there rows behind the last page?"""
        return len(self.keys) > MOST_LISTED

    def page(self, number) -> Page:
        number = self.validate_number(number)
        rows = self.object_list.filter(pk__in=self.keys_on(number))
        return self._get_page(rows, number, self)

    def keys_on(self, number: int) -> list[int]:
        """The keys of the rows of a page that there is."""
        start = (number - 1) * self.per_page
        return self.keys[:MOST_LISTED][start : start + self.per_page]


class LargeChangeList(ChangeList):
    def get_results(self, request):
        super().get_results(request)
        # The page would else say how many of all these are.
        self.full_result_count = self.result_count
        all_at_once = not self.multi_page or (self.show_all and self.can_show_all)
        keys = self.paginator.keys if all_at_once else self.paginator.keys_on(self.page_num)
        # Without the search, which was made for the keys.
        rows = self.apply_select_related(self.root_queryset.filter(pk__in=keys))
        self.result_list = rows.order_by(*self.queryset.query.order_by)


class LargeList:
    """For the list of attempts, or of what belongs to them."""

    attempt = ""  # the way to the attempt, as filters write it
    paginator = LargePaginator
    show_full_result_count = False

    def get_changelist(self, request, **kwargs):
        return LargeChangeList

    def get_search_results(self, request, queryset, search_term):
        """Each word is in the student's name or address, or in the quiz's title."""
        words = search_term.replace("\0", "").split()
        of_people = []
        for word in words:
            quizzes = list(Quiz.objects.filter(title__icontains=word).values_list("pk", flat=True))
            if quizzes:
                of_quiz = Q(**{f"{self.attempt}quiz__in": quizzes})
                queryset = queryset.filter(of_quiz | self._of_people([word]))
            else:
                of_people.append(word)
        if of_people:
            queryset = queryset.filter(self._of_people(of_people))
        return queryset, False

    def _of_people(self, words: Sequence[str]) -> Q:
        """Of students with all of these words; searched for first, for they are few beside rows."""
        people = get_user_model().objects.order_by()
        for word in words:
            people = people.filter(Q(email__icontains=word) | Q(name__icontains=word))
        keys = people.values_list("pk", flat=True)
        found = list(keys[: MOST_PEOPLE + 1])
        return Q(**{f"{self.attempt}student__in": keys if len(found) > MOST_PEOPLE else found})


class CountedUpTo(Subquery):
    """How many rows of another table belong to each row, counted no further than `most`."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) counted)"
    output_field = IntegerField()

    def __init__(self, rows: QuerySet, most: int):
        super().__init__(rows.order_by().values("pk")[:most])


def number_or_more(count: int, most: int) -> str:
    """What a list says of a number that was counted up to `most`."""
    return str(count) if count < most else _("%(count)s or more") % {"count": most}
