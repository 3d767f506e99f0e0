"""Views: the page of an open attempt, and the endpoints for its script."""

from contextlib import suppress

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from design.fragments import render_page
from foundation.compression import compressed_page
from foundation.methods import allow_methods
from quizzes.delivery.forms import parse_changes, parse_flag, parse_save, parse_saves
from quizzes.delivery.presenters import receipts
from quizzes.delivery.presenters.attempt import attempt_progress
from quizzes.delivery.presenters.due import due_note
from quizzes.delivery.queries.attempts import (
    exam_without_quiz,
    items_of,
    last_submission,
    own_attempt,
    own_exam,
)
from quizzes.delivery.queries.messages import messages_in
from quizzes.delivery.services.taking import flag_item, save_draft, submit_attempt
from quizzes.delivery.views import reporting
from quizzes.delivery.views.shared import or_404, script_view
from quizzes.errors import NotOpen, Outdated
from quizzes.items.presenters.asked_item import asked_items
from quizzes.models import Attempt, Item, Submission
from quizzes.notifiers import grading_notifier
from quizzes.reports.presenters.student import OwnReport, RejectedReport, own_reports, with_reports


@compressed_page  # some 60 KB of tables, which compress well
@never_cache
@login_required
@allow_methods("GET", "POST")
def attempt(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the fifteen questions in one form. POST saves them, and may lead to the summary."""
    own = _own_attempt(request, pk)
    report = reporting.is_report(request)
    # Reports are accepted even after the time is up.
    not_reported = reporting.handle_report(request, own) if report else None
    if not _still_open(own):
        return redirect("quizzes:results", pk)
    if request.method != "POST":
        return _questions(request, own)
    try:
        refused = _save_all(request, own)
    except NotOpen:
        return redirect("quizzes:results", pk)
    pressed = parse_flag(request.POST)
    if pressed:
        _set_flag(own, *pressed)
    if refused or not_reported:
        return _questions(request, own, refused, not_reported)
    if report or pressed:
        position = reporting.pressed_position(request) if report else pressed[0]
        return redirect(f"{own.get_absolute_url()}#item-{position}")
    if "leave" in request.POST:
        return redirect("quizzes:home")
    return redirect("quizzes:submit" if "review" in request.POST else "quizzes:attempt", pk)


def _set_flag(own: Attempt, position: int, flagged: bool) -> None:
    """Flag as the form asks; questions that do not exist, or are no longer open, are ignored."""
    with suppress(Item.DoesNotExist, NotOpen):
        flag_item(attempt=own, position=position, flagged=flagged)


def _save_all(request: HttpRequest, own: Attempt) -> dict[int, dict[str, str]]:
    """Save the form's changes. Return the refused fields, where something newer is stored."""
    refused = {}
    for position, save in parse_changes(request.POST, items_of(own)).items():
        try:
            save_draft(attempt=own, position=position, save=save)
        except Outdated:
            refused[position] = save.fields
        except Item.DoesNotExist:
            raise Http404(_("Attempt not found.")) from None
    return refused


def _questions(
    request: HttpRequest,
    own: Attempt,
    refused: dict[int, dict[str, str]] | None = None,
    not_reported: RejectedReport | None = None,
) -> HttpResponse:
    refused = refused or {}
    items = items_of(own)
    asked = asked_items(items, typed=refused)
    states = None if refused else [each.state for each in asked]
    positions = [item.position for item in items]
    page = attempt_progress(own, items, timezone.now(), states)
    context = {
        "attempt": own,
        "items": with_reports(asked, _reports_below(own, positions, not_reported)),
        "page": page,
        # A refusal is above the first question.
        "start": positions[0] if refused or not_reported else page.start,
        "due": due_note(own, timezone.now()),
        "sent_to_all": messages_in(own),
        "refused": sorted(refused),
    }
    status = 409 if refused else not_reported.status if not_reported else 200
    return render(request, "quizzes/delivery/attempt.html", context, status=status)


def _reports_below(
    own: Attempt, positions: list[int], not_reported: RejectedReport | None
) -> dict[int, OwnReport]:
    """Return the reports below each question; previews have none."""
    if own.is_preview:
        return {}
    return own_reports(positions, reporting.read_reports(own), not_reported)


@script_view("POST")
def save(request: HttpRequest, pk: int, position: int) -> JsonResponse:
    """Save one question's draft, for the page's script."""
    own = or_404(own_attempt(request.user, pk))
    item = save_draft(attempt=own, position=position, save=parse_save(request))
    receipt = receipts.serialize_receipt(item, own.deadline, timezone.now())
    return JsonResponse(receipt | receipts.serialize_messages(messages_in(own)))


@script_view("POST")
def flag(request: HttpRequest, pk: int, position: int) -> JsonResponse:
    """Flag one question for a second look, or remove its flag, for the page's script."""
    own = or_404(own_attempt(request.user, pk))
    flagged = request.POST.get("flagged") == "true"
    flag_item(attempt=own, position=position, flagged=flagged)
    return JsonResponse({"flagged": flagged})


@never_cache
@login_required
@allow_methods("GET", "POST")
def submit(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a summary of answered and unanswered questions. POST submits the attempt."""
    if request.method == "POST":
        own = or_404(exam_without_quiz(request.user, pk))
        _submit(own, parse_saves(request.POST, items_of(own)))
        return redirect("quizzes:results", pk)
    own = _own_attempt(request, pk)
    if not _still_open(own):
        return redirect("quizzes:results", pk)
    items = items_of(own)
    now = timezone.now()
    page = attempt_progress(own, items, now)
    context = {
        "attempt": own,
        "page": page,
        "back": page.at(request.GET.get("from", "")),
        "due": due_note(own, now),
    }
    return render_page(request, "quizzes/delivery/submit.html", context)


@script_view("GET")
def status(request: HttpRequest, pk: int) -> JsonResponse:
    """Return the attempt's state and the time left, for the clock and for pages that wait."""
    own = or_404(own_attempt(request.user, pk))
    state = Attempt.State.OPEN
    submission = None if own.is_open else last_submission(own)
    if submission is not None:
        state = submission.state
        if state == Submission.State.WAITING:
            grading_notifier.wake_again()
        if not submission.attempt.shows_results(timezone.now()):
            state = "received"
    seconds = receipts.seconds_left(own.deadline, timezone.now())
    sent = receipts.serialize_messages(messages_in(own) if own.is_open else ())
    return JsonResponse({"state": state, "seconds_left": seconds, **sent})


# Shared


def _own_attempt(request: HttpRequest, pk: int) -> Attempt:
    own = or_404(own_exam(request.user, pk))
    return or_404(own if not own.is_preview or _is_author(request.user) else None)


def _is_author(user) -> bool:
    """Return whether this user may still preview quizzes."""
    return user.is_staff and user.has_perm("quizzes.change_quiz")


def _still_open(own: Attempt) -> bool:
    """Return whether it takes answers. If its time is up it is submitted here."""
    if own.takes_answers(timezone.now()):
        return True
    if own.is_open:
        _submit(own, {})
    return False


def _submit(own: Attempt, saves: dict) -> None:
    try:
        submit_attempt(attempt=own, saves=saves)
    except Attempt.DoesNotExist:
        raise Http404(_("Attempt not found.")) from None
    grading_notifier.wake_after_commit()
