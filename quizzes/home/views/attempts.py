"""Views: the list of a student's own attempts."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from foundation.filters import page_from_request
from foundation.methods import allow_methods
from quizzes.delivery.forms import AttemptFilter
from quizzes.delivery.presenters.quiz import attempt_line
from quizzes.delivery.queries.attempts import chosen_attempts, quizzes_taken
from quizzes.delivery.queries.secrecy import visible_marks
from quizzes.items.queries import topic_titles
from quizzes.practice.presenters.practice import practice_lines
from quizzes.practice.queries.practice import practices_of

PAGE_SIZE = 25
MAX_PRACTICES = 10


@login_required
@allow_methods("GET")
def mine(request: HttpRequest) -> HttpResponse:
    """List a student's attempts, filtered, and the latest practices."""
    quizzes = [(quiz.slug, quiz.title) for quiz in quizzes_taken(request.user)]
    wanted = AttemptFilter(request.GET, quiz=quizzes)
    marks = visible_marks(request.user, timezone.now())
    attempts = chosen_attempts(request.user, marks, **wanted.asked)
    page = page_from_request(request, attempts, PAGE_SIZE)
    practices = practices_of(request.user, MAX_PRACTICES)
    context = {
        "page": page,
        "filter": wanted,
        "attempts": [attempt_line(attempt, marks) for attempt in page],
        "practices": practice_lines(practices, topic_titles() if practices else {}),
    }
    return render(request, "quizzes/home/mine.html", context)
