"""Views: monitoring an assignment, and actions on its attempts."""

from collections.abc import Callable, Iterable
from http import HTTPStatus

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from classes.access.forms import ticked_keys
from classes.access.queries import CourseAccess
from classes.access.views import access_required, get_assignment_or_404
from classes.models import Assignment
from classes.watching import queries, services
from classes.watching.forms import (
    ActionForm,
    ExtendForm,
    MessageForm,
    MinutesForm,
    WatchFilter,
    format_end,
    parse_ends,
)
from classes.watching.presenters import live_update, watch_line
from classes.watching.queries import Line
from classes.watching.services import AttemptOutcome
from foundation.filters import page_from_request
from foundation.rate_limits import is_within
from quizzes.delivery.queries.messages import messages_at
from quizzes.notifiers import grading_notifier

# The session's keys of what was asked for last, and of what the last action did. Their pages are
# redirected to, so that going back sends nothing again.
PREVIEWED, OUTCOMES = "watching_previewed", "watching_outcomes"

TITLES = {
    "extend": gettext_lazy("More time"),
    "reopen": gettext_lazy("Reopen"),
    "hand_in": gettext_lazy("Submit"),
    "mark_again": gettext_lazy("Mark again"),
}

# Messages already sent that are listed below the form for the next.
MAX_SENT_SHOWN = 10


@access_required("GET")
def watch(request: HttpRequest, access: CourseAccess, assignment_id: int) -> HttpResponse:
    """Show the lines of the chosen students, and the number of students in each state."""
    assignment, wanted, now = (
        get_assignment_or_404(access, assignment_id),
        WatchFilter(request.GET, access),
        timezone.now(),
    )
    found = queries.student_lines(access, assignment, now, wanted.choice)
    page = page_from_request(request, queries.filter_lines(found, wanted.choice))
    context = {
        "access": access,
        "assignment": assignment,
        "filter": wanted,
        "everybody": len(found),
        "counts": queries.count_states(found),
        "page": page,
        "lines": [watch_line(line, now) for line in page],
    }
    return render(request, "classes/watching/watch.html", context)


@access_required("GET")
def live(request: HttpRequest, access: CourseAccess, assignment_id: int) -> JsonResponse:
    """Return the live update of the lines on a page, as JSON."""
    assignment, wanted, now = (
        get_assignment_or_404(access, assignment_id),
        WatchFilter(request.GET, access),
        timezone.now(),
    )
    found = queries.student_lines(access, assignment, now, wanted.choice)
    shown = {*ticked_keys(request.GET, "line")}
    listed = [line for line in found if line.member in shown]
    return JsonResponse(live_update(listed, queries.count_states(found), now))


@access_required("GET", "POST", may="helps_all")
def message_all(request: HttpRequest, access: CourseAccess, assignment_id: int) -> HttpResponse:
    """Ask for a text, then send it to all who work now."""
    assignment = get_assignment_or_404(access, assignment_id)
    form, status = MessageForm(request.POST or None), HTTPStatus.OK
    if form.is_valid():
        if is_within(request, "message_all"):
            text = form.cleaned_data["text"]
            sent = services.message_all(access=access, assignment=assignment, text=text)
            messages.success(request, _sent_words(sent.reached))
            return redirect("classes:watch", access.course.pk, assignment.pk)
        status = HTTPStatus.TOO_MANY_REQUESTS
        words = _("You’ve sent many messages in a short time. Wait ten minutes, then try again.")
        form.add_error(None, words)
    context = {
        "access": access,
        "assignment": assignment,
        "form": form,
        "sent": messages_at(assignment.sitting)[:MAX_SENT_SHOWN],
    }
    return render(request, "classes/watching/message.html", context, status=status)


def _sent_words(reached: int) -> str:
    if not reached:
        return _("Nobody is working now. Anyone who starts within a day will see the message.")
    words = ngettext(
        "Sent to the %(count)s student who’s working now.",
        "Sent to the %(count)s students who are working now.",
        reached,
    )
    return words % {"count": reached}


# Actions


@access_required("GET", "POST", may="helps")
def extend(request: HttpRequest, access: CourseAccess, assignment_id: int) -> HttpResponse:
    """Ask for the minutes, show each new end, then extend the attempts."""
    assignment = get_assignment_or_404(access, assignment_id)
    kept = request.session.get(PREVIEWED, "") if "preview" in request.GET else ""
    asked = request.POST or QueryDict(kept)
    lines = _ticked_lines(asked or request.GET, access, assignment)
    if not lines:
        return _redirect_unticked(request, access, assignment)
    form = ExtendForm(asked or None)
    context = {"access": access, "assignment": assignment, "chosen": lines, "form": form}
    if not form.is_valid():
        return render(request, "classes/watching/extend.html", context)
    mine = {line.attempt for line in lines}
    until = {key: end for key, end in parse_ends(request.POST).items() if key in mine}
    if until:
        done = services.extend(
            access=access, assignment=assignment, until=until, reason=form.cleaned_data["reason"]
        )
        return _show_outcomes(request, access, assignment, done, lines, "extend")
    if request.method == "POST":
        request.session[PREVIEWED] = request.POST.urlencode()
        return redirect(f"{request.path}?preview")
    now = timezone.now()
    timed = [line for line in lines if line.runs and line.deadline]
    context["ends"] = [
        {"line": line, "end": end, "form_value": format_end(line.attempt, end)}
        for line in timed
        if (end := form.until(line, now)) > line.deadline
    ]
    changed = {each["line"].member for each in context["ends"]}
    context["others"] = [(line, _why_not(line)) for line in lines if line.member not in changed]
    return render(request, "classes/watching/extend.html", context)


