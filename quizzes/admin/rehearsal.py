"""The dress rehearsal of a quiz: ask for one, watch it, read what came of the last one."""

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.decorators import action

from quizzes.bells import rehearsal_bell
from quizzes.models import Rehearsal
from quizzes.simulation.presenters import shown_rehearsal
from quizzes.simulation.services import as_asked, ask_for_rehearsal


class RehearsalMixin:
    """The way there from a quiz's page, for its ModelAdmin."""

    @action(description=gettext_lazy("Dress rehearsal"), icon="smart_toy", permissions=["view"])
    def rehearsal(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """GET shows the one under way and the last result; POST begins one."""
        quiz = self.get_object(request, object_id)
        if quiz is None:
            raise Http404
        may_ask = self.has_change_permission(request, quiz)
        if request.method == "POST":
            if not may_ask:
                raise PermissionDenied
            ask_for_rehearsal(quiz=quiz, by=request.user)
            rehearsal_bell.ring_after_commit()
            return redirect("admin:quizzes_quiz_rehearsal", quiz.pk)
        rehearsals = list(quiz.rehearsals.all()[:2])
        if any(each.state == Rehearsal.State.WAITING for each in rehearsals):
            rehearsal_bell.ring_again()
        context = self.admin_site.each_context(request) | {
            "title": _("Dress rehearsal of %s") % quiz,
            "opts": self.opts,
            "quiz": quiz,
            "may_ask": may_ask,
            "shown": shown_rehearsal(rehearsals, now=as_asked(quiz)),
        }
        return TemplateResponse(request, "quizzes/admin/rehearsal.html", context)
