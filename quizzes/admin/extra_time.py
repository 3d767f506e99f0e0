"""More time for a student."""

from django import forms
from django.contrib import admin, messages
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from unfold.admin import ModelAdmin
from unfold.decorators import display

from quizzes.models import ExtraTime
from quizzes.services import timing


class ExtraTimeForm(forms.ModelForm):
    class Meta:
        model = ExtraTime
        fields = ("student", "attempt", "factor", "minutes")
        help_texts = {
            "minutes": gettext_lazy(
                "Added after the factor. An attempt that runs never gets less by a change: to take "
                "time back from it, delete what was given."
            )
        }

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
