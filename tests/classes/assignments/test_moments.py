"""Dates apply as they are shown: to the minute, and to its end."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from audit.models import Event
from classes.assignments.services.assigning import assign
from classes.models import Assignment
from classes.watching.queries import student_lines
from design.moments import format_moment
from foundation.minutes import end_of_minute, start_of_minute
from quizzes.delivery.services.taking import submit_attempt
from quizzes.marking.services import grade_waiting
from quizzes.models import Attempt, Sitting
from tests.each import each
from tests.world import (
    html_in_one_line,
    make_override,
    missing_in,
    refresh,
    rules,
    start_assigned_quiz,
)

pytestmark = pytest.mark.django_db
TYPED = {"minutes": "20", "counts": "best", "release": "at_once", "attempts_allowed": "2"}
LAST = timedelta(minutes=1, microseconds=-1)
UNTOUCHED = ("opens_at", "due_at", "closes_at")


@pytest.fixture
def rules_page(access, quiz):
    """Return a function that assigns the quiz with stored dates and returns its page of rules."""

    def page(**dates):
        assignment = assign(access=access, quiz=quiz, rules=rules(**dates, attempts_allowed=2))
        return assignment, f"{assignment.get_absolute_url()}rules/"

    return page


def fields_of(form):
    """Return what a browser sends of a form in which nobody types."""
    sent = {}
    with timezone.override("Europe/Vienna"):  # the class's
        for name, field in form.fields.items():
            value = form[name].value()
            if name in UNTOUCHED:
                value = field.widget.format_value(value)
            if value not in (None, False):
                sent[name] = value
    return sent


def stored(assignment):
    assignment = Assignment.objects.select_related("sitting").get(pk=assignment.pk)
    return assignment.sitting.opens_at, assignment.due_at, assignment.sitting.closes_at


@given(st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)))
def test_a_minute_begins_and_ends_where_a_clock_says_so(at):
    assert start_of_minute(at) <= at <= end_of_minute(at)
    shown = f"{at:%Y-%m-%d %H:%M}"
    assert f"{start_of_minute(at):%Y-%m-%d %H:%M}" == f"{end_of_minute(at):%Y-%m-%d %H:%M}" == shown
    assert f"{end_of_minute(at) + timedelta(microseconds=1):%Y-%m-%d %H:%M}" != shown


@each("seconds", ["", ":00", ":59", ":20.5"])
def test_a_typed_date_includes_its_whole_minute(ines_client, course, quiz, seconds):
    days = ("2027-06-01T08:30", "2027-06-02T08:30", "2027-06-03T23:59")
    dates = {name: f"{day}{seconds}" for name, day in zip(UNTOUCHED, days, strict=True)}
    sent = TYPED | {"quiz": quiz.pk} | dates
    ines_client.post(f"/teach/{course.pk}/quizzes/give/", sent)
    zone = ZoneInfo("Europe/Vienna")
    assert stored(Assignment.objects.get()) == (
        datetime(2027, 6, 1, 8, 30, tzinfo=zone),
        datetime(2027, 6, 2, 8, 30, tzinfo=zone) + LAST,
        datetime(2027, 6, 3, 23, 59, tzinfo=zone) + LAST,
    )


@each("seconds", [0, 20, 59])
def test_saving_other_fields_changes_no_moment(ines_client, rules_page, seconds):
    dates = {
        "opens_at": datetime(2027, 6, 1, 6, 30, seconds, tzinfo=UTC),
        "due_at": datetime(2027, 6, 2, 21, 59, seconds, tzinfo=UTC),
        "closes_at": datetime(2027, 6, 2, 22, 30, seconds, 999_999, tzinfo=UTC),
    }
    assignment, url = rules_page(**dates)
    answer = ines_client.post(
        url, fields_of(ines_client.get(url).context["form"]) | {"minutes": "25"}
    )
    assert answer.status_code == 302, html_in_one_line(answer)
    assert stored(assignment) == tuple(dates.values())
    [event] = Event.objects.filter(verb="classes.assignment.changed")
    assert event.after == {"minutes": 25}


def test_a_moment_in_the_hour_that_comes_twice_is_kept(ines_client, rules_page):
    due = datetime(2027, 10, 31, 1, 30, tzinfo=UTC)  # 02:30 for the second time, in Vienna
    assignment, url = rules_page(due_at=due)
    answer = ines_client.post(
        url, fields_of(ines_client.get(url).context["form"]) | {"minutes": "25"}
    )
    assert answer.status_code == 302, html_in_one_line(answer)
    assert stored(assignment)[1] == due


def test_a_due_date_in_the_minute_of_an_old_close_is_accepted(ines_client, rules_page):
    close = datetime(2027, 6, 2, 21, 59, tzinfo=UTC)
    assignment, url = rules_page(closes_at=close)
    form = ines_client.get(url).context["form"]
    ines_client.post(url, fields_of(form) | {"due_at": "2027-06-02T23:59"})
    assert stored(assignment) == (None, close + LAST, close)


def test_a_quiz_that_closes_in_the_minute_in_which_it_opens_is_refused(ines_client, course, quiz):
    at = {"opens_at": "2027-06-01T08:30", "closes_at": "2027-06-01T08:30"}
    answer = ines_client.post(f"/teach/{course.pk}/quizzes/give/", TYPED | {"quiz": quiz.pk} | at)
    assert "close after it opens" in html_in_one_line(answer)
    assert not Assignment.objects.exists()


def test_an_exception_includes_its_whole_minute_and_keeps_unchanged_dates(
    ines_client, rules_page, add_member, access
):
    assignment, _url = rules_page()
    sam = add_member("Sam")
    old = datetime(2027, 6, 2, 10, 0, tzinfo=UTC)
    made, _changed = make_override(access, assignment, sam, due_at=old)
    url = f"/teach/{access.course.pk}/exceptions/{made.pk}/"
    sent = fields_of(ines_client.get(url).context["form"]) | {"closes_at": "2027-06-03T23:59"}
    assert ines_client.post(url, sent).status_code == 302
    assert refresh(made).due_at == old
    assert made.closes_at == datetime(2027, 6, 3, 21, 59, tzinfo=UTC) + LAST


# Notices to those who submit late


def _attempt(access, quiz, student, due, closes=None):
    until = rules(due_at=due, closes_at=closes, minutes=60, attempts_allowed=2)
    return assign(access=access, quiz=quiz, rules=until), start_assigned_quiz(student)


def test_in_the_minute_in_which_it_is_due_it_is_in_time(access, quiz, add_member):
    sam, now = add_member("Sam"), timezone.now()
    assignment, attempt = _attempt(access, quiz, sam, end_of_minute(now))
    submit_attempt(attempt=attempt)
    Attempt.objects.update(submitted_at=end_of_minute(now) - timedelta(seconds=1))
    [line] = student_lines(access, assignment, now)
    assert not line.late


@pytest.mark.parametrize("where", ["", "submit/"])
def test_a_late_submission_is_announced_before(log_in, access, quiz, add_member, where):
    sam, now = add_member("Sam"), timezone.now()
    assignment, attempt = _attempt(access, quiz, sam, now - timedelta(hours=1))
    page = html_in_one_line(log_in(sam.user).get(f"{attempt.get_absolute_url()}{where}"))
    assert missing_in(page, "This quiz was due", "counts as late") == []
    # With an override it is still in time, and the page shows when the override ends.
    made, _changed = make_override(access, assignment, sam, due_at=now + timedelta(minutes=30))
    page = html_in_one_line(log_in(sam.user).get(f"{attempt.get_absolute_url()}{where}"))
    assert "was due" not in page
    # In the zone of the class, as on the quiz's own page.
    due = format_moment(refresh(made).due_at, access.course.time_zone)
    assert f"Due {due}. Work submitted after this counts as late" in page
    quiz_page = html_in_one_line(log_in(sam.user).get(quiz.get_absolute_url()))
    assert str(due) in quiz_page


@pytest.mark.parametrize(
    ("release", "graded"), [(Sitting.Release.AT_ONCE, True), (Sitting.Release.BY_HAND, False)]
)
def test_a_late_submission_is_shown_as_late(log_in, access, quiz, add_member, release, graded):
    sam, now = add_member("Sam"), timezone.now()
    assignment, attempt = _attempt(access, quiz, sam, now - timedelta(hours=1))
    Sitting.objects.filter(pk=assignment.sitting_id).update(release=release)
    submit_attempt(attempt=attempt)
    if graded:
        grade_waiting()
    url = f"{attempt.get_absolute_url()}results/"
    assert "late: it was due" in html_in_one_line(log_in(sam.user).get(url))
    # The same after the class is archived, and after the student has left.
    access.course.archived = True
    access.course.save()
    sam.state = "left"
    sam.save()
    assert "late: it was due" in html_in_one_line(log_in(sam.user).get(url))
    Assignment.objects.update(due_at=now + timedelta(hours=1))
    assert "late: it was due" not in html_in_one_line(log_in(sam.user).get(url))


def test_what_the_clock_hands_in_at_the_close_is_not_late(log_in, access, quiz, add_member):
    sam, now = add_member("Sam"), timezone.now()
    due = now + timedelta(minutes=5)
    assignment, attempt = _attempt(access, quiz, sam, due, due)
    submit_attempt(attempt=attempt)
    # A worker submitted it a little after the end.
    Attempt.objects.update(submitted_at=due + timedelta(seconds=30), closed_by_clock=True)
    [line] = student_lines(access, assignment, now)
    assert not line.late
    page = html_in_one_line(log_in(sam.user).get(f"{attempt.get_absolute_url()}results/"))
    assert "late" not in page.split("<main", 1)[1].split("</main>", 1)[0]
