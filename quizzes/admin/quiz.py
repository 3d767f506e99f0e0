"""Admin: quizzes, with their rules and slots."""

from django import forms
from django.contrib import admin, messages
from django.db.models import BooleanField, OuterRef, Subquery
from django.forms.widgets import Script
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin
from unfold.decorators import action, display

from foundation.guarded_admin import GuardedAdmin
from foundation.minutes import end_of_minute, minute_or_none, start_of_minute
from quizzes.admin.large import CountedUpTo, format_capped_count
from quizzes.admin.pools import PoolsMixin
from quizzes.admin.preview import PreviewMixin
from quizzes.admin.simulation import SimulationMixin
from quizzes.admin.slots.arranging import ArrangingMixin
from quizzes.admin.slots.inline import SlotInline
from quizzes.admin.submission import AttentionMixin
from quizzes.admin.texts import check_texts
from quizzes.admin.variants import VariantsMixin
from quizzes.authoring.services import publishing
from quizzes.authoring.services.duplicating import duplicate_quiz
from quizzes.authoring.services.quizzes import publish_quiz, save_quiz, withdraw_quiz
from quizzes.models import PREFETCH_OWN_SITTING, Attempt, Quiz, Sitting
from quizzes.notifiers import stocking_notifier
from sharing.admin import DuplicatingMixin, OwnedAdmin, OwnerFilter, ReadableFilter
from sharing.services import add_owner

MAX_COUNTED = 10_000


RULES = (
    *("open_to_all", "minutes", "attempts_allowed", "counts", "practice"),
    *("opens_at", "closes_at", "release", "released"),
)


def _rules():
    """Return form fields for the quiz's own sitting, as the admin would make them."""
    as_shown = ModelAdmin(Sitting, admin.site).formfield_for_dbfield
    return {name: as_shown(Sitting._meta.get_field(name), request=None) for name in RULES}


class _RuleDisplays:
    """The rules of a quiz's own sitting, for users who may only look."""


def _shown(name):
    field = Sitting._meta.get_field(name)

    @display(description=field.verbose_name, boolean=isinstance(field, BooleanField))
    def rule(self, quiz):
        shown = getattr(quiz.own_sitting, f"get_{name}_display" if field.choices else name)
        return shown() if field.choices else shown

    return rule


for _name in RULES:
    setattr(_RuleDisplays, _name, _shown(_name))


class QuizForm(type("Rules", (forms.ModelForm,), _rules())):
    """A quiz with the rules of its own sitting."""

    class Meta:
        model = Quiz
        fields = ("title", "slug", "lesson", "introduction", "published", "pass_mark")

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        # A new quiz is for classes, which its author assigns it to, until it is opened to all.
        new = Sitting(open_to_all=False, practice=False)
        self.sitting = self.instance.own_sitting if self.instance.pk else new
        self.initial = forms.model_to_dict(self.sitting, RULES) | self.initial
        self.instance.was_published = bool(self.instance.pk and self.instance.published)

    def clean(self):
        check_texts(self, "introduction")
        cleaned = super().clean()
        for name, limit in (("opens_at", start_of_minute), ("closes_at", end_of_minute)):
            if name not in self.changed_data:
                cleaned[name] = getattr(self.sitting, name)
            elif cleaned.get(name):
                cleaned[name] = limit(cleaned[name])
        opens, closes = (
            minute_or_none(cleaned.get("opens_at")),
            minute_or_none(cleaned.get("closes_at")),
        )
        if opens and closes and closes <= opens:
            self.add_error("closes_at", _("The quiz must close after it opens."))
        for name in RULES:
            if name in cleaned:
                setattr(self.sitting, name, cleaned[name])
        # The slots' formset checks whether the quiz can be published with these rules.
        self.instance.sitting_as_typed = self.sitting
        return cleaned


class ReleaseFilter(admin.SimpleListFilter):
    title = Sitting._meta.get_field("release").verbose_name
    parameter_name = "release"

    def lookups(self, request, model_admin):
        return Sitting.Release.choices

    def queryset(self, request, queryset):
        return queryset.filter(own_release=self.value()) if self.value() else queryset


