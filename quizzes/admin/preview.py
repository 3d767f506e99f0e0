"""Admin: previews of a quiz, which its author begins, continues, and deletes."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.decorators import action

from foundation.admin_pages import OwnPages
from quizzes.authoring.queries import quiz_slots
from quizzes.delivery.services.previews import (
    PREVIEW_LIFETIME,
    delete_preview,
    find_empty_slots,
    start_preview,
)
from quizzes.errors import NotDrawn
from quizzes.items.presenters.skills import slot_title
from quizzes.items.queries import topic_titles
from quizzes.models import Attempt, Quiz


class PreviewMixin(OwnPages):
    """ModelAdmin mixin: the pages of a quiz's previews."""

    def get_urls(self):
        route = "previews/<key:preview>/delete/"
        delete = self.own_url(route, self.delete_preview, "delete_preview")
        return [delete, *super().get_urls()]

    @action(
        description=gettext_lazy("Preview as a student"), icon="visibility", permissions=["preview"]
    )
    def preview(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Show the user's own previews. A POST begins one, or continues the open one."""
        quiz = self.get_row_or_404(request, object_id, self.has_preview_permission)
        if request.method != "POST":
            return self._previews(request, quiz, find_empty_slots(quiz, quiz_slots(quiz)))
        try:
            attempt = start_preview(author=request.user, quiz=quiz, anew="anew" in request.POST)
        except NotDrawn as lacking:
            return self._previews(request, quiz, lacking.troubles, status=409)
        return redirect(attempt)

    def has_preview_permission(self, request: HttpRequest, quiz: Any = None) -> bool:
        """Return whether the user writes quizzes and may read this one."""
        return self.has_change_permission(request) and self.has_view_permission(request, quiz)

    def _previews(self, request, quiz: Quiz, troubles, status=200) -> HttpResponse:
        own = Attempt.objects.filter(student=request.user, quiz=quiz, mode=Attempt.Mode.PREVIEW)
        titles = topic_titles()
        return self.render_own_page(
            request,
            "quizzes/admin/preview.html",
            _("Preview of %s") % quiz,
            status=status,
            quiz=quiz,
            troubles=troubles,
            previews=list(own.order_by("-started_at")),
            running=own.open().first(),
            slots=[(slot, slot_title(slot, titles)) for slot in quiz_slots(quiz)],
            days=PREVIEW_LIFETIME.days,
        )

    def delete_preview(self, request: HttpRequest, preview: int) -> HttpResponse:
        """Delete a preview of the user's own after asking for confirmation."""
        own = Attempt.objects.filter(
            pk=preview, student=request.user, mode=Attempt.Mode.PREVIEW
        ).select_related("quiz")
        attempt = own.first()
        if not self.has_preview_permission(request):
            raise PermissionDenied
        if attempt is None:
            raise Http404(_("Preview not found."))
        if request.method == "POST":
            delete_preview(attempt=attempt)
            self.message_user(request, _("The preview has been deleted."))
            return redirect("admin:quizzes_quiz_preview", attempt.quiz_id)
        title = _("Delete the preview of %s?") % attempt.quiz
        return self.render_own_page(
            request, "quizzes/admin/delete_preview.html", title, attempt=attempt
        )
