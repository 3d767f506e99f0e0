"""Views for arranging a quiz's slots in the admin. They save nothing."""

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.csp import csp_override

from foundation.admin_pages import OwnPages
from foundation.keys import parse_key
from foundation.methods import SAFE, method_not_allowed
from lessons.admin.preview import PREVIEW_CSP
from quizzes.admin.slots.forms import parse_options
from quizzes.admin.slots.formset import PREFIX
from quizzes.admin.slots.inline import SlotInline
from quizzes.authoring.presenters.slots import example_context, offered_families, offered_topics
from quizzes.authoring.services import publishing
from quizzes.items.queries import topics_by_lesson
from quizzes.models import ConceptQuestion, Quiz
from quizzes.written.queries import is_written, may_read, readable_problems

EXAMPLE_SECONDS = 600


@cache_control(private=True, max_age=EXAMPLE_SECONDS)
@xframe_options_sameorigin
@csp_override(PREVIEW_CSP)
def example_view(request: HttpRequest) -> HttpResponse:
    """Show a problem of a family at some sizes, as a student would see it."""
    if not (request.user.is_staff and request.user.has_perm("quizzes.view_quiz")):
        raise PermissionDenied
    if request.method not in SAFE:
        return method_not_allowed(request, SAFE)
    asked = dict(request.GET.items())
    family = asked.pop("family", "")
    if not may_read(request.user, family):
        raise Http404(_("Problem not found."))
    version = parse_key(asked.pop("version", "")) if is_written(family) else None
    shown = example_context(family, parse_options(asked), version)
    return render(request, "quizzes/admin/example.html", {"preview": shown})


class ArrangingMixin(OwnPages):
    """ModelAdmin mixin: the views that a quiz's page uses for its slots."""

    def get_urls(self):
        return [
            # Not behind the admin's own view: the example has a stricter policy than its pages.
            path("example/", example_view, name="quizzes_quiz_example"),
            self.own_url("choices/", self.choices_view, "choices"),
            self.own_url("slots/", self.slots_view, "slots"),
            *super().get_urls(),
        ]

    def choices_view(self, request: HttpRequest) -> HttpResponse:
        """List all families and topics, for searching."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        if request.method not in SAFE:
            return method_not_allowed(request, SAFE)
        readable = ConceptQuestion.objects.visible_to(request.user)
        offered = [
            *offered_families(readable_problems(request.user)),
            *offered_topics(topics_by_lesson(), publishing.count_fit_questions(readable)),
        ]
        return render(request, "quizzes/admin/_choices.html", {"offered": offered})

    def slots_view(self, request: HttpRequest) -> HttpResponse:
        """Check the slots in a sent form, and return the result with a card if one is asked for."""
        if request.method != "POST":
            return method_not_allowed(request, ["POST"])
        asked = request.GET.get("quiz")
        quiz = self.get_object(request, asked) if asked else None
        if asked and quiz is None:
            raise Http404
        permitted = self.has_change_permission if quiz else self.has_add_permission
        if not permitted(request):
            raise PermissionDenied
        form = self.get_form(request, quiz, change=bool(quiz))(
            request.POST, instance=quiz or Quiz()
        )
        form.is_valid()
        inline = SlotInline(Quiz, self.admin_site)
        formset = inline.get_formset(request, quiz)(
            request.POST,
            instance=form.instance,
            prefix=PREFIX,
            queryset=inline.get_queryset(request),
        )
        formset.checking = True
        formset.is_valid()
        return render(request, "quizzes/admin/_slots_checked.html", {"formset": formset})