@admin.register(Quiz)
class QuizAdmin(
    ArrangingMixin,
    PreviewMixin,
    VariantsMixin,
    SimulationMixin,
    PoolsMixin,
    DuplicatingMixin,
    AttentionMixin,
    GuardedAdmin,
    OwnedAdmin,
    _RuleDisplays,
    ModelAdmin,
):
    form = QuizForm
    inlines = (SlotInline,)
    # Links beside a saved slot: a label, and a URL name that takes its key.
    slot_links = ((gettext_lazy("What it can ask"), "admin:quizzes_slot_variants"),)
    duplicate_template = "quizzes/admin/duplicate.html"
    duplicated = gettext_lazy("This is the copy, saved as a draft. Give it a new name.")
    warn_unsaved_form = True
    change_form_before_template = "quizzes/admin/default_button.html"
    change_form_outer_after_template = "quizzes/admin/choosing.html"
    list_display = ("title", "lesson", "minutes", "shows", "published", "attempts_made")
    list_filter = (OwnerFilter, "published", ("lesson", ReadableFilter), ReleaseFilter)
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
    actions_detail = ("preview", "rehearsal", "pools", "duplicate", "attention", "sharing")

    class Media:
        css = {
            "all": [
                "lessons/authoring.css",
                "quizzes/authoring/versions.css",
                "quizzes/authoring/slots.css",
            ]
        }
        js = [Script("quizzes/authoring/slots.js", type="module")]

    def get_queryset(self, request):
        quizzes = super().get_queryset(request).select_related("lesson")
        attempts = Attempt.objects.of_learners().filter(quiz=OuterRef("pk"))
        own = Sitting.objects.filter(quiz=OuterRef("pk"), given_in="")
        return quizzes.prefetch_related(PREFETCH_OWN_SITTING).annotate(
            attempt_count=CountedUpTo(attempts, MAX_COUNTED),
            own_minutes=Subquery(own.values("minutes")),
            own_release=Subquery(own.values("release")),
        )

    def copy_of(self, request, row):
        return duplicate_quiz(quiz=row, by=request.user)

    @display(description=gettext_lazy("Minutes"), ordering="own_minutes")
    def minutes(self, quiz):
        return quiz.own_sitting.minutes

    @display(description=gettext_lazy("Marks are shown"), ordering="own_release")
    def shows(self, quiz):
        return quiz.own_sitting.get_release_display()

    @display(description=gettext_lazy("Attempts"), ordering="attempt_count")
    def attempts_made(self, quiz):
        return format_capped_count(quiz.attempt_count, MAX_COUNTED)

    @action(description=gettext_lazy("Publish"), permissions=["change"])
    def publish(self, request, queryset):
        for quiz in self.editable(request, queryset):
            troubles = publish_quiz(quiz=quiz)
            if troubles:
                self.message_user(request, f"{quiz}: {' '.join(troubles)}", messages.ERROR)
            else:
                self.message_user(
                    request, _("%(quiz)s is published.") % {"quiz": quiz}, messages.SUCCESS
                )
                self._warn(request, quiz)
        stocking_notifier.wake_after_commit()

    @action(
        description=gettext_lazy("Withdraw (attempts in progress continue)"), permissions=["change"]
    )
    def unpublish(self, request, queryset):
        for quiz in self.editable(request, queryset):
            withdraw_quiz(quiz=quiz)

    def save_model(self, request, quiz, form, change):
        save_quiz(quiz=quiz, sitting=form.sitting)
        if not change:
            add_owner(row=quiz, user=request.user)  # its slots offer what its owner reads

    def save_related(self, request, form, formsets, change):
        super().save_related(request, form, formsets, change)
        self.report_replaced(request, sum(formset.replaced for formset in formsets))
        if form.instance.published:
            self._warn(request, form.instance)
            # Draw variants ahead, so that the first students need not wait for them.
            stocking_notifier.wake_after_commit()

    def _warn(self, request, quiz):
        for warning in publishing.find_warnings(quiz):
            self.message_user(request, warning, messages.WARNING)
