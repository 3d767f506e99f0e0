"""Authoring quizzes: their rules and their slots."""

import json

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import OuterRef, Subquery
from django.forms.fields import InvalidJSONInput
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin, TabularInline
from unfold.decorators import action, display
from unfold.widgets import UnfoldAdminTextareaWidget

from quizzes import problems, tasks
from quizzes.admin.exchanging import ExchangingForm, ExchangingFormSet
from quizzes.admin.large import CountedUpTo, number_or_more
from quizzes.admin.rehearsal import RehearsalMixin
from quizzes.admin.texts import check_texts
from quizzes.models import OWN_SITTING, SLOTS, Attempt, Quiz, Sitting, Slot
from quizzes.services import authoring, publishing

MOST_COUNTED = 10_000


class OptionsField(forms.JSONField):
    """JSON that can be stored: no number of thousands of digits, no half of a character."""

    def to_python(self, value):
        try:
            return _storable(super().to_python(value))
        except ValidationError:
            raise
        except (ValueError, RecursionError):
            raise ValidationError(self.error_messages["invalid"], code="invalid") from None

    def bound_data(self, data, initial):
        try:
            return _storable(super().bound_data(data, initial))
        except (ValueError, RecursionError):
            return InvalidJSONInput(data)  # shown as it was typed


def _storable(found):
    json.dumps(found, ensure_ascii=False).encode()
    return found


class SlotForm(ExchangingForm):
    """A slot: its family from a list, its options checked against that family."""

    exchanged = "position"
    family = forms.ChoiceField(required=False)

    class Meta:
        model = Slot
        fields = ("position", "points", "family", "options", "topic")
        field_classes = {"options": OptionsField}
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

    def give_up(self, rows):
        authoring.free_positions(slots=rows)

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
        sitting = getattr(self.instance, "sitting_as_typed", None)
        anew = not getattr(self.instance, "was_published", False)
        troubles = publishing.why_not_publish(self.instance, slots, sitting, anew=anew)
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


RULES = (
    *("open_to_all", "minutes", "attempts_allowed", "counts", "practice"),
    *("opens_at", "closes_at", "release", "released"),
)


def _rules():
    """The fields of the quiz's own sitting, as the admin shows such fields."""
    as_shown = ModelAdmin(Sitting, admin.site).formfield_for_dbfield
    return {name: as_shown(Sitting._meta.get_field(name), request=None) for name in RULES}


class QuizForm(type("Rules", (forms.ModelForm,), _rules())):
    """A quiz with the rules of its own sitting."""

    class Meta:
        model = Quiz
        fields = ("title", "slug", "lesson", "introduction", "published", "pass_mark")

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.sitting = self.instance.own_sitting if self.instance.pk else Sitting()
        self.initial = forms.model_to_dict(self.sitting, RULES) | self.initial

    def clean(self):
        check_texts(self, "introduction")
        cleaned = super().clean()
        opens, closes = cleaned.get("opens_at"), cleaned.get("closes_at")
        if opens and closes and closes <= opens:
            self.add_error("closes_at", _("It closes after it opens, or nobody can take it."))
        for name in RULES:
            if name in cleaned:
                setattr(self.sitting, name, cleaned[name])
        # The slots' forms ask whether it can be published so.
        self.instance.sitting_as_typed = self.sitting
        self.instance.was_published = bool(self.instance.pk and self.initial.get("published"))
        return cleaned


class ReleaseFilter(admin.SimpleListFilter):
    title = Sitting._meta.get_field("release").verbose_name
    parameter_name = "release"

    def lookups(self, request, model_admin):
        return Sitting.Release.choices

    def queryset(self, request, queryset):
        return queryset.filter(own_release=self.value()) if self.value() else queryset


@admin.register(Quiz)
class QuizAdmin(RehearsalMixin, ModelAdmin):
    form = QuizForm
    inlines = (SlotInline,)
    list_display = ("title", "lesson", "minutes", "shows", "published", "attempts_made")
    list_filter = ("published", "lesson", ReleaseFilter)
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
                    ("open_to_all", "opens_at", "closes_at"),
                    ("release", "released"),
                )
            },
        ),
    )
    actions = ("publish", "unpublish")

    def get_queryset(self, request):
        quizzes = super().get_queryset(request).select_related("lesson")
        attempts = Attempt.objects.filter(quiz=OuterRef("pk"))
        own = Sitting.objects.filter(quiz=OuterRef("pk"), given_in="")
        return quizzes.prefetch_related(OWN_SITTING).annotate(
            attempt_count=CountedUpTo(attempts, MOST_COUNTED),
            own_minutes=Subquery(own.values("minutes")),
            own_release=Subquery(own.values("release")),
        )

    @display(description=gettext_lazy("Minutes"), ordering="own_minutes")
    def minutes(self, quiz):
        return quiz.own_sitting.minutes

    @display(description=gettext_lazy("Marks are shown"), ordering="own_release")
    def shows(self, quiz):
        return quiz.own_sitting.get_release_display()

    @display(description=gettext_lazy("Attempts"), ordering="attempt_count")
    def attempts_made(self, quiz):
        return number_or_more(quiz.attempt_count, MOST_COUNTED)

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
                self._warn(request, quiz)
        tasks.stocking_bell.ring_after_commit()

    @action(description=gettext_lazy("Withdraw (open attempts go on)"))
    def unpublish(self, request, queryset):
        for quiz in queryset:
            authoring.withdraw_quiz(quiz=quiz)

    def save_model(self, request, quiz, form, change):
        authoring.save_quiz(quiz=quiz, sitting=form.sitting)

    def save_related(self, request, form, formsets, change):
        super().save_related(request, form, formsets, change)
        if form.instance.published:
            self._warn(request, form.instance)
            # Students who come first should find variants ready.
            tasks.stocking_bell.ring_after_commit()

    def _warn(self, request, quiz):
        for warning in publishing.warnings(quiz):
            self.message_user(request, warning, messages.WARNING)
