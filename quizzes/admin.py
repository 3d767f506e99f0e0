"""Authoring quizzes and looking into attempts.

Quizzes, slots, questions and choices are edited here. Attempts, submissions and grades are for
reading: services alone write them.
"""

from functools import partial
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Count, F, OuterRef, Subquery
from django.db.models.functions import Substr
from django.forms.models import BaseInlineFormSet
from django.http import Http404
from django.shortcuts import redirect, resolve_url
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from unfold.admin import ModelAdmin, StackedInline, TabularInline
from unfold.decorators import action, display
from unfold.widgets import UnfoldAdminTextareaWidget

from lessons.errors import AuthorError
from lessons.rendering import check_markdown
from look.matrix import number_text
from look.verdicts import WORDS
from quizzes import problems, tasks
from quizzes.models import (
    SLOTS,
    Answer,
    Attempt,
    Choice,
    ConceptQuestion,
    ExtraTime,
    Grade,
    Item,
    Quiz,
    Slot,
    Submission,
    Topic,
)
from quizzes.presenters.practised import title_of
from quizzes.services import authoring, timing
from quizzes.services.practising import TOPIC

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


class ExchangingForm(forms.ModelForm):
    """One of several rows, of which the formset alone can tell whether they clash."""

    exchanged: str  # the field of which two rows may not have the same

    def validate_constraints(self):
        exclude = {*self._get_validation_exclusions(), self.exchanged}
        try:
            self.instance.validate_constraints(exclude=exclude)
        except ValidationError as wrong:
            self._update_errors(wrong)


class ExchangingFormSet(BaseInlineFormSet):
    """Rows that may exchange their values: each gives up its own before any takes another's."""

    given_up: Any  # what the field is for a moment

    def save_existing_objects(self, commit=True):
        name = self.form.exchanged
        rows = [
            form.instance.pk
            for form in self.initial_forms
            if name in form.changed_data or form in self.deleted_forms
        ]
        changing = self.model._default_manager.filter(pk__in=rows)
        authoring.give_up(rows=changing, **{name: self.given_up})
        return super().save_existing_objects(commit)


class SlotForm(ExchangingForm):
    """A slot: its family from a list, its options checked against that family."""

    exchanged = "position"
    family = forms.ChoiceField(required=False)

    class Meta:
        model = Slot
        fields = ("position", "points", "family", "options", "topic")
        widgets = {"options": UnfoldAdminTextareaWidget(attrs={"rows": 1})}

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["family"].choices = [("", _("— a topic —")), *problems.family_choices()]

    def clean_options(self):
        """Emptied, they are those that the family has by itself."""
        return self.cleaned_data["options"] or {}

    def clean(self):
        cleaned = super().clean()
        if cleaned.get("family"):
            try:
                problems.kind_of(cleaned["family"], cleaned.get("options") or {})
            except problems.UnknownKind as unknown:
                self.add_error("options", str(unknown))
        return cleaned


class SlotFormSet(ExchangingFormSet):
    """The slots of one quiz; a quiz that is to be published must have its fifteen."""

    given_up = F("position") + 1000

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
            raise ValidationError([_("It cannot be published yet."), *troubles])


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
            *("attempts_allowed", "counts", "practice", "closes_at", "release", "released"),
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
            gettext_lazy("Rules"),
            {
                "fields": (
                    ("minutes", "pass_mark"),
                    ("attempts_allowed", "counts", "practice"),
                    ("closes_at", "release", "released"),
                )
            },
        ),
    )
    actions = ("publish", "unpublish")

    def get_queryset(self, request):
        quizzes = super().get_queryset(request).select_related("lesson")
        return quizzes.annotate(attempt_count=Count("attempts"))

    @display(description=gettext_lazy("Marks are shown"), ordering="release")
    def shows(self, quiz):
        return quiz.get_release_display()

    @display(description=gettext_lazy("Attempts"), ordering="attempt_count")
    def attempts_made(self, quiz):
        return quiz.attempt_count

    @action(description=gettext_lazy("Publish"))
    def publish(self, request, queryset):
        for quiz in queryset:
            troubles = authoring.publish_quiz(quiz=quiz)
            if troubles:
                self.message_user(request, f"{quiz}: {' '.join(troubles)}", messages.ERROR)
            else:
                self.message_user(
                    request, _("%(quiz)s is published.") % {"quiz": quiz}, messages.SUCCESS
                )
        transaction.on_commit(tasks.stock_variants.delay, robust=True)

    @action(description=gettext_lazy("Withdraw (open attempts go on)"))
    def unpublish(self, request, queryset):
        for quiz in queryset:
            authoring.withdraw_quiz(quiz=quiz)

    def save_related(self, request, form, formsets, change):
        super().save_related(request, form, formsets, change)
        if form.instance.published:
            # Students who come first should find variants ready.
            transaction.on_commit(tasks.stock_variants.delay, robust=True)


