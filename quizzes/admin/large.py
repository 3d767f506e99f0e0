"""Lists of attempts, and counts of the rows that belong to a row."""

from django.db.models import IntegerField, Q, QuerySet, Subquery
from django.utils.translation import gettext as _

from foundation.folded_names import fold, folded_words
from foundation.large_lists import LargeAdmin, keys_of_people_named
from quizzes.models import Quiz


class LargeAttemptList(LargeAdmin):
    """A list of attempts, or of what belongs to them, searched by student and quiz."""

    attempt = ""  # the lookup prefix of the attempt

    def get_search_results(self, request, queryset, search_term):
        """Search for each word in the student's name or address, or in the quiz's title."""
        titles = [(pk, fold(title)) for pk, title in Quiz.objects.values_list("pk", "title")]
        of_people = []
        for word in folded_words(search_term):
            quizzes = [pk for pk, title in titles if word in title]
            if quizzes:
                of_quiz = Q(**{f"{self.attempt}quiz__in": quizzes})
                queryset = queryset.filter(of_quiz | self._of_people(word))
            else:
                of_people.append(word)
        if of_people:
            queryset = queryset.filter(self._of_people(" ".join(of_people)))
        return queryset, False

    def _of_people(self, text):
        return Q(**{f"{self.attempt}student__in": keys_of_people_named(text)})


class CountedUpTo(Subquery):
    """The number of rows of another table that belong to each row, counted up to `most`."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) counted)"
    output_field = IntegerField()

    def __init__(self, rows: QuerySet, most: int):
        super().__init__(rows.order_by().values("pk")[:most])


def format_capped_count(count: int, most: int) -> str:
    """Describe a number that was counted up to `most`."""
    return str(count) if count < most else _("%(count)s or more") % {"count": most}
