"""Views: practice of skills, quizzes and mistakes, item by item."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render, resolve_url
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from foundation.methods import allow_methods
from lessons.pages.queries import last_read_lesson, sections_by_family
from quizzes.authoring.queries import quiz_to_take
from quizzes.delivery.forms import parse_changes, parse_saves
from quizzes.delivery.queries.attempts import items_of, own_exam, own_practice
from quizzes.delivery.queries.practicable import closed_problems, practicable_problems
from quizzes.delivery.queries.secrecy import questions_hidden_in_practice
from quizzes.delivery.services.taking import save_draft
from quizzes.delivery.views import reporting
from quizzes.delivery.views.shared import limit_starts, login_url, no_such_quiz, script_view
from quizzes.errors import NotOpen, Outdated, Refused, Unreadable
from quizzes.items.queries import section_by_topic, topic_titles, topics_by_key
from quizzes.items.skills import Skill
from quizzes.models import Attempt, Item, Submission
from quizzes.notifiers import grading_notifier
from quizzes.practice.presenters.practice import (
    practice_page_context,
    skill_page_context,
    words_for_left_out,
)
from quizzes.practice.presenters.skills import skills_context
from quizzes.practice.queries.access import may_practise
from quizzes.practice.queries.practice import (
    count_left_out,
    last_check,
    latest_checks,
    position_to_continue,
    practised_items,
)
from quizzes.practice.queries.skill_records import skill_records
from quizzes.practice.queries.spaced_review import due_reviews_of
from quizzes.practice.services import (
    check_item,
    practise_mistakes,
    practise_quiz,
    practise_skill,
    replace_variant,
    show_solution,
    take_hint,
)
from quizzes.problems.answers import input_name
from quizzes.reports.presenters.student import RejectedReport, own_reports

# Before the start


@allow_methods("GET")
def skills(request: HttpRequest) -> HttpResponse:
    """Show the skill map with this student's standings. `?lesson=` limits it to one lesson."""
    families, topics = sections_by_family(), section_by_topic()
    wanted = request.GET.get("lesson", "")
    homes = filter(None, (*families.values(), *topics.values()))
    lesson = next((home.lesson for home in homes if home.lesson.slug == wanted), None)
    now, student = timezone.now(), request.user
    own = {}
    if student.is_authenticated:
        records = skill_records(student, now)
        own = {
            "records": records,
            "today": due_reviews_of(student, records, now),
            "last_read": last_read_lesson(student),
        }
    page = skills_context(
        families=families,
        topics=topics,
        written=practicable_problems(student),
        named=topics_by_key(),
        lesson=lesson,
        **own,
    )
    return render(request, "quizzes/practice/skills.html", {"page": page})


@allow_methods("GET", "POST")
def skill(request: HttpRequest, of: str, key: str) -> HttpResponse:
    """Show a skill and how this student did at it. A POST starts or continues its practice."""
    wanted = Skill(of, key)
    if not may_practise(request.user, wanted):
        raise Http404(_("There’s nothing to practise under this name."))
    if request.method == "POST":
        if not request.user.is_authenticated:
            return redirect(login_url(request.path))
        return _start(request, lambda: practise_skill(student=request.user, skill=wanted))
    tried = []
    if request.user.is_authenticated:
        hidden = questions_hidden_in_practice(request.user, timezone.now())
        tried = practised_items(request.user, wanted, hidden)
    context = {
        "page": skill_page_context(wanted, topic_titles(), tried),
        "come_back": urlencode({"next": request.path}),
    }
    return render(request, "quizzes/practice/skill.html", context)


@allow_methods("GET", "POST")
def start_quiz(request: HttpRequest, slug: str) -> HttpResponse:
    """Start or continue practising a quiz."""
    found = quiz_to_take(slug)
    if found is None:
        return no_such_quiz(request, slug)
    if request.method != "POST":
        return redirect(found)  # as the view `start` does
    if not request.user.is_authenticated:
        return redirect(login_url(resolve_url(found)))
    return _start(request, lambda: practise_quiz(student=request.user, quiz=found), found)


@login_required
@allow_methods("GET", "POST")
def mistakes(request: HttpRequest, pk: int) -> HttpResponse:
    """Start or continue practising the mistakes in the student's own attempt."""
    own = own_exam(request.user, pk)
    if own is None or own.is_preview:
        raise Http404(_("Attempt not found."))
    results = resolve_url("quizzes:results", pk)
    if request.method != "POST":
        return redirect(results)

    def start() -> Attempt:
        practice = practise_mistakes(attempt=own)
        if left_out := count_left_out(practice, own, timezone.now()):
            messages.info(request, words_for_left_out(left_out))
        return practice

    return _start(request, start, results)