@admin.register(Topic)
class TopicAdmin(ModelAdmin):
    """What topics are called, where students practise them and see how they do."""

    list_display = ("title", "key")
    search_fields = ("title", "key")


class ChoiceForm(ExchangingForm):
    exchanged = "correct"

    class Meta:
        model = Choice
        fields = ("order", "key", "text", "correct", "feedback")
        widgets = {
            "text": UnfoldAdminTextareaWidget(attrs={"rows": 2}),
            "feedback": UnfoldAdminTextareaWidget(attrs={"rows": 2}),
        }

    def clean(self):
        check_texts(self, "text", "feedback")
        return super().clean()


class ChoiceFormSet(ExchangingFormSet):
    given_up = False

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

    @display(description=gettext_lazy("Asked"), ordering="asked")
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


def with_topic_title(rows, skill: str):
    """Rows with what their topic is called, if `skill`, their field, names one."""
    key = Substr(OuterRef(skill), len(f"{TOPIC}:") + 1)
    return rows.annotate(topic_title=Subquery(Topic.objects.filter(key=key).values("title")))


def what_is_taken(attempt: Attempt, topic_title: str | None):
    """The quiz, or what is practised."""
    if not attempt.is_practice:
        return attempt.quiz
    titles = {attempt.skill.removeprefix(f"{TOPIC}:"): topic_title or ""}
    return _("Practice: %(title)s") % {"title": title_of(attempt, titles)}


class ItemInline(ReadOnly, TabularInline):
    model = Item
    fields = ("position", "asks", "points", "draft", "revision", "saved_at")
    readonly_fields = fields
    extra = 0

    def get_queryset(self, request):
        return super().get_queryset(request).select_related("variant", "question")

    @display(description=gettext_lazy("Asks"))
    def asks(self, item):
        return item.shown.get("title") or item.shown.get("key")


@admin.register(Attempt)
class AttemptAdmin(ReadOnly, ModelAdmin):
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
    list_filter = ("state", "mode", "quiz")
    search_fields = ("student__email", "student__name", "quiz__title")
    date_hierarchy = "started_at"
    list_select_related = ("student", "quiz")
    fields = (
        *("student", "taken", "mode", "number", "started_at", "deadline", "extra_time"),
        *("state", "submitted_at", "closed_by_clock", "shown_score"),
    )
    readonly_fields = fields
    actions_detail = ("give_more_time",)
    view_on_site = False  # its pages are the student's alone

    def get_queryset(self, request):
        return with_topic_title(super().get_queryset(request), "skill")

    @display(description=gettext_lazy("Quiz"), ordering="quiz__title")
    def taken(self, attempt):
        return what_is_taken(attempt, attempt.topic_title)

    def get_actions_detail(self, request, object_id):
        attempt = self.get_object(request, object_id)
        is_timed = attempt and attempt.is_open and not attempt.is_practice
        return super().get_actions_detail(request, object_id) if is_timed else []

    @action(description=gettext_lazy("Give more time"))
    def give_more_time(self, request, object_id):
        attempt = self.get_object(request, object_id)  # whatever stands in the address
        if attempt is None:
            raise Http404
        to_fill_in = urlencode({"student": attempt.student_id, "attempt": attempt.pk})
        return redirect(f"{resolve_url('admin:quizzes_extratime_add')}?{to_fill_in}")

    @display(description=gettext_lazy("State"), label=STATE_COLOURS, ordering="state")
    def shown_state(self, attempt):
        return attempt.state, attempt.get_state_display()

    @display(description=gettext_lazy("Score"), ordering="score")
    def shown_score(self, attempt):
        if attempt.score is None:
            return "—"
        return _points(attempt.score, attempt.out_of)


