"""The facility of questions and problems, for lists of them: how easy students found them."""

from typing import Any

from django.db.models import F, FloatField, OuterRef, QuerySet, Subquery

from quizzes.analysis.statistics import MIN_GROUP
from quizzes.delivery.queries.counting import counting_attempts
from quizzes.models import Grade, Item

# The latest so many answers are enough, and no list takes long with any number of attempts.
MAX_ANSWERS = 200


class Facility(Subquery):
    """The mean share of a question's points that people earned in the attempts that count.

    Those are the latest answers, at all sittings: to a question's current version, to a problem in
    all its versions. None for fewer than five people; it changes only with every fifth of them, so
    that comparing two readings does not reveal what one of them did.
    """

    # A student who was asked at several sittings is one person.
    template = (
        "(SELECT AVG(people.share) FROM (SELECT AVG(counted.share) AS share,"
        " ROW_NUMBER() OVER (ORDER BY MIN(counted.mark)) AS place, COUNT(*) OVER () AS total"
        " FROM (%(subquery)s) counted GROUP BY counted.person) people"
        " WHERE people.place <= people.total - people.total %%%% %(fewest)s)"
    )
    output_field = FloatField()

    def __init__(self, of: str = "question", field: str = "pk", **more: Any) -> None:
        """Take the items whose `of` is this field of the outer query."""
        super().__init__(_answers(of, field), fewest=MIN_GROUP, **more)


def _answers(of: str, field: str) -> QuerySet[Grade]:
    asked = Item.objects.graded().filter(**{of: OuterRef(OuterRef(field))})
    latest = asked.order_by("-pk").values("pk")[:MAX_ANSWERS]
    attempt = "answer__submission__attempt"
    grades = Grade.objects.counting().latest().filter(answer__item__in=latest, out_of__gt=0)
    return grades.filter(**{f"{attempt}__in": counting_attempts().values("pk")}).values(
        mark=F("pk"), share=F("points") / F("out_of"), person=F(f"{attempt}__student")
    )
