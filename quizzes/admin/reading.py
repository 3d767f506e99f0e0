"""Read-only admin pages of rows that services write."""

from django.contrib.admin.filters import RelatedFieldListFilter
from django.db.models import CharField, OuterRef, Subquery, Value
from django.db.models.functions import Concat
from django.utils.translation import gettext as _

from design.matrix import format_number
from foundation.admin_pages import ReadOnly
from quizzes.items.skills import TOPIC, Skill
from quizzes.models import Attempt, Topic
from quizzes.practice.presenters.practice import practice_title

STATE_COLOURS = {
    "open": "info",
    "waiting": "warning",
    "submitted": "success",
    "graded": "success",
    "attention": "danger",
}


class AttemptReadOnly(ReadOnly):
    """Read-only attempts, and what belongs to them, if their attempts are visible to the user."""

    def get_queryset(self, request):
        return super().get_queryset(request).visible_to(request.user)


class QuizFilter(RelatedFieldListFilter):
    """Filters by quizzes of attempts visible to the user; a superuser is offered all."""

    def field_choices(self, field, request, model_admin):
        if request.user.is_superuser:
            return super().field_choices(field, request, model_admin)
        taken = Attempt.objects.of_learners().visible_to(request.user)
        ordering = self.field_admin_ordering(field, request, model_admin)
        among = {"pk__in": taken.order_by().values("quiz")}
        return field.get_choices(include_blank=False, ordering=ordering, limit_choices_to=among)


def with_topic_title(rows, skill: str):
    """Annotate rows with their topic's title; `skill` is the rows' field that names it."""
    named = Topic.objects.annotate(
        skill=Concat(Value(str(Skill(TOPIC, ""))), "key", output_field=CharField())
    )
    title = named.filter(skill=OuterRef(skill)).values("title")
    return rows.annotate(topic_title=Subquery(title))


def taken_title(attempt: Attempt, topic_title: str | None):
    """Return the quiz, or the title of the practice."""
    if not attempt.is_practice:
        return attempt.quiz
    titles = {} if attempt.quiz else {Skill.parse(attempt.skill).key: topic_title or ""}
    return _("Practice: %(title)s") % {"title": practice_title(attempt, titles)}


def points_text(earned: float, out_of: float) -> str:
    words = _("%(points)s of %(out_of)s")
    return words % {"points": format_number(earned, 2), "out_of": format_number(out_of)}
