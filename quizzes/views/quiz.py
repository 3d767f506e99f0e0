"""A quiz before its start, its start, and the list of a student's attempts."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache

from foundation.methods import allow_methods
from quizzes import forms, queries, tasks
from quizzes.presenters import quiz as presenter
from quizzes.presenters.practice import practice_lines
from quizzes.services.errors import NotOpen, NotReady
from quizzes.services.taking import start_attempt
from quizzes.views.shared import log_in, no_such_quiz

ATTEMPTS_ON_A_PAGE = 25
PRACTICES = 10
# In a session: the quiz that was to start as soon as its numbers are drawn.
WAITS_FOR = "quiz_waits_for_numbers"


@allow_methods("GET")
def quiz(request: HttpRequest, slug: str) -> HttpResponse:
    """What the quiz asks, under which rules, and this student's attempts so far."""
    found = queries.quiz_to_take(slug)
    if found is None:
        return no_such_quiz(request, slug)
    now = timezone.now()
    known = request.user.is_authenticated
    attempts = queries.attempts_at(found, request.user) if known else []
    extra = queries.extra_time_for(request.user) if known else None
    context = {
        "quiz": found,
        "page": presenter.quiz_page(found, extra, now),
        "chances": queries.chances_at(found, attempts, now),
        "attempts": presenter.attempts_at_quiz(found, attempts, now),
        "come_back": urlencode({"next": request.path}),
    }
    return render(request, "quizzes/quiz.html", context)


@never_cache
@allow_methods("GET", "POST")
def start(request: HttpRequest, slug: str) -> HttpResponse:
    """Start an attempt, or go on with the one that is open.

    While numbers are lacking, a page says so and asks again by itself until there are enough.
    """
    found = queries.quiz_to_start(slug)
    if found is None:
        return no_such_quiz(request, slug)
    asked_again = request.method == "GET" and request.session.get(WAITS_FOR) == slug
    if not (request.method == "POST" or asked_again):
        # Somebody came back here from the log-in page, say.
        return redirect(found)
    if not request.user.is_authenticated:
        return redirect(log_in(resolve_url(found)))
    try:
        attempt = start_attempt(student=request.user, quiz=found)
    except NotReady as lack:
        tasks.stocking_bell.ring_again()
        request.session[WAITS_FOR] = slug
        if request.method == "POST":
            return redirect("quizzes:start", slug)
        context = {"quiz": found, "ready": lack.ready, "wanted": lack.wanted}
        return render(request, "quizzes/drawing.html", context)
    except NotOpen as refusal:
        messages.error(request, str(refusal))
        return redirect(found)
    request.session.pop(WAITS_FOR, None)
    return redirect(attempt)


@login_required
@allow_methods("GET")
def mine(request: HttpRequest) -> HttpResponse:
    """A student's attempts, as they are asked for, and the latest practice."""
    now = timezone.now()
    wanted = forms.AttemptFilter(request.GET, queries.quizzes_taken(request.user))
    attempts = queries.chosen_attempts(request.user, wanted.choice, now)
    page = Paginator(attempts, ATTEMPTS_ON_A_PAGE).get_page(request.GET.get("page"))
    practices = queries.practices_of(request.user, PRACTICES)
    context = {
        "page": page,
        "filter": wanted,
        "attempts": [presenter.attempt_line(attempt, now) for attempt in page],
        "quizzes": [] if page.object_list or wanted.is_narrow else queries.open_quizzes(),
        "practices": practice_lines(practices, queries.topic_titles() if practices else {}),
    }
    return render(request, "quizzes/mine.html", context)
