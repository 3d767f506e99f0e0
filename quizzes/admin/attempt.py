"""Admin: attempts, read-only, with links to extra time and reviews."""

from datetime import timedelta

from django.contrib import admin
from django.shortcuts import redirect, resolve_url
from django.utils import timezone
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin, TabularInline
from unfold.decorators import action, display

from foundation.admin_pages import OwnPages, ReadOnly
from quizzes.admin.large import LargeAttemptList
from quizzes.admin.reading import (
    STATE_COLOURS,
    AttemptReadOnly,
    QuizFilter,
    points_text,
    taken_title,
    with_topic_title,
)
from quizzes.admin.variants import withdrawal_url
from quizzes.models import GRACE, Attempt, Item

# By then a sweep has closed whatever it can.
OVERDUE_MARGIN = timedelta(minutes=1)


class OverdueFilter(admin.SimpleListFilter):
    """Filters attempts that should have been closed long ago; the log says why each is open."""

    title = gettext_lazy("trouble")
    parameter_name = "trouble"

    def lookups(self, request, model_admin):
        return [("overdue", _("couldn’t be closed"))]

    def queryset(self, request, queryset):
        if self.value() != "overdue":
            return queryset
        return queryset.open().filter(deadline__lt=timezone.now() - GRACE - OVERDUE_MARGIN)


class ItemInline(ReadOnly, TabularInline):
    model = Item
    fields = ("position", "asks", "numbers", "points", "draft", "revision", "saved_at")
    readonly_fields = fields
    extra = 0

    def get_queryset(self, request):
        return super().get_queryset(request).select_related("variant", "question")

    def get_fields(self, request, obj=None):
        if request.user.has_perm("quizzes.add_struckout"):
            return self.fields
        return [name for name in self.fields if name != "numbers"]

    @display(description=gettext_lazy("Asks for"))
    def asks(self, item):
        return item.asked.get("title") or item.asked.get("key")

    @display(description=gettext_lazy("Numbers"))
    def numbers(self, item):
        """Return a link to withdraw the numbers."""
        if item.variant is None:
            return "—"
        if item.variant.struck_at:
            return _("withdrawn")
        return format_html('<a href="{}">{}</a>', withdrawal_url(item.variant), _("Withdraw"))


@admin.register(Attempt)
class AttemptAdmin(OwnPages, LargeAttemptList, AttemptReadOnly, ModelAdmin):
    inlines = (ItemInline,)
    list_display = (
        "__str__",
        "student",
        "taken",
        "number",
        "shown_state",
        "shown_score",
        "started_at",
    )
    list_filter = ("state", OverdueFilter, "mode", ("quiz", QuizFilter), "started_at")
    search_fields = ("student__email", "student__name", "quiz__title")
    sortable_by = ("student", "started_at")  # each by an index
    list_select_related = ("student", "quiz")
    fields = (
        *("student", "taken", "mode", "number", "started_at", "deadline", "extra_time"),
        *("kept_open_until", "state", "reopened", "submitted_at", "closed_by_clock", "shown_score"),
    )
    readonly_fields = fields
    actions_detail = ("give_more_time", "review")
    view_on_site = False  # its pages are the student's alone

    def get_queryset(self, request):
        return with_topic_title(super().get_queryset(request).of_learners(), "skill")

    @display(description=gettext_lazy("Quiz"), ordering="quiz__title")
    def taken(self, attempt):
        return taken_title(attempt, attempt.topic_title)

    def get_actions_detail(self, request, object_id):
        attempt = self.get_object(request, object_id)
        if attempt is None or attempt.is_practice:
            return []
        if attempt.is_open:
            may_give = request.user.has_perm("quizzes.add_extratime")
            return [self.get_unfold_action("give_more_time")] if may_give else []
        return [] if attempt.score is None else [self.get_unfold_action("review")]

    # Named here: unfold asks the database about a permission by its full name, at every start.
    def has_more_time_permission(self, request, object_id=None):
        return request.user.has_perm("quizzes.add_extratime")

    @action(description=gettext_lazy("Give more time"), permissions=["more_time"])
    def give_more_time(self, request, object_id):
        attempt = self.get_row_or_404(request, object_id)
        to_fill_in = urlencode({"student": attempt.student_id, "attempt": attempt.pk})
        return redirect(f"{resolve_url('admin:quizzes_extratime_add')}?{to_fill_in}")

    @action(description=gettext_lazy("Review as the student sees it"))
    def review(self, request, object_id):
        return redirect("quizzes:review", self.get_row_or_404(request, object_id).pk)

    @display(description=gettext_lazy("State"), label=STATE_COLOURS, ordering="state")
    def shown_state(self, attempt):
        if attempt.is_overdue(timezone.now() - OVERDUE_MARGIN):
            return "attention", _("needs attention: it couldn’t be closed")
        return attempt.state, attempt.get_state_display()

    @display(description=gettext_lazy("Score"), ordering="score")
    def shown_score(self, attempt):
        if attempt.score is None:
            return "—"
        return points_text(attempt.score, attempt.out_of)
