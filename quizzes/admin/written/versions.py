"""A problem's versions: to read, to withdraw, to continue from, and their texts as files."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _

from foundation.admin_pages import OwnPages
from foundation.keys import parse_key
from foundation.methods import SAFE, method_not_allowed
from quizzes.admin.written.builder import Builder
from quizzes.admin.written.forms import seed_in, sizes_in
from quizzes.admin.written.proofs import facts_context, proof_context
from quizzes.models import WrittenProblem
from quizzes.notifiers import proof_notifier
from quizzes.written.services.writing import SavedMeanwhile, save_problem, withdraw_version


def versions_of(problem: WrittenProblem) -> list[WrittenProblem]:
    """Return all versions of a problem, the newest first."""
    return list(WrittenProblem.every.filter(key=problem.key).order_by("-version"))


class VersionsMixin(OwnPages):
    """ModelAdmin mixin: the pages of published versions, and the download of any version's text."""

    def get_urls(self):
        return [
            self.own_url("<key:pk>/version/", self.version_view, "version"),
            self.own_url("<key:pk>/withdraw/", self.withdraw_view, "withdraw"),
            self.own_url("<key:pk>/text/", self.text_view, "text"),
            self.own_url("<key:pk>/proof/", self.proof_view, "proof"),
            *super().get_urls(),
        ]

    def _readable_version(self, request, object_id) -> WrittenProblem | None:
        """Return a version, be it the newest or not, as far as the user may read the problem."""
        if not self.has_view_permission(request):
            return None
        readable = WrittenProblem.every.visible_to(request.user)
        return readable.filter(pk=parse_key(str(object_id))).first()

    def _version_or_404(self, request, pk) -> WrittenProblem:
        if not self.has_view_permission(request):
            raise PermissionDenied
        if (problem := self._readable_version(request, pk)) is None:
            raise Http404
        return problem

    def _may_edit(self, request, problem: WrittenProblem) -> bool:
        if not self.has_change_permission(request):
            return False
        return WrittenProblem.every.editable_by(request.user).filter(pk=problem.pk).exists()

    def version_view(self, request: HttpRequest, pk) -> HttpResponse:
        """Show a published version: its text, a variant, and what its proof found."""
        if request.method not in SAFE:
            return method_not_allowed(request, SAFE)
        problem = self._version_or_404(request, pk)
        if problem.is_draft:
            return redirect("admin:quizzes_writtenproblem_change", problem.pk)
        return self._published_page(request, problem)

    def _published_page(self, request, problem) -> TemplateResponse:
        return self.render_own_page(
            request,
            "quizzes/admin/written/published.html",
            str(problem),
            problem=problem,
            original=problem,
            builder=Builder(
                problem.text, seed_in(request.GET), sizes_in(request.GET), problem.facts["trials"]
            ),
            facts=facts_context(problem.facts),
            versions=versions_of(problem),
            may_edit=self._may_edit(request, problem),
            may_share=self.has_share_permission(request, problem),
        )

    def not_editable(self, request, problem: WrittenProblem) -> HttpResponse:
        """Show a published or earlier version. A POST continues from it, in the next version."""
        newest = WrittenProblem.objects.get(key=problem.key)
        if not problem.newest and newest.is_draft:
            return redirect("admin:quizzes_writtenproblem_change", newest.pk)
        if request.method != "POST":
            return self._published_page(request, problem)
        if not self._may_edit(request, newest):
            raise PermissionDenied
        # It may have been published while its page was open: what was typed is the next version.
        typed = request.POST.get("text", newest.text).replace("\r\n", "\n")
        try:
            draft = save_problem(
                problem=newest,
                text=typed,
                corrects=False,
                revision=newest.revision,
                by=request.user,
            )
        except SavedMeanwhile as meanwhile:
            words = _(
                "Someone else has already begun the next version. Here it is. Anything you typed"
                " wasn’t saved."
            )
            messages.info(request, words)
            return redirect("admin:quizzes_writtenproblem_change", meanwhile.current.pk)
        self.log_change(request, draft, _("Began version %s.") % draft.version)
        words = _("This is the draft of version %(version)s. Version %(before)s stays as it is.")
        numbers = {"version": draft.version, "before": newest.version}
        messages.success(request, words % numbers)
        return redirect("admin:quizzes_writtenproblem_change", draft.pk)

    def withdraw_view(self, request: HttpRequest, pk) -> HttpResponse:
        """Ask whether to withdraw a published version; on POST, withdraw it."""
        problem = self._version_or_404(request, pk)
        if not self._may_edit(request, problem):
            raise PermissionDenied
        if problem.is_draft or problem.withdrawn_at:
            return redirect("admin:quizzes_writtenproblem_change", problem.pk)
        if request.method == "POST":
            withdraw_version(problem=problem, by=request.user)
            self.log_change(request, problem, _("Withdrew version %s.") % problem.version)
            messages.success(request, _("Withdrawn. Nobody will be given this version again."))
            return redirect("admin:quizzes_writtenproblem_version", problem.pk)
        title = _("Withdraw version %(version)s of %(title)s?") % {
            "version": problem.version,
            "title": problem,
        }
        return self.render_own_page(
            request, "quizzes/admin/written/withdraw.html", title, problem=problem
        )

    def text_view(self, request: HttpRequest, pk) -> HttpResponse:
        """Return the text of a version as a file."""
        if request.method not in SAFE:
            return method_not_allowed(request, SAFE)
        problem = self._version_or_404(request, pk)
        answer = HttpResponse(problem.text, content_type="text/plain; charset=utf-8")
        name = f"{problem.key}_v{problem.version}.txt"
        answer["Content-Disposition"] = f'attachment; filename="{name}"'
        return answer

    def proof_view(self, request: HttpRequest, pk) -> HttpResponse:
        """Return how far the proof of a version is, for the page's script."""
        if request.method not in SAFE:
            return method_not_allowed(request, SAFE)
        problem = self._version_or_404(request, pk)
        proof = proof_context(problem)
        if proof and proof["waiting"]:
            proof_notifier.wake_again()
        context = {"proof": proof, "problem": problem}
        return TemplateResponse(request, "quizzes/admin/written/_proof.html", context)