def _why_not(line: Line) -> str:
    """Return why an attempt gets no more time."""
    if line.attempt is None:
        return _("not started")
    if not line.runs:
        return _("The attempt is over.")
    if line.deadline is None:
        return _("The attempt has no time limit.")
    return _("The attempt already runs that long.")


@access_required("GET", "POST", may="helps")
def reopen(request: HttpRequest, access: CourseAccess, assignment_id: int) -> HttpResponse:
    """Ask for the minutes, then reopen finished attempts."""
    return _confirm(request, access, assignment_id, MinutesForm, services.reopen)


@access_required("GET", "POST", may="helps")
def hand_in(request: HttpRequest, access: CourseAccess, assignment_id: int) -> HttpResponse:
    """Ask for a reason, then submit running attempts."""
    return _confirm(request, access, assignment_id, ActionForm, services.hand_in)


@access_required("GET", "POST", may="helps")
def mark_again(request: HttpRequest, access: CourseAccess, assignment_id: int) -> HttpResponse:
    """Ask for a reason, then queue attempts that could not be marked again."""
    return _confirm(request, access, assignment_id, ActionForm, services.mark_again)


def _confirm(
    request: HttpRequest,
    access: CourseAccess,
    assignment_id: int,
    form_of: type[ActionForm],
    deed: Callable[..., list[AttemptOutcome]],
) -> HttpResponse:
    assignment = get_assignment_or_404(access, assignment_id)
    lines = _ticked_lines(request.POST or request.GET, access, assignment)
    if not lines:
        return _redirect_unticked(request, access, assignment)
    form = form_of(request.POST or None, initial=request.GET.dict())
    if request.method == "POST" and form.is_valid():
        attempts = [line.attempt for line in lines if line.attempt]
        done = deed(
            access=access,
            assignment=assignment,
            attempts=attempts,
            **form.service_arguments(timezone.now()),
        )
        grading_notifier.wake_after_commit()
        return _show_outcomes(request, access, assignment, done, lines, deed.__name__)
    context = {
        "access": access,
        "assignment": assignment,
        "form": form,
        "chosen": lines,
        "shown": assignment.sitting.shows_results(timezone.now()),
    }
    return render(request, f"classes/watching/{deed.__name__}.html", context)


def _ticked_lines(sent: QueryDict, access: CourseAccess, assignment: Assignment) -> list[Line]:
    """Return the lines of the ticked members, or of all in the filter who work now.

    Raises Http404 if a member is not visible to the user.
    """
    if sent.get("who") == queries.State.WORKING:
        wanted = WatchFilter(sent, access).choice
        found = queries.student_lines(access, assignment, timezone.now(), wanted)
        return [line for line in found if line.runs]
    keys = {*ticked_keys(sent)}
    found = queries.student_lines(access, assignment, timezone.now(), members=keys)
    if len(found) < len(keys):
        raise Http404(
            _(
                "Someone you selected isn’t in this class or isn’t in your section. Check your"
                " selection."
            )
        )
    return found


def _redirect_unticked(
    request: HttpRequest, access: CourseAccess, assignment: Assignment
) -> HttpResponse:
    messages.info(request, _("Select some people first."))
    return redirect("classes:watch", access.course.pk, assignment.pk)


def _show_outcomes(
    request: HttpRequest,
    access: CourseAccess,
    assignment: Assignment,
    outcomes: list[AttemptOutcome],
    lines: Iterable[Line],
    deed: str,
) -> HttpResponse:
    """Keep the outcomes in the session, and redirect to their page."""
    why = {each.attempt.pk: each.why for each in outcomes}
    done = [line.member for line in lines if why.get(line.attempt) == ""]
    left = {line.member: why.get(line.attempt) or _why_not(line) for line in lines}
    for member in done:
        del left[member]
    request.session[OUTCOMES] = {
        "assignment": assignment.pk,
        "deed": deed,
        "done": done,
        # JSON's keys are texts.
        "left": {str(member): str(why) for member, why in left.items()},
    }
    return redirect("classes:done", access.course.pk, assignment.pk)


@access_required("GET", may="helps")
def done(request: HttpRequest, access: CourseAccess, assignment_id: int) -> HttpResponse:
    """Show what the user's last action did and, for other attempts, why it did nothing."""
    assignment = get_assignment_or_404(access, assignment_id)
    kept = request.session.get(OUTCOMES)
    if kept is None or kept["assignment"] != assignment.pk:
        return redirect("classes:watch", access.course.pk, assignment.pk)
    changed, left = {*kept["done"]}, kept["left"]
    members = changed | {int(member) for member in left}
    found = queries.student_lines(access, assignment, timezone.now(), members=members)
    context = {
        "access": access,
        "assignment": assignment,
        "title": TITLES[kept["deed"]],
        "done": [line for line in found if line.member in changed],
        "left": [(line, left[str(line.member)]) for line in found if line.member not in changed],
        "may_reopen": kept["deed"] == services.hand_in.__name__,
    }
    return render(request, "classes/watching/done.html", context)
