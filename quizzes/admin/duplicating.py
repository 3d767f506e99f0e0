"""A copy of a quiz, to change it."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.decorators import action

from quizzes.authoring.services.duplicating import duplicate_quiz


class DuplicatingMixin:
    """The way there from a quiz's page, for its ModelAdmin."""

    @action(description=gettext_lazy("Duplicate"), icon="content_copy", permissions=["duplicate"])
    def duplicate(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask, as every page does that is reached by a link; then copy."""
        quiz = self.get_object(request, object_id)
        if quiz is None:
            raise Http404
        if request.method == "POST":
            copy = duplicate_quiz(quiz=quiz, by=request.user)
            messages.success(request, _("This is the copy, a draft. Give it a name of its own."))
            return redirect("admin:quizzes_quiz_change", copy.pk)
        context = self.admin_site.each_context(request) | {
            "title": _("Duplicate %s?") % quiz,
            "opts": self.opts,
            "original": quiz,
            "quiz": quiz,
        }
        return TemplateResponse(request, "quizzes/admin/duplicate.html", context)

    # Named here: unfold asks the database about a permission by its full name, at every start.
    def has_duplicate_permission(self, request: HttpRequest, object_id: str | None = None) -> bool:
        return self.has_add_permission(request)
