"""Admin actions that export, import and copy lessons, or show them as students see them."""

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from unfold.decorators import action
from unfold.widgets import UnfoldAdminFileFieldWidget, UnfoldBooleanSwitchWidget

from foundation.downloads import content_disposition
from foundation.refusals import add_refusals_to
from lessons.authoring.services import duplicate_lesson
from lessons.authoring.transfer import MAX_BYTES, Exported, export_all, export_one, import_file
from lessons.errors import ContentError
from lessons.models import Lesson
from sharing.admin import DuplicatingMixin


class ImportForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("File"),
        help_text=gettext_lazy("A lesson (name.md), or a zip file of lessons with their images."),
        widget=UnfoldAdminFileFieldWidget(attrs={"accept": ".md,.zip"}),
    )
    replace = forms.BooleanField(
        label=gettext_lazy("Replace existing lessons and images"),
        help_text=gettext_lazy(
            "Replaces lessons and images with the same names. Their history is kept."
        ),
        required=False,
        widget=UnfoldBooleanSwitchWidget,
    )

    def clean_file(self):
        file = self.cleaned_data["file"]
        if file.size > MAX_BYTES:
            raise forms.ValidationError(
                _("The file is larger than %s MB. Choose a smaller one.") % (MAX_BYTES >> 20)
            )
        return file


class TransferMixin(DuplicatingMixin):
    """Mixin for the lessons' ModelAdmin: actions of the list and of a lesson's page."""

    actions = ("export_selected",)
    actions_list = ("import_lessons",)
    actions_detail = ("view_as_student", "export", "duplicate")
    duplicate_template = "lessons/admin/duplicate.html"
    duplicated = gettext_lazy("This is the copy, saved as a draft. Give it a new name.")

    @action(description=gettext_lazy("View as student"), icon="visibility", permissions=["view"])
    def view_as_student(self, request: HttpRequest, object_id: str) -> HttpResponse:
        lesson = self.get_row_or_404(request, object_id)
        return redirect(f"{lesson.get_absolute_url()}?as=student")

    @action(description=gettext_lazy("Export"), icon="download", permissions=["view"])
    def export(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return _download(export_one(lesson=self.get_row_or_404(request, object_id)))

    @admin.action(description=gettext_lazy("Export as zip"), permissions=["view"])
    def export_selected(self, request: HttpRequest, queryset) -> HttpResponse:
        return _download(export_all(lessons=queryset))

    def copy_of(self, request: HttpRequest, row: Lesson) -> Lesson | None:
        try:
            return duplicate_lesson(lesson=row, user=request.user)
        except ContentError as error:
            messages.error(request, _("This lesson can’t be copied as it is. %s") % error)
            return None

    @action(description=gettext_lazy("Import"), icon="upload", permissions=["import"])
    def import_lessons(self, request: HttpRequest) -> HttpResponse:
        form = ImportForm(request.POST or None, request.FILES or None)
        if request.method == "POST" and form.is_valid():
            file = form.cleaned_data["file"]
            with add_refusals_to(form, ContentError, field="file"):
                lessons = import_file(
                    name=file.name,
                    content=file.read(),
                    replace=form.cleaned_data["replace"],
                    user=request.user,
                )
                words = ngettext(
                    "One lesson has been imported.",
                    "%(count)s lessons have been imported.",
                    len(lessons),
                )
                messages.success(request, words % {"count": len(lessons)})
                return redirect("admin:lessons_lesson_changelist")
        return self.render_own_page(
            request, "lessons/admin/import.html", _("Import lessons"), form=form
        )

    # A method: unfold would look up a permission by its full name in the database at every start.
    def has_import_permission(self, request: HttpRequest) -> bool:
        return self.has_add_permission(request) and self.has_change_permission(request)


def _download(exported: Exported) -> HttpResponse:
    answer = HttpResponse(exported.content, content_type=exported.content_type)
    answer["Content-Disposition"] = content_disposition(exported.name)
    return answer
