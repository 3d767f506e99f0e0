"""Views: today's review, mended mistakes, and the formula sheet."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache

from foundation.methods import allow_methods
from lessons.pages.queries import homes_of_families
from quizzes.delivery.views.shared import check_pace
from quizzes.errors import NotOpen
from quizzes.items.queries import topic_titles
from quizzes.practice.presenters.formulas import formula_sheet, symbols
from quizzes.practice.presenters.mistakes import caught, shown_in_full
from quizzes.practice.presenters.spaced_review import today_page
from quizzes.practice.queries import spaced_review
from quizzes.practice.queries.practice import (
    answers_with,
    is_checked_through,
    named_mistakes,
    practices_on,
)
from quizzes.practice.services import practise_today


@never_cache
@login_required
@allow_methods("GET", "POST")
def today(request: HttpRequest) -> HttpResponse:
    """Show about five minutes of due reviews. A POST starts or continues them."""
    if request.method == "POST":
        try:
            check_pace(request)
            return redirect(practise_today(student=request.user))
        except NotOpen as refused:
            messages.error(request, str(refused))
            return redirect("quizzes:today")
    now = timezone.now()
    day = timezone.localdate(now)
    earlier = practices_on(request.user, day.isoformat())
    running = earlier[-1] if earlier and not is_checked_through(earlier[-1]) else None
    page = today_page(spaced_review.due_for(request.user, now), topic_titles(), running, day)
    return render(request, "quizzes/practice/today.html", {"page": page})


@never_cache
@login_required
@allow_methods("GET")
def mistakes(request: HttpRequest) -> HttpResponse:
    """Show the student's mended mistakes, and those still to be mended."""
    made = named_mistakes(request.user, timezone.now())
    answers = answers_with(each.answer for each in shown_in_full(made))
    return render(request, "quizzes/practice/mistakes.html", {"page": caught(made, answers)})


@allow_methods("GET")
def formulas(request: HttpRequest) -> HttpResponse:
    """Show every formula of the lessons in one notation, for reading and printing."""
    context = {"parts": formula_sheet(homes_of_families()), "symbols": symbols()}
    return render(request, "quizzes/practice/formulas.html", context)
