"""The student's pages: a quiz before its start, an attempt, its summary, its results.

Views read by queries, write by services, and leave what is shown to presenters. Somebody else's
attempt is not found, whoever asks.
"""

from difflib import get_close_matches

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db import DatabaseError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from quizzes import doorbell, forms, queries
from quizzes.models import Attempt, Item, Submission
from quizzes.presenters import pages, receipts
from quizzes.presenters.asked import asked_item
from quizzes.presenters.reviewed import review
from quizzes.services.errors import NotOpen, Outdated
from quizzes.services.taking import save_draft, start_attempt, submit_attempt

ATTEMPTS_ON_A_PAGE = 25


# Before the start


@require_GET
def quiz(request: HttpRequest, slug: str) -> HttpResponse:
    """What the quiz asks, under which rules, and this student's attempts so far."""
    found = queries.quiz_to_take(slug)
    if found is None:
        return _no_such_quiz(request, slug)
    now = timezone.now()
    known = request.user.is_authenticated
    attempts = queries.attempts_at(found, request.user) if known else []
    context = {
        "quiz": found,
        "page": pages.quiz_page(found),
        "chances": queries.chances_at(found, attempts, now),
        "attempts": [pages.attempt_line(attempt, now) for attempt in attempts],
        "come_back": urlencode({"next": request.path}),
    }
    return render(request, "quizzes/quiz.html", context)


def _no_such_quiz(request: HttpRequest, slug: str) -> HttpResponse:
    quizzes = {each.slug: each for each in queries.open_quizzes()}
    meant = [quizzes[near] for near in get_close_matches(slug, quizzes, n=1)]
    context = {"slug": slug, "meant": meant, "quizzes": quizzes.values()}
    return render(request, "quizzes/not_found.html", context, status=404)


@require_http_methods(["GET", "POST"])
def start(request: HttpRequest, slug: str) -> HttpResponse:
    """Start an attempt, or go on with the one that is open."""
    found = queries.quiz_to_take(slug)
    if found is None:
        return _no_such_quiz(request, slug)
    if request.method == "GET":
        # Somebody came back here from the log-in page, say.
        return redirect(found)
    if not request.user.is_authenticated:
        return redirect(_log_in(resolve_url(found)))
    try:
        attempt = start_attempt(student=request.user, quiz=found)
    except NotOpen as refusal:
        messages.error(request, str(refusal))
        return redirect(found)
    return redirect(attempt)


# During the attempt


@gzip_page  # some 60 KB of tables, which pack well
@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def attempt(request: HttpRequest, pk: int) -> HttpResponse:
    """The fifteen questions in one form; a post saves them all, and may lead to the summary."""
    own = _own_attempt(request, pk)
    if not _still_open(own):
        return redirect("quizzes:results", pk)
    if request.method == "GET":
        return _questions(request, own)
    try:
        refused = _save_all(request, own)
    except NotOpen:
        return redirect("quizzes:results", pk)
    if refused:
        return _questions(request, own, refused)
    return redirect("quizzes:submit" if "review" in request.POST else "quizzes:attempt", pk)


def _save_all(request: HttpRequest, own: Attempt) -> dict[int, dict[str, str]]:
    """Save what the form changes; what was refused, because something newer is stored."""
    refused = {}
    for position, save in forms.changes_in(request.POST, queries.items_of(own)).items():
        try:
            save_draft(attempt=own, position=position, save=save)
        except Outdated:
            refused[position] = save.fields
    return refused


def _questions(
    request: HttpRequest, own: Attempt, refused: dict[int, dict[str, str]] | None = None
) -> HttpResponse:
    refused = refused or {}
    items = queries.items_of(own)
    context = {
        "attempt": own,
        "items": [asked_item(item, typed=refused.get(item.position)) for item in items],
        "page": pages.attempt_page(own, items, timezone.now()),
        "refused": sorted(refused),
    }
    return render(request, "quizzes/attempt.html", context, status=409 if refused else 200)


