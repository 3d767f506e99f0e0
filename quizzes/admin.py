"""Authoring quizzes and looking into attempts.

Quizzes, slots, questions and choices are edited here. Attempts, submissions and grades are for
reading: services alone write them.
"""

from functools import partial

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Count
from django.forms.models import BaseInlineFormSet
from unfold.admin import ModelAdmin, StackedInline, TabularInline
from unfold.decorators import action, display

from lessons.errors import AuthorError
from lessons.rendering import check_markdown
from quizzes import problems, tasks
from quizzes.models import (
    SLOTS,
    Answer,
    Attempt,
    Choice,
    ConceptQuestion,
    Grade,
    Item,
    Quiz,
    Slot,
    Submission,
)
from quizzes.services import authoring

STATE_COLOURS = {
    "open": "info",
    "waiting": "warning",
    "submitted": "success",
    "graded": "success",
    "attention": "danger",
}


def check_texts(form: forms.ModelForm, *names: str) -> None:
    """Tell the author of bad LaTeX or Markdown at its field, with the line."""
    for name in names:
        try:
            check_markdown(form.cleaned_data.get(name) or "")
        except AuthorError as wrong:
            form.add_error(name, str(wrong))


class SlotForm(forms.ModelForm):
    """A slot: its family from a list, its options checked against that family."""

    family = forms.ChoiceField(required=False)

    class Meta:
        model = Slot
        fields = ("position", "points", "family", "options", "topic")

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["family"].choices = [("", "— a topic —"), *problems.family_choices()]

    def clean(self):
        cleaned = super().clean()
        if cleaned.get("family"):
            try:
                problems.kind_of(cleaned["family"], cleaned.get("options") or {})
            except problems.UnknownKind as unknown:
                self.add_error("options", str(unknown))
        return cleaned


class SlotFormSet(BaseInlineFormSet):
    """The slots of one quiz; a quiz that is to be published must have its fifteen."""

    def clean(self):
        super().clean()
        if any(self.errors) or not self.data.get("published"):
            return
        slots = [
            form.instance
            for form in self.forms
            if form.has_changed() or form.instance.pk
            if not form.cleaned_data.get("DELETE")
        ]
        troubles = authoring.why_not_publish(self.instance, slots)
        if troubles:
            raise ValidationError(["It cannot be published yet.", *troubles])


class SlotInline(TabularInline):
    model = Slot
    form = SlotForm
    formset = SlotFormSet
    min_num = 0
    max_num = SLOTS
    ordering = ("position",)

    def get_extra(self, request, obj=None, **kwargs):
        return 0 if obj and obj.slots.exists() else SLOTS


class QuizForm(forms.ModelForm):
    class Meta:
        model = Quiz
        fields = (
            *("title", "slug", "lesson", "introduction", "published", "minutes", "pass_mark"),
            *("attempts_allowed", "closes_at", "release", "released"),
        )

    def clean(self):
        check_texts(self, "introduction")
        return super().clean()


@admin.register(Quiz)
class QuizAdmin(ModelAdmin):
    form = QuizForm
    inlines = (SlotInline,)
    list_display = ("title", "lesson", "minutes", "shows", "published", "attempts_made")
    list_filter = ("published", "lesson", "release")
    search_fields = ("title", "slug", "lesson__title")
    prepopulated_fields = {"slug": ("title",)}
    fieldsets = (
        (None, {"fields": ("title", "slug", "lesson", "introduction", "published")}),
        (
            "Rules",
            {
                "fields": (
                    ("minutes", "pass_mark", "attempts_allowed"),
                    ("closes_at", "release", "released"),
                )
            },
        ),
    )
    actions = ("publish", "unpublish")

    def get_queryset(self, request):
        quizzes = super().get_queryset(request).select_related("lesson")
        return quizzes.annotate(attempt_count=Count("attempts"))

    @display(description="Marks are shown", ordering="release")
    def shows(self, quiz):
        return quiz.get_release_display()

    @display(description="Attempts", ordering="attempt_count")
    def attempts_made(self, quiz):
        return quiz.attempt_count

    @action(description="Publish")
    def publish(self, request, queryset):
        for quiz in queryset:
            troubles = authoring.publish_quiz(quiz=quiz)
            if troubles:
                self.message_user(request, f"{quiz}: {' '.join(troubles)}", messages.ERROR)
            else:
                self.message_user(request, f"{quiz} is published.", messages.SUCCESS)
        transaction.on_commit(tasks.stock_variants.delay, robust=True)

    @action(description="Withdraw (open attempts go on)")
    def unpublish(self, request, queryset):
        for quiz in queryset:
            authoring.withdraw_quiz(quiz=quiz)

    def save_related(self, request, form, formsets, change):
        super().save_related(request, form, formsets, change)
        if form.instance.published:
            # Students who come first should find variants ready.
            transaction.on_commit(tasks.stock_variants.delay, robust=True)


