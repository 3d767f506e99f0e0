"""Admin: submissions with answers and marks, read-only, and marking failed ones again."""

from functools import partial

from django.contrib import admin, messages
from django.contrib.admin.views.main import SEARCH_VAR
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from unfold.admin import ModelAdmin, TabularInline
from unfold.decorators import action, display

from design.verdicts import WORDS
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
from quizzes.marking import services
from quizzes.marking.vitals import stuck_outside_classes
from quizzes.models import Answer, Grade, Submission
from quizzes.notifiers import grading_notifier
from quizzes.visibility import student_pseudonym


class AnswerInline(ReadOnly, TabularInline):
    model = Answer
    fields = ("item", "raw", "marked")
    readonly_fields = fields
    extra = 0

    def get_queryset(self, request):
        answers = super().get_queryset(request).select_related("item")
        return answers.prefetch_related("grades").order_by("item__position")

    @display(description=gettext_lazy("Marks"))
    def marked(self, answer):
        grades = sorted(answer.grades.all(), key=lambda grade: grade.revision)
        return "; ".join(map(partial(_describe_grade, len(grades) > 1), grades)) or _("waiting")


class AttentionMixin(OwnPages):
    """ModelAdmin mixin: the page of a quiz's submissions that could not be marked.

    Only students outside classes, shown as numbers: teachers look after their classes' own.
    """

    @action(description=gettext_lazy("Needs attention"), icon="error", permissions=["attention"])
    def attention(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """List what could not be marked outside classes. A POST has it marked again."""
        quiz = self.get_row_or_404(request, object_id, self.has_attention_permission)
        stuck = stuck_outside_classes(quiz.pk)
        if request.method == "POST":
            _mark_again(self, request, stuck)
            return redirect("admin:quizzes_quiz_change", quiz.pk)
        title = _("What couldn’t be marked in %s") % quiz
        shown = [(student_pseudonym(each.attempt.student_id), each) for each in stuck]
        return self.render_own_page(
            request, "quizzes/admin/attention.html", title, quiz=quiz, stuck=shown
        )

    def has_attention_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return self.has_share_permission(request, obj)


def _mark_again(admin: ModelAdmin, request: HttpRequest, submissions: QuerySet) -> None:
    chosen = submissions.count()
    waiting = services.queue_again(submissions=submissions)
    grading_notifier.wake_after_commit()
    if waiting:
        words = ngettext(
            "%(count)s submission will be marked again.",
            "%(count)s submissions will be marked again.",
            waiting,
        )
        admin.message_user(request, words % {"count": waiting}, messages.SUCCESS)
    if others := chosen - waiting:
        words = ngettext(
            "%(count)s submission doesn’t need attention and stays as it is.",
            "%(count)s submissions don’t need attention and stay as they are.",
            others,
        )
        admin.message_user(request, words % {"count": others}, messages.WARNING)


def _describe_grade(history: bool, grade: Grade) -> str:
    word = WORDS[grade.verdict]
    verdict = f"{word} ({grade.mistake})" if grade.mistake else word
    words = f"{points_text(grade.points, grade.out_of)}: {verdict}"
    return f"{grade.revision}. {words}" if history else words


@admin.register(Submission)
class SubmissionAdmin(LargeAttemptList, AttemptReadOnly, ModelAdmin):
    inlines = (AnswerInline,)
    list_display = (
        "__str__",
        "student",
        "taken",
        "shown_state",
        "tries",
        "received_at",
        "graded_at",
    )
    list_filter = ("state", ("attempt__quiz", QuizFilter), "received_at")
    search_fields = ("attempt__student__email", "attempt__student__name", "attempt__quiz__title")
    sortable_by = ("received_at",)  # by an index
    attempt = "attempt__"
    list_select_related = ("attempt__student", "attempt__quiz")
    actions = ("mark_again",)

    def has_marking_permission(self, request):
        return request.user.has_perm("quizzes.change_submission")

    @action(
        description=gettext_lazy("Mark again (only those that need attention)"),
        permissions=["marking"],
    )
    def mark_again(self, request, queryset):
        _mark_again(self, request, queryset)

    @display(description=gettext_lazy("Student"))
    def student(self, submission):
        return submission.attempt.student

    def get_ordering(self, request):
        """Order by attempts when searching or filtering by quiz, as both go through attempts."""
        if {SEARCH_VAR, "attempt__quiz__id__exact"} & request.GET.keys():
            return ("-attempt__started_at", "-pk")
        return super().get_ordering(request)

    def get_queryset(self, request):
        # Previews are shown only where marking failed.
        rows = super().get_queryset(request)
        shown = rows.of_learners() | rows.filter(state=Submission.State.ATTENTION)
        return with_topic_title(shown, "attempt__skill")

    @display(description=gettext_lazy("Quiz"))
    def taken(self, submission):
        return taken_title(submission.attempt, submission.topic_title)

    @display(description=gettext_lazy("State"), label=STATE_COLOURS, ordering="state")
    def shown_state(self, submission):
        return submission.state, submission.get_state_display()
