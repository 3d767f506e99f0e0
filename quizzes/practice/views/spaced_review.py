"""Views: today's review, corrected mistakes, and the formula sheet."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache

from foundation.methods import allow_methods
from lessons.pages.queries import sections_by_family
from quizzes.delivery.queries.practicable import closed_problems
from quizzes.delivery.views.shared import limit_starts
from quizzes.errors import NotOpen
from quizzes.items.queries import topic_titles
from quizzes.practice.presenters.formulas import formula_sheet, symbols
from quizzes.practice.presenters.mistakes import latest_corrected, mistakes_context
from quizzes.practice.presenters.spaced_review import today_context
from quizzes.practice.queries import spaced_review
from quizzes.practice.queries.practice import (
    answers_by_key,
    is_fully_checked,
    named_mistakes,
    practices_on,
)
from quizzes.practice.services import practise_today
from quizzes.written.queries import drop_closed


@never_cache
@login_required
@allow_methods("GET", "POST")
def today(request: HttpRequest) -> HttpResponse:
    """Show about five minutes of due reviews. A POST starts or continues them."""
    if request.method == "POST":
        try:
            limit_starts(request)
            return redirect(practise_today(student=request.user))
        except NotOpen as refused:
            messages.error(request, str(refused))
            return redirect("quizzes:today")
    now = timezone.now()
    day = timezone.localdate(now)
    earlier = practices_on(request.user, day.isoformat())
    running = earlier[-1] if earlier and not is_fully_checked(earlier[-1]) else None
    page = today_context(spaced_review.due_reviews(request.user, now), topic_titles(), running, day)
    return render(request, "quizzes/practice/today.html", {"page": page})


@never_cache
@login_required
@allow_methods("GET")
def mistakes(request: HttpRequest) -> HttpResponse:
    """Show the student's corrected mistakes, and those still to be corrected."""
    made = named_mistakes(request.user, timezone.now())
    answers = answers_by_key(each.answer for each in latest_corrected(made))
    closed = closed_problems(request.user, (each.family for each in made))
    page = mistakes_context(made, answers, closed)
    return render(request, "quizzes/practice/mistakes.html", {"page": page})


@allow_methods("GET")
def formulas(request: HttpRequest) -> HttpResponse:
    """Show every formula of the lessons in one notation, for reading and printing."""
    homes = sections_by_family()
    taught = {key: homes[key] for key in drop_closed(homes)}
    context = {"parts": formula_sheet(taught), "symbols": symbols()}
    return render(request, "quizzes/practice/formulas.html", context)