@never_cache
@require_POST
def save(request: HttpRequest, pk: int, position: int) -> JsonResponse:
    """Keep one question's draft for the page's script; every answer is JSON."""
    if not request.user.is_authenticated:
        return _log_in_again(pk)
    own = queries.attempt_of(request.user, pk)
    if own is None:
        return _refusal(404, "There is no such attempt of yours.")
    try:
        item = save_draft(attempt=own, position=position, save=forms.read_save(request))
    except forms.BadSave as wrong:
        return _refusal(400, str(wrong))
    except Item.DoesNotExist:
        return _refusal(404, "There is no such question.")
    except Outdated as newer:
        return _refusal(409, str(newer), stored=receipts.stored(newer.item))
    except NotOpen as closed:
        return _refusal(409, str(closed), results=resolve_url("quizzes:results", pk))
    except DatabaseError:
        return _refusal(503, "This could not be stored just now. Try again.")
    return JsonResponse(receipts.receipt(item, own.deadline, timezone.now()))


def _log_in_again(pk: int) -> JsonResponse:
    log_in = _log_in(resolve_url("quizzes:attempt", pk))
    return _refusal(401, "Log in again to go on.", log_in=log_in)


def _refusal(status: int, message: str, **more: object) -> JsonResponse:
    return JsonResponse({"error": message, **more}, status=status)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def submit(request: HttpRequest, pk: int) -> HttpResponse:
    """A summary of what is answered and what is not; its button submits."""
    own = _own_attempt(request, pk)
    if request.method == "POST":
        _hand_in(own, forms.posted_saves(request.POST, queries.items_of(own)))
        return redirect("quizzes:results", pk)
    if not _still_open(own):
        return redirect("quizzes:results", pk)
    items = queries.items_of(own)
    context = {"attempt": own, "page": pages.attempt_page(own, items, timezone.now())}
    return render(request, "quizzes/submit.html", context)


# Afterwards


@gzip_page
@never_cache
@login_required
@require_GET
def results(request: HttpRequest, pk: int) -> HttpResponse:
    """The receipt while it waits, or until results are released; then the review."""
    own = _own_attempt(request, pk)
    if _still_open(own):
        return redirect(own)
    submission = queries.submission_of(own)
    own = submission.attempt
    if submission.state == Submission.State.WAITING:
        doorbell.ring_again()
    context = {"attempt": own, "submission": submission}
    if not own.shows_results(timezone.now()):
        return render(request, "quizzes/received.html", context)
    if submission.state != Submission.State.GRADED:
        return render(request, "quizzes/waiting.html", context)
    context["review"] = review(own, queries.graded_answers(submission))
    context["took"] = pages.time_taken(own)
    return render(request, "quizzes/results.html", context)


@never_cache
@require_GET
def status(request: HttpRequest, pk: int) -> JsonResponse:
    """How far the attempt is, for pages that wait, and for the clock."""
    if not request.user.is_authenticated:
        return _log_in_again(pk)
    own = queries.attempt_of(request.user, pk)
    if own is None:
        return _refusal(404, "There is no such attempt of yours.")
    state = Attempt.State.OPEN
    if not own.is_open:
        state = queries.submission_of(own).state
    if state == Submission.State.WAITING:
        doorbell.ring_again()
    seconds = receipts.seconds_left(own.deadline, timezone.now())
    return JsonResponse({"state": state, "seconds_left": seconds})


@login_required
@require_GET
def mine(request: HttpRequest) -> HttpResponse:
    """All of a student's attempts, the latest first."""
    attempts = Paginator(queries.attempts_of(request.user), ATTEMPTS_ON_A_PAGE)
    page = attempts.get_page(request.GET.get("page"))
    now = timezone.now()
    context = {
        "page": page,
        "attempts": [pages.attempt_line(attempt, now) for attempt in page],
        "quizzes": [] if page.object_list else queries.open_quizzes(),
    }
    return render(request, "quizzes/mine.html", context)


# Shared


def _own_attempt(request: HttpRequest, pk: int) -> Attempt:
    own = queries.attempt_of(request.user, pk)
    if own is None:
        raise Http404("There is no such attempt of yours.")
    return own


def _log_in(come_back: str) -> str:
    return f"{resolve_url('account_login')}?{urlencode({'next': come_back})}"


def _still_open(own: Attempt) -> bool:
    """Whether it takes answers. One whose time is up is handed in by whoever comes by."""
    if own.takes_answers(timezone.now()):
        return True
    if own.is_open:
        _hand_in(own, {})
    return False


def _hand_in(own: Attempt, saves: dict) -> None:
    submit_attempt(attempt=own, saves=saves)
    doorbell.ring_after_commit()
