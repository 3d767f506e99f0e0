"""Admin: simulations of a quiz."""

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.decorators import action

from foundation.admin_pages import OwnPages
from quizzes.models import Rehearsal
from quizzes.notifiers import simulation_notifier
from quizzes.simulation.presenters import simulation_context
from quizzes.simulation.services import queue_simulation, simulation_input


class SimulationMixin(OwnPages):
    """ModelAdmin mixin: the page of a quiz's simulations."""

    @action(description=gettext_lazy("Dress rehearsal"), icon="smart_toy", permissions=["view"])
    def rehearsal(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Show the running simulation and the last result. A POST begins one."""
        quiz = self.get_row_or_404(request, object_id)
        may_ask = self.has_change_permission(request, quiz)
        if request.method == "POST":
            if not may_ask:
                raise PermissionDenied
            queue_simulation(quiz=quiz, by=request.user)
            simulation_notifier.wake_after_commit()
            return redirect("admin:quizzes_quiz_rehearsal", quiz.pk)
        rehearsals = list(quiz.rehearsals.all()[:2])
        if any(each.state == Rehearsal.State.WAITING for each in rehearsals):
            simulation_notifier.wake_again()
        return self.render_own_page(
            request,
            "quizzes/admin/rehearsal.html",
            _("Dress rehearsal of %s") % quiz,
            quiz=quiz,
            may_ask=may_ask,
            shown=simulation_context(rehearsals, now=simulation_input(quiz)),
        )
