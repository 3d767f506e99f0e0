"""Admin: extra time for students."""

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.widgets import AutocompleteSelect
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import JsonResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from unfold.admin import ModelAdmin
from unfold.decorators import display

from foundation.admin_pages import OwnPages
from foundation.folded_names import contains_words, folded_words
from foundation.guarded_admin import GuardedAdmin
from quizzes.authoring.queries import students
from quizzes.delivery.queries.attempts import MIN_LETTERS, students_like
from quizzes.delivery.services import deadlines
from quizzes.models import Attempt, ExtraTime

STUDENTS_AT_ONCE = 20


class ExtraTimeForm(forms.ModelForm):
    class Meta:
        model = ExtraTime
        fields = ("student", "attempt", "factor", "minutes")
        help_texts = {
            "minutes": gettext_lazy(
                "Added after the factor. Changing this never shortens an attempt in progress."
                " To take time back, delete the extra time."
            )
        }

    def clean(self):
        cleaned = super().clean()
        attempt, student = cleaned.get("attempt"), cleaned.get("student")
        if attempt and student and attempt.student != student:
            words = _("This attempt belongs to %(student)s.")
            self.add_error("attempt", words % {"student": attempt.student})
        elif attempt and attempt.is_practice:
            self.add_error("attempt", _("Practice has no time limit."))
        elif attempt and attempt.is_preview:
            self.add_error(
                "attempt", _("A preview can’t get extra time. Its author can start it again.")
            )
        if cleaned.get("factor") == 1 and not cleaned.get("minutes"):
            self.add_error("minutes", _("Enter a factor above 1, or some minutes."))
        return cleaned


class StudentSelect(AutocompleteSelect):
    """A select that searches students without the permission to view accounts."""

    url_name = "%s:quizzes_extratime_students"

    def __init__(self, *args, **kwargs):
        attrs = {"data-minimum-input-length": MIN_LETTERS}
        super().__init__(*args, attrs=attrs, **kwargs)


@admin.register(ExtraTime)
class ExtraTimeAdmin(OwnPages, GuardedAdmin, ModelAdmin):
    """Extra time for a student. It applies at once, in a running attempt too."""

    form = ExtraTimeForm
    list_display = ("student", "factor", "minutes", "counts_for")
    search_fields = ("student__email",)  # shows the search box; get_search_results searches
    autocomplete_fields = ("attempt",)
    list_select_related = ("student", "attempt__quiz")

    def get_search_results(self, request, queryset, search_term):
        return queryset.filter(contains_words(folded_words(search_term), "student__folded")), False

    def get_urls(self):
        search = self.own_url("students/", self.search_students, "students")
        return [search, *super().get_urls()]

    def formfield_for_foreignkey(self, db_field, request, **kwargs):
        if db_field.name == "student":
            kwargs["widget"] = StudentSelect(db_field, self.admin_site)
            kwargs["queryset"] = students()
        elif db_field.name == "attempt":
            kwargs["queryset"] = Attempt.objects.visible_to(request.user)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def search_students(self, request):
        """Return students by name or address, as JSON, with just enough data to tell who is who."""
        if not (self.has_add_permission(request) or self.has_change_permission(request)):
            raise PermissionDenied
        found = students_like(request.GET.get("term", ""))
        page = Paginator(found, STUDENTS_AT_ONCE).get_page(request.GET.get("page"))
        results = [{"id": str(student.pk), "text": _describe_student(student)} for student in page]
        return JsonResponse({"results": results, "pagination": {"more": page.has_next()}})

    @display(description=gettext_lazy("Applies to"), empty_value=gettext_lazy("every quiz"))
    def counts_for(self, granted):
        words = _("%(quiz)s, attempt %(number)s")
        attempt = granted.attempt
        return attempt and words % {"quiz": attempt.quiz, "number": attempt.number}

    def save_model(self, request, granted, form, change):
        changed = deadlines.grant_extra_time(granted=granted)
        if changed:
            words = ngettext(
                "It applies immediately to %(count)s attempt in progress.",
                "It applies immediately to %(count)s attempts in progress.",
                changed,
            )
            self.message_user(request, words % {"count": changed}, messages.SUCCESS)

    def delete_model(self, request, granted):
        deadlines.withdraw_extra_time(granted=granted)

    def delete_queryset(self, request, queryset):
        for granted in queryset:
            deadlines.withdraw_extra_time(granted=granted)


def _describe_student(student) -> str:
    """Return the student with the address, as names are not unique."""
    return f"{student.name} ({student.email})" if student.name else student.email
