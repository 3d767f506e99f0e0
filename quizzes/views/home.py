"""A student's home."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache

from foundation.methods import allow_methods
from lessons.pages.queries import lessons_listed_for, progress_of
from quizzes import analytics, extensions, queries, reported
from quizzes.presenters import home as presenter

PRACTICES = 4


@never_cache
@login_required
@allow_methods("GET")
def home(request: HttpRequest) -> HttpResponse:
    """What to go on with, what is open, how each skill goes, and what comes next."""
    now = timezone.now()
    lessons = lessons_listed_for(request.user)
    page = presenter.home(
        open_to=queries.open_to(request.user),
        attempts=queries.latest_attempts(request.user),
        practices=queries.practices_of(request.user, PRACTICES),
        records=analytics.skills_of(request.user, now),
        lessons=lessons,
        progress=progress_of(request.user, lessons),
        titles=queries.topic_titles(),
        answered=reported.new_answers(request.user),
        now=now,
    )
    context = {"page": page, "parts": extensions.parts(request)}
    return render(request, "quizzes/home.html", context)
