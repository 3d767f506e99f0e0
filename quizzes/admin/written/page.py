"""Admin: problems that instructors write as formulas."""

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.forms.utils import ErrorDict
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from unfold.admin import ModelAdmin

from foundation.guarded_admin import GuardedAdmin
from foundation.methods import method_not_allowed
from quizzes import problems
from quizzes.admin.written.builder import Builder
from quizzes.admin.written.editing import edited_text, text_in
from quizzes.admin.written.forms import (
    EXAMPLE_TITLES,
    ProblemForm,
    read_example,
    read_upload,
    seed_in,
    sizes_in,
)
from quizzes.admin.written.help import LINES
from quizzes.admin.written.listing import ListingMixin
from quizzes.admin.written.proofs import proof_context
from quizzes.admin.written.versions import VersionsMixin, versions_of
from quizzes.models import WrittenProblem
from quizzes.notifiers import proof_notifier
from quizzes.written.services.writing import CannotPublish, delete_draft, queue_proof, save_problem
from sharing.admin import OwnedAdmin

# Buttons that show the page again, with what was typed and nothing saved.
SHOWS = ("show", "another", "apply", "example", "upload")


@admin.register(WrittenProblem)
class WrittenProblemAdmin(VersionsMixin, ListingMixin, GuardedAdmin, OwnedAdmin, ModelAdmin):
    form = ProblemForm
    fields = ("text", "corrects")
    actions = None
    actions_detail = ("sharing",)
    warn_unsaved_form = True
    change_form_template = "quizzes/admin/written/problem.html"

    class Media:
        css = {"all": ["quizzes/authoring/bank.css"]}

    def get_urls(self):
        return [self.own_url("variant/", self.variant_view, "variant"), *super().get_urls()]

    def variant_view(self, request: HttpRequest) -> HttpResponse:
        """Return what stands beside the text in a sent form, for the page's script."""
        if not (self.has_add_permission(request) or self.has_change_permission(request)):
            raise PermissionDenied
        if request.method != "POST":
            return method_not_allowed(request, ["POST"])
        typed = text_in(request.POST)
        text = _edited(request) or typed
        context = {"builder": _builder(request, text), "edited": text if text != typed else ""}
        return render(request, "quizzes/admin/written/_beside.html", context)

    def get_form(self, request, obj=None, change=False, **options):
        form = super().get_form(request, obj, change=change, **options)
        more = {"publishing": "_publish" in request.POST}
        return type(form.__name__, (_Shown, form) if _only_shows(request) else (form,), more)

    def changeform_view(self, request, object_id=None, form_url="", extra_context=None):
        if request.method == "POST":
            request.POST = self._with_other_text(request)
        row = self._readable_version(request, object_id) if object_id else None
        if row and not (row.newest and row.is_draft):
            return self.not_editable(request, row)
        return super().changeform_view(request, object_id, form_url, extra_context)

    def _with_other_text(self, request):
        """Return the sent form with the text that it asks for: an example, a file or an edited."""
        sent = request.POST.copy()
        text = None
        if sent.get("text", "").strip() and ("example" in sent or "upload" in sent):
            messages.error(
                request, _("There’s already a text here. To start again, empty it first.")
            )
        elif "example" in sent:
            text = read_example(sent["example"])
        elif "upload" in sent and "file" in request.FILES:
            text = read_upload(request.FILES["file"])
            if text is None:
                words = _(
                    "This file isn’t the text of a problem, or it’s too long. Choose a problem’s"
                    " .txt file."
                )
                messages.error(request, words)
        elif "upload" in sent:
            messages.error(request, _("Choose a .txt file first, then upload it."))
        elif "text" in sent:
            text = _edited(request)
        if text is not None:
            sent["text"] = text.replace("\r\n", "\n")
        return sent

    def render_change_form(self, request, context, **more):
        problem, form = context["original"], context["adminform"].form
        is_editable = "text" in form.fields
        typed = form["text"].value() if is_editable else problem.text
        proof = proof_context(problem) if problem else None
        if request.method == "GET" and is_editable and problem and not problem.is_draft:
            return redirect(request.path)  # published meanwhile, by its proof
        context |= {
            "builder": _builder(request, typed or ""),
            "is_editable": is_editable,
            "examples": EXAMPLE_TITLES.items(),
            "lines": LINES,
            "reference": problems.formula_reference().items(),
            "proof": proof,
            "versions": versions_of(problem) if problem else [],
            "theirs": problem.text if getattr(request, "rebased", None) else "",
        }
        answer = super().render_change_form(request, context, **more)
        if "_publish" in request.POST and form.errors:
            answer.status_code = 400
        return answer

    def save_model(self, request, problem, form, change):
        stored = WrittenProblem.every.get(pk=problem.pk) if change else None
        saved = save_problem(
            problem=stored,
            text=form.cleaned_data["text"],
            corrects=form.cleaned_data.get("corrects", False),
            # The page's guard has compared what it was opened on, and holds the row.
            revision=stored.revision if stored else 0,
            by=request.user,
        )
        problem.__dict__.update(saved.__dict__)

    def response_add(self, request, obj, post_url_continue=None):
        return self._respond(request, obj)

    def response_change(self, request, obj):
        return self._respond(request, obj)

    def _respond(self, request, problem) -> HttpResponse:
        """Ask for a proof of what was saved, and show the page again."""
        publishes = "_publish" in request.POST
        try:
            queue_proof(problem=problem, by=request.user, publishes=publishes)
        except problems.FormulaError as fault:
            words = _("The draft is saved. Line %(line)s has a fault, so it isn’t proven yet.")
            messages.warning(request, words % {"line": fault.line})
        except CannotPublish as trouble:
            words = _("The draft is saved, but it can’t be published. %(trouble)s")
            messages.error(request, words % {"trouble": trouble})
        else:
            proof_notifier.wake_after_commit()
            words = (
                _("Saved. It’ll be published as soon as its proof passes.")
                if publishes
                else _("The draft is saved, and is being proven.")
            )
            messages.success(request, words)
        return redirect("admin:quizzes_writtenproblem_change", problem.pk)

    def has_delete_permission(self, request, obj=None):
        """Deny deleting what is published: students may have been asked it."""
        is_kept = isinstance(obj, WrittenProblem) and not obj.is_draft
        return not is_kept and super().has_delete_permission(request, obj)

    def delete_model(self, request, problem):
        delete_draft(problem=problem)


class _Shown:
    """A form that is not saved, and has no errors, because only a variant is asked for."""

    def full_clean(self) -> None:
        self._errors, self.cleaned_data = ErrorDict(), {}

    def is_valid(self) -> bool:
        return False


def _only_shows(request) -> bool:
    return request.method == "POST" and any(name in request.POST for name in SHOWS)


def _edited(request) -> str | None:
    """Return the sent text with the mistakes as they were ticked and reworded; None at a fault."""
    try:
        return edited_text(request.POST)
    except problems.FormulaError:
        return None  # the page says so, at its line


def _builder(request, text: str) -> Builder:
    return Builder(text.replace("\r\n", "\n"), seed_in(request.POST), sizes_in(request.POST))
