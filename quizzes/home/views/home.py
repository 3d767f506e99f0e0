"""Views: a student's home."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache

from design.fragments import render_page
from foundation.methods import allow_methods
from lessons.pages.queries import lessons_listed_for, progress_of
from quizzes.delivery.queries.attempts import available_sittings, graded_attempts
from quizzes.delivery.queries.secrecy import find_secrets, visible_marks
from quizzes.home import extensions, presenters
from quizzes.items.queries import topic_titles
from quizzes.practice.queries import spaced_review
from quizzes.practice.queries.practice import practices_of, unfinished_practice
from quizzes.practice.queries.skill_records import skill_records
from quizzes.reports.queries import new_answers

MAX_PRACTICES = 4


@never_cache
@login_required
@allow_methods("GET")
def home(request: HttpRequest) -> HttpResponse:
    """Show the next thing to do, what else is due or open, and the standing of each skill."""
    now = timezone.now()
    lessons = lessons_listed_for(request.user)
    open_to = available_sittings(request.user)
    attempts = graded_attempts(request.user, [settings.sitting for settings in open_to])
    secrets = find_secrets(request.user, now)
    records = skill_records(request.user, now, [each.sitting for each in attempts], secrets)
    practices = practices_of(request.user, MAX_PRACTICES)
    page = presenters.home_context(
        open_to=open_to,
        attempts=attempts,
        practices=practices,
        unfinished=unfinished_practice(practices),
        records=records,
        today=spaced_review.due_reviews_of(request.user, records, now),
        lessons=lessons,
        progress=progress_of(request.user, lessons),
        titles=topic_titles(),
        answered=new_answers(request.user),
        marks=visible_marks(request.user, now, attempts, secrets),
    )
    context = {"page": page, "parts": extensions.registered_parts(request)}
    return render_page(request, "quizzes/home/home.html", context)
