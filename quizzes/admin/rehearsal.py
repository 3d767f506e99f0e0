"""Admin: simulations of a quiz."""

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.decorators import action

from foundation.admin_pages import OwnPages
from quizzes.bells import rehearsal_bell
from quizzes.models import Rehearsal
from quizzes.simulation.presenters import shown_rehearsal
from quizzes.simulation.services import as_asked, ask_for_rehearsal


class RehearsalMixin(OwnPages):
    """ModelAdmin mixin: the page of a quiz's simulations."""

    @action(description=gettext_lazy("Dress rehearsal"), icon="smart_toy", permissions=["view"])
    def rehearsal(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Show the running simulation and the last result. A POST begins one."""
        quiz = self.asked_for(request, object_id)
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
        return self.own_page(
            request,
            "quizzes/admin/rehearsal.html",
            _("Dress rehearsal of %s") % quiz,
            quiz=quiz,
            may_ask=may_ask,
            shown=shown_rehearsal(rehearsals, now=as_asked(quiz)),
        )
