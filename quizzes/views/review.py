"""Review over time: what is due today, the mistakes that were caught, and the formula sheet."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache

from foundation.methods import allow_methods
from lessons.pages.queries import homes_of_families
from quizzes import due, queries
from quizzes.presenters.formulas import formula_sheet, symbols
from quizzes.presenters.mended import caught, shown_in_full
from quizzes.presenters.today import today_page
from quizzes.services.errors import NotOpen
from quizzes.services.practising import practise_today


@never_cache
@login_required
@allow_methods("GET", "POST")
def today(request: HttpRequest) -> HttpResponse:
    """About five minutes of what was once missed and is due; a post starts, or goes on."""
    if request.method == "POST":
        try:
            return redirect(practise_today(student=request.user))
        except NotOpen as refused:
            messages.error(request, str(refused))
            return redirect("quizzes:today")
    now = timezone.now()
    day = timezone.localdate(now)
    earlier = queries.practices_on(request.user, day.isoformat())
    running = earlier[-1] if earlier and not queries.is_checked_through(earlier[-1]) else None
    page = today_page(due.due_for(request.user, now), queries.topic_titles(), running, day)
    return render(request, "quizzes/today.html", {"page": page})


@never_cache
@login_required
@allow_methods("GET")
def mistakes(request: HttpRequest) -> HttpResponse:
    """The mistakes that this student made and caught since, and those that wait to be caught."""
    made = queries.named_mistakes(request.user, timezone.now())
    answers = queries.answers_with(each.answer for each in shown_in_full(made))
    return render(request, "quizzes/mistakes.html", {"page": caught(made, answers)})


@allow_methods("GET")
def formulas(request: HttpRequest) -> HttpResponse:
    """Every formula of the lessons in one notation, to read and to print."""
    context = {"parts": formula_sheet(homes_of_families()), "symbols": symbols()}
    return render(request, "quizzes/formulas.html", context)