class ExtraTimeForm(forms.ModelForm):
    class Meta:
        model = ExtraTime
        fields = ("student", "attempt", "factor", "minutes")

    def clean(self):
        cleaned = super().clean()
        attempt, student = cleaned.get("attempt"), cleaned.get("student")
        if attempt and student and attempt.student != student:
            words = _("This attempt is that of %(student)s.")
            self.add_error("attempt", words % {"student": attempt.student})
        elif attempt and attempt.is_practice:
            self.add_error("attempt", _("Practice has no clock."))
        if cleaned.get("factor") == 1 and not cleaned.get("minutes"):
            self.add_error("minutes", _("Give a factor above 1, or some minutes."))
        return cleaned


@admin.register(ExtraTime)
class ExtraTimeAdmin(ModelAdmin):
    """More time for a student, which counts at once, also where an attempt runs."""

    form = ExtraTimeForm
    list_display = ("student", "factor", "minutes", "counts_for")
    search_fields = ("student__email", "student__name")
    autocomplete_fields = ("student", "attempt")
    list_select_related = ("student", "attempt__quiz")

    @display(description=gettext_lazy("Counts for"), empty_value=gettext_lazy("every quiz"))
    def counts_for(self, granted):
        words = _("%(quiz)s, attempt %(number)s")
        attempt = granted.attempt
        return attempt and words % {"quiz": attempt.quiz, "number": attempt.number}

    def save_model(self, request, granted, form, change):
        changed = timing.grant_extra_time(granted=granted)
        if changed:
            words = ngettext(
                "It counts at once, in %(count)s running attempt.",
                "It counts at once, in %(count)s running attempts.",
                changed,
            )
            self.message_user(request, words % {"count": changed}, messages.SUCCESS)

    def delete_model(self, request, granted):
        timing.withdraw_extra_time(granted=granted)

    def delete_queryset(self, request, queryset):
        for granted in queryset:
            timing.withdraw_extra_time(granted=granted)


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
        return "; ".join(map(partial(_told, len(grades) > 1), grades)) or _("waiting")


def _told(history: bool, grade: Grade) -> str:
    word = WORDS[grade.verdict]
    verdict = f"{word} ({grade.mistake})" if grade.mistake else word
    told = f"{_points(grade.points, grade.out_of)}: {verdict}"
    return f"{grade.revision}. {told}" if history else told


def _points(earned: float, out_of: float) -> str:
    words = _("%(points)s of %(out_of)s")
    return words % {"points": number_text(earned, 2), "out_of": number_text(out_of)}


@admin.register(Submission)
class SubmissionAdmin(ReadOnly, ModelAdmin):
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
    list_filter = ("state", "attempt__quiz")
    search_fields = ("attempt__student__email", "attempt__student__name", "attempt__quiz__title")
    date_hierarchy = "received_at"
    list_select_related = ("attempt__student", "attempt__quiz")

    @display(description=gettext_lazy("Student"))
    def student(self, submission):
        return submission.attempt.student

    def get_queryset(self, request):
        return with_topic_title(super().get_queryset(request), "attempt__skill")

    @display(description=gettext_lazy("Quiz"))
    def taken(self, submission):
        return what_is_taken(submission.attempt, submission.topic_title)

    @display(description=gettext_lazy("State"), label=STATE_COLOURS, ordering="state")
    def shown_state(self, submission):
        return submission.state, submission.get_state_display()