class ChoiceForm(forms.ModelForm):
    class Meta:
        model = Choice
        fields = ("order", "key", "text", "correct", "feedback")
        widgets = {
            "text": forms.Textarea(attrs={"rows": 2}),
            "feedback": forms.Textarea(attrs={"rows": 2}),
        }

    def clean(self):
        check_texts(self, "text", "feedback")
        return super().clean()


class ChoiceFormSet(BaseInlineFormSet):
    def clean(self):
        super().clean()
        if any(self.errors):
            return
        kept = [
            form.instance
            for form in self.forms
            if (form.has_changed() or form.instance.pk) and not form.cleaned_data.get("DELETE")
        ]
        troubles = authoring.why_not_ask(kept)
        if troubles:
            raise ValidationError(troubles)


class ChoiceInline(StackedInline):
    model = Choice
    form = ChoiceForm
    formset = ChoiceFormSet
    ordering = ("order",)

    def get_extra(self, request, obj=None, **kwargs):
        return 0 if obj else authoring.FEWEST_CHOICES


class QuestionForm(forms.ModelForm):
    class Meta:
        model = ConceptQuestion
        fields = ("key", "topic", "section", "prompt", "explanation", "published")

    def clean(self):
        check_texts(self, "prompt", "explanation")
        return super().clean()


@admin.register(ConceptQuestion)
class ConceptQuestionAdmin(ModelAdmin):
    form = QuestionForm
    inlines = (ChoiceInline,)
    list_display = ("key", "topic", "section", "published", "times_asked")
    list_filter = ("published", "topic", "section__lesson")
    search_fields = ("key", "topic", "prompt")
    list_select_related = ("section",)

    def get_queryset(self, request):
        return super().get_queryset(request).annotate(asked=Count("items"))

    @display(description="Asked", ordering="asked")
    def times_asked(self, question):
        return question.asked


class ReadOnly:
    """For rows that services alone write."""

    def has_add_permission(self, request, obj=None):
        return False

    def has_change_permission(self, request, obj=None):
        return False

    def has_delete_permission(self, request, obj=None):
        return False


class ItemInline(ReadOnly, TabularInline):
    model = Item
    fields = ("position", "asks", "points", "draft", "revision", "saved_at")
    readonly_fields = fields
    extra = 0

    def get_queryset(self, request):
        return super().get_queryset(request).select_related("variant", "question")

    @display(description="Asks")
    def asks(self, item):
        return item.shown.get("title") or item.shown.get("key")


@admin.register(Attempt)
class AttemptAdmin(ReadOnly, ModelAdmin):
    inlines = (ItemInline,)
    list_display = ("pk", "student", "quiz", "number", "shown_state", "shown_score", "started_at")
    list_filter = ("state", "mode", "quiz")
    search_fields = ("student__email", "student__name", "quiz__title")
    date_hierarchy = "started_at"
    list_select_related = ("student", "quiz")

    @display(description="State", label=STATE_COLOURS, ordering="state")
    def shown_state(self, attempt):
        return attempt.state

    @display(description="Score", ordering="score")
    def shown_score(self, attempt):
        if attempt.score is None:
            return "—"
        return f"{attempt.score:.2f} of {attempt.out_of:g}"


class AnswerInline(ReadOnly, TabularInline):
    model = Answer
    fields = ("item", "raw", "marked")
    readonly_fields = fields
    extra = 0

    def get_queryset(self, request):
        answers = super().get_queryset(request).select_related("item")
        return answers.prefetch_related("grades").order_by("item__position")

    @display(description="Marks")
    def marked(self, answer):
        grades = sorted(answer.grades.all(), key=lambda grade: grade.revision)
        return "; ".join(map(partial(_told, len(grades) > 1), grades)) or "waiting"


def _told(history: bool, grade: Grade) -> str:
    verdict = f"{grade.verdict} ({grade.mistake})" if grade.mistake else grade.verdict
    told = f"{grade.points:.2f} of {grade.out_of:g}: {verdict}"
    return f"{grade.revision}. {told}" if history else told


@admin.register(Submission)
class SubmissionAdmin(ReadOnly, ModelAdmin):
    inlines = (AnswerInline,)
    list_display = ("pk", "student", "quiz", "shown_state", "tries", "received_at", "graded_at")
    list_filter = ("state", "attempt__quiz")
    search_fields = ("attempt__student__email", "attempt__student__name", "attempt__quiz__title")
    date_hierarchy = "received_at"
    list_select_related = ("attempt__student", "attempt__quiz")

    @display(description="Student")
    def student(self, submission):
        return submission.attempt.student

    @display(description="Quiz")
    def quiz(self, submission):
        return submission.attempt.quiz

    @display(description="State", label=STATE_COLOURS, ordering="state")
    def shown_state(self, submission):
        return submission.state
