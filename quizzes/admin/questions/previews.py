"""The question in a form, and a version of a stored one, as students see it."""

from django.core.exceptions import PermissionDenied
from django.http import JsonResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.csp import csp_override

from foundation.methods import allow_methods
from lessons.admin.preview import PREVIEW_CSP
from lessons.admin.typed import typed_rows
from quizzes.items.presenters.written_question import WrittenQuestion, choice_of, with_preview
from quizzes.models import ConceptQuestion


def question_in_form(sent):
    """Return the question in a sent form, saved or not."""
    rows = typed_rows(sent, "choices", "text", "correct", "feedback")
    choices = [
        choice_of(number, row["text"], bool(row["correct"]), row["feedback"])
        for number, row in enumerate(rows)
        if row["text"]
    ]
    prompt, explanation = (sent.get(name, "").strip() for name in ("prompt", "explanation"))
    return WrittenQuestion(prompt, explanation, tuple(choices))


@never_cache
@xframe_options_sameorigin
@csp_override(PREVIEW_CSP)
def preview_view(request):
    """Show the question in a sent form as a student will see it, as JSON for the editor or a page.

    A GET returns the empty page into which the editor puts the preview.
    """
    rights = ("quizzes.add_conceptquestion", "quizzes.change_conceptquestion")
    if not (request.user.is_staff and any(map(request.user.has_perm, rights))):
        raise PermissionDenied
    shown = (
        with_preview(question_in_form(request.POST))
        if request.method == "POST"
        else WrittenQuestion()
    )
    if request.get_preferred_type(["text/html", "application/json"]) == "application/json":
        return JsonResponse({"html": shown.html, "error": "", "line": None})
    return render(request, "quizzes/admin/question_preview.html", {"preview": shown})


@never_cache
@allow_methods("GET")
@csp_override(PREVIEW_CSP)
def version_view(request, pk):
    """Show a version of a question as its students saw it, with the feedback on each choice."""
    if not (request.user.is_staff and request.user.has_perm("quizzes.view_conceptquestion")):
        raise PermissionDenied
    question = get_object_or_404(ConceptQuestion.every.visible_to(request.user), pk=pk)
    context = {"question": question, "preview": with_preview(WrittenQuestion.stored(question))}
    return render(request, "quizzes/admin/question_version.html", context)
