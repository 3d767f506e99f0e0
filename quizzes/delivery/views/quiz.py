"""Views: the list of quizzes, the page of one, and its start."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache

from foundation.methods import allow_methods
from quizzes.authoring.queries import question_counts, quiz_to_take
from quizzes.delivery.effective_settings import available_settings
from quizzes.delivery.presenters.quiz import (
    attempts_context,
    group_by_class,
    quiz_context,
    quiz_lines,
    sort_closed_last,
)
from quizzes.delivery.queries.attempts import (
    attempts_at,
    available_sittings,
    chances_at,
    graded_attempts,
    latest_attempts,
)
from quizzes.delivery.queries.secrecy import visible_marks
from quizzes.delivery.services.taking import start_attempt
from quizzes.delivery.views.shared import limit_starts, login_url, no_such_quiz, select_settings
from quizzes.errors import NotOpen, NotReady
from quizzes.notifiers import stocking_notifier

# Session key: the address at which a quiz starts as soon as its numbers are drawn.
WAITING_SESSION_KEY = "quiz_waits_for_numbers"


@never_cache
@allow_methods("GET")
def quizzes(request: HttpRequest) -> HttpResponse:
    """List the quizzes open to this user, and how their attempts at them went."""
    open_to = available_sittings(request.user)
    sittings = [settings.sitting for settings in open_to]
    known = request.user.is_authenticated
    attempts = graded_attempts(request.user, sittings) if known else []
    questions = question_counts([sitting.quiz_id for sitting in sittings])
    now = timezone.now()
    marks = visible_marks(request.user, now, attempts)
    lines = quiz_lines(open_to, questions, attempts, marks)
    return render(request, "quizzes/delivery/quizzes.html", {"groups": group_by_class(lines)})


@never_cache
@allow_methods("GET")
def quiz(request: HttpRequest, slug: str, sitting: int | None = None) -> HttpResponse:
    """Show a quiz's questions and rules in brief, and this student's attempts so far.

    A student who may take it at several sittings chooses one first.
    """
    found = quiz_to_take(slug)
    if found is None:
        return no_such_quiz(request, slug)
    choices = available_settings(request.user, found)
    settings = select_settings(choices, sitting)
    if settings is None:
        places = sort_closed_last(choices, timezone.now())
        context = {"quiz": found, "places": places}
        return render(request, "quizzes/delivery/sittings.html", context)
    now = timezone.now()
    known = request.user.is_authenticated
    taken = latest_attempts(request.user) if known else []
    attempts = attempts_at(settings.sitting, taken)
    marks = visible_marks(request.user, now, attempts)
    context = {
        "quiz": found,
        "settings": settings,
        "page": quiz_context(found, settings, now),
        "chances": chances_at(settings, attempts, now),
        "attempts": attempts_context(settings.sitting, attempts, marks),
        "come_back": urlencode({"next": request.path}),
    }
    return render(request, "quizzes/delivery/quiz.html", context)


@never_cache
@allow_methods("GET", "POST")
def start(request: HttpRequest, slug: str, sitting: int | None = None) -> HttpResponse:
    """Start an attempt, or go on with the open one.

    While numbers are lacking, a page says so and asks again by itself until there are enough.
    """
    found = quiz_to_take(slug)
    if found is None:
        return no_such_quiz(request, slug)
    back = request.path.removesuffix("start/")
    asked_again = (
        request.method == "GET" and request.session.get(WAITING_SESSION_KEY) == request.path
    )
    if not (request.method == "POST" or asked_again):
        # A GET, such as the redirect after a login, starts nothing.
        return redirect(back)
    if not request.user.is_authenticated:
        return redirect(login_url(back))
    settings = select_settings(available_settings(request.user, found), sitting)
    if settings is None:
        return redirect(found)
    try:
        limit_starts(request)
        attempt = start_attempt(student=request.user, quiz=found, settings=settings)
    except NotReady as lack:
        stocking_notifier.wake_again()
        request.session[WAITING_SESSION_KEY] = request.path
        if request.method == "POST":
            return redirect(request.path)
        context = {"quiz": found, "back": back, "ready": lack.ready, "wanted": lack.wanted}
        return render(request, "quizzes/delivery/drawing.html", context)
    except NotOpen as refusal:
        messages.error(request, str(refusal))
        return redirect(back)
    request.session.pop(WAITING_SESSION_KEY, None)
    return redirect(attempt)
