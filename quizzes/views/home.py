"""A student's home."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache

from foundation.methods import allow_methods
from lessons.pages.queries import lessons_listed_for, progress_of
from quizzes import analytics, due, extensions, queries, reported
from quizzes.presenters import home as presenter

PRACTICES = 4


@never_cache
@login_required
@allow_methods("GET")
def home(request: HttpRequest) -> HttpResponse:
    """What to do next, what runs out after it, what is open, and how each skill goes."""
    now = timezone.now()
    lessons = lessons_listed_for(request.user)
    open_to = queries.open_to(request.user)
    attempts = queries.graded_attempts(request.user, [terms.sitting for terms in open_to])
    records = analytics.skills_of(request.user, now, [each.sitting for each in attempts])
    practices = queries.practices_of(request.user, PRACTICES)
    page = presenter.home(
        open_to=open_to,
        attempts=attempts,
        practices=practices,
        unfinished=queries.unfinished(practices),
        records=records,
        today=due.due_among(records, now),
        lessons=lessons,
        progress=progress_of(request.user, lessons),
        titles=queries.topic_titles(),
        answered=reported.new_answers(request.user),
        now=now,
    )
    context = {"page": page, "parts": extensions.parts(request)}
    return render(request, "quizzes/home.html", context)
