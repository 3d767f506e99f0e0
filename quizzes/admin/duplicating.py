"""A copy of a quiz, to change it."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.decorators import action

from foundation.admin_pages import OwnPages
from quizzes.authoring.services.duplicating import duplicate_quiz


class DuplicatingMixin(OwnPages):
    """The way there from a quiz's page, for its ModelAdmin."""

    @action(description=gettext_lazy("Duplicate"), icon="content_copy", permissions=["duplicate"])
    def duplicate(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask, as every page does that is reached by a link; then copy."""
        quiz = self.asked_for(request, object_id)
        if request.method == "POST":
            copy = duplicate_quiz(quiz=quiz, by=request.user)
            messages.success(request, _("This is the copy, a draft. Give it a name of its own."))
            return redirect("admin:quizzes_quiz_change", copy.pk)
        title = _("Duplicate %s?") % quiz
        return self.own_page(
            request, "quizzes/admin/duplicate.html", title, original=quiz, quiz=quiz
        )

    # Named here: unfold asks the database about a permission by its full name, at every start.
    def has_duplicate_permission(self, request: HttpRequest, object_id: str | None = None) -> bool:
        return self.has_add_permission(request)