def _start(request: HttpRequest, start, back=None) -> HttpResponse:
    try:
        limit_starts(request)
        return redirect(start())
    except NotOpen as refused:
        messages.error(request, str(refused))
        return redirect(back or request.path)


# During practice


@login_required
@allow_methods("GET")
def practice(request: HttpRequest, pk: int) -> HttpResponse:
    """Redirect to the first place that is not yet right."""
    own = _own_practice(request, pk)
    hidden = questions_hidden_in_practice(request.user, timezone.now())
    return redirect("quizzes:practice-item", pk, position_to_continue(own, hidden))


@never_cache
@login_required
@allow_methods("GET", "POST")
def item(request: HttpRequest, pk: int, position: int) -> HttpResponse:
    """Show an item with its draft and feedback. A POST checks it, or asks for another or help."""
    own = _own_practice(request, pk)
    asked = get_object_or_404(Item, attempt=own, position=position)
    if request.method != "POST":
        return _item(request, own, asked)
    report, not_reported = reporting.is_report(request), None
    if report:
        not_reported = reporting.handle_report(request, own)
    try:
        if "another" in request.POST:
            _save(own, asked, request)
            asked = replace_variant(attempt=own, position=position)
        elif "check" in request.POST:
            _save(own, asked, request)
            check_item(attempt=own, position=position)
            grading_notifier.wake_after_commit()
        elif "hint" in request.POST:
            _save(own, asked, request)
            take_hint(attempt=own, position=position, step=request.POST["hint"])
            return redirect(f"{request.path}#help")
        elif "solution" in request.POST:
            _save(own, asked, request)
            show_solution(attempt=own, position=position)
            return redirect(f"{request.path}#help")
        else:
            _save(own, asked, request)
    except Outdated:
        typed = parse_saves(request.POST, [asked])[position].fields
        asked.refresh_from_db()
        return _item(request, own, asked, typed=typed, not_reported=not_reported)
    except Unreadable as refused:
        messages.error(request, str(refused))
        return redirect(f"{request.path}#{input_name(position, refused.field)}")
    except Refused as refused:
        messages.error(request, str(refused))
    if not_reported:
        asked.refresh_from_db()
        return _item(request, own, asked, not_reported=not_reported)
    if report:
        return redirect(f"{request.path}#item-{position}")
    return redirect("quizzes:practice-item", pk, asked.position)


def _save(own: Attempt, asked: Item, request: HttpRequest) -> None:
    for position, change in parse_changes(request.POST, [asked]).items():
        save_draft(attempt=own, position=position, save=change)


def _item(
    request: HttpRequest,
    own: Attempt,
    asked: Item,
    typed: dict[str, str] | None = None,
    not_reported: RejectedReport | None = None,
) -> HttpResponse:
    hidden = questions_hidden_in_practice(request.user, timezone.now())
    checks = latest_checks(own, hidden)
    if any(check.state == Submission.State.WAITING for check in checks.values()):
        grading_notifier.wake_again()
    items, homes = items_of(own), sections_by_family()
    titles = {} if own.quiz else topic_titles()
    below = own_reports([asked.position], reporting.read_reports(own), not_reported)
    page = practice_page_context(
        own,
        asked,
        items,
        checks,
        titles=titles,
        homes=homes,
        hidden=hidden,
        typed=typed,
        report=below[asked.position],
        is_closed=bool(own.skill and closed_problems(request.user, [Skill.parse(own.skill).key])),
    )
    context = {"attempt": own, "page": page}
    status = 409 if typed else not_reported.status if not_reported else 200
    return render(request, "quizzes/practice/practice.html", context, status=status)


@script_view("GET")
def status(request: HttpRequest, pk: int, position: int) -> JsonResponse:
    """Return the state of this item's last check, for polling."""
    last = last_check(_own_practice(request, pk), position)
    if last and last.state == Submission.State.WAITING:
        grading_notifier.wake_again()
    return JsonResponse({"state": last.state if last else ""})


def _own_practice(request: HttpRequest, pk: int) -> Attempt:
    own = own_practice(request.user, pk)
    if own is None:
        raise Http404(_("Practice not found."))
    return own
