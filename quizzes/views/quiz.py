"""The list of quizzes, a quiz before its start, its start, and a student's attempts."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache

from foundation.methods import allow_methods
from quizzes import forms, queries, tasks
from quizzes.presenters import quiz as presenter
from quizzes.presenters.practice import practice_lines
from quizzes.services.errors import NotOpen, NotReady
from quizzes.services.taking import start_attempt
from quizzes.terms import choices_of
from quizzes.views.shared import log_in, no_such_quiz, terms_at

ATTEMPTS_ON_A_PAGE = 25
PRACTICES = 10
# In a session: the address at which a quiz was to start as soon as its numbers are drawn.
WAITS_FOR = "quiz_waits_for_numbers"


@never_cache
@allow_methods("GET")
def quizzes(request: HttpRequest) -> HttpResponse:
    """The quizzes that are open to whoever asks, and how this student's attempts at them went."""
    open_to = queries.open_to(request.user)
    sittings = [terms.sitting for terms in open_to]
    known = request.user.is_authenticated
    attempts = queries.graded_attempts(request.user, sittings) if known else []
    questions = queries.questions_in([sitting.quiz_id for sitting in sittings])
    lines = presenter.quiz_lines(open_to, questions, attempts, timezone.now())
    return render(request, "quizzes/quizzes.html", {"lines": list(lines)})


@allow_methods("GET")
def quiz(request: HttpRequest, slug: str, sitting: int | None = None) -> HttpResponse:
    """What the quiz asks, under which rules, and this student's attempts so far.

    Who may take it at several sittings chooses one first.
    """
    found = queries.quiz_to_take(slug)
    if found is None:
        return no_such_quiz(request, slug)
    choices = choices_of(request.user, found)
    terms = terms_at(choices, sitting)
    if terms is None:
        places = presenter.closed_last(choices, timezone.now())
        context = {"quiz": found, "places": places}
        return render(request, "quizzes/sittings.html", context)
    now = timezone.now()
    known = request.user.is_authenticated
    taken = queries.latest_attempts(request.user) if known else []
    attempts = queries.attempts_at(terms.sitting, taken)
    context = {
        "quiz": found,
        "terms": terms,
        "page": presenter.quiz_page(found, terms, now),
        "chances": queries.chances_at(terms, attempts, now),
        "attempts": presenter.attempts_at_sitting(terms.sitting, attempts, now),
        "come_back": urlencode({"next": request.path}),
    }
    return render(request, "quizzes/quiz.html", context)


@never_cache
@allow_methods("GET", "POST")
def start(request: HttpRequest, slug: str, sitting: int | None = None) -> HttpResponse:
    """Start an attempt, or go on with the one that is open.

    While numbers are lacking, a page says so and asks again by itself until there are enough.
    """
    found = queries.quiz_to_take(slug)
    if found is None:
        return no_such_quiz(request, slug)
    back = request.path.removesuffix("start/")
    asked_again = request.method == "GET" and request.session.get(WAITS_FOR) == request.path
    if not (request.method == "POST" or asked_again):
        # Somebody came back here from the login page, say.
        return redirect(back)
    if not request.user.is_authenticated:
        return redirect(log_in(back))
    terms = terms_at(choices_of(request.user, found), sitting)
    if terms is None:
        return redirect(found)
    try:
        attempt = start_attempt(student=request.user, quiz=found, terms=terms)
    except NotReady as lack:
        tasks.stocking_bell.ring_again()
        request.session[WAITS_FOR] = request.path
        if request.method == "POST":
            return redirect(request.path)
        context = {"quiz": found, "back": back, "ready": lack.ready, "wanted": lack.wanted}
        return render(request, "quizzes/drawing.html", context)
    except NotOpen as refusal:
        messages.error(request, str(refusal))
        return redirect(back)
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
        "practices": practice_lines(practices, queries.topic_titles() if practices else {}),
    }
    return render(request, "quizzes/mine.html", context)
