"""The pages on which quizzes are assigned and overrides made."""

import re
from datetime import timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from classes.courses.queries import count_waiting
from classes.models import Assignment, Label, Override
from quizzes.models import ExtraTime, Sitting
from quizzes.reports.services import report_item
from tests.each import each
from tests.world import html_in_one_line, make_override, missing_in, refresh, rules, visible_text

pytestmark = pytest.mark.django_db
NOW = timezone.now().replace(microsecond=0)
HOUR = timedelta(hours=1)
RULES = rules(due_at=NOW + HOUR, closes_at=NOW + 2 * HOUR)
TYPED = {"minutes": "20", "counts": "best", "release": "at_once", "attempts_allowed": "2"}


@pytest.fixture
def address(course):
    return f"/teach/{course.pk}"


def test_a_quiz_is_given_by_the_clock_of_the_class(ines_client, course, quiz, address):
    dates = {"opens_at": "2027-06-01T08:30", "closes_at": "2027-06-02T08:30"}
    sent = TYPED | {"quiz": quiz.pk} | dates
    answer = ines_client.post(f"{address}/quizzes/give/", sent, follow=True)
    assignment = Assignment.objects.get(course=course)
    assert assignment.sitting.opens_at.isoformat() == "2027-06-01T06:30:00+00:00"
    assert assignment.sitting.minutes == 20
    assert "1 Jun 2027, 08:30, Vienna time" in html_in_one_line(answer)


@each(
    "typed, said",
    [
        ({"opens_at": "2027-03-28T02:30"}, "clocks change that night"),
        ({"opens_at": "2027-10-31T02:30"}, "clocks change that night"),
        ({"opens_at": "tomorrow"}, "Enter a valid date/time"),
        ({"opens_at": "9999-12-31T23:59"}, "Check the year"),
        ({"opens_at": "2027-06-01T08:30", "closes_at": "2027-05-01T08:30"}, "close after it opens"),
        ({"minutes": "0"}, "greater than or equal to 1"),
        ({"minutes": "٣" * 5000}, "whole number"),
        ({"attempts_allowed": "-1"}, "greater than or equal to 1"),
        ({"quiz": "99999999999999999999"}, "Select a valid choice"),
        ({"release": "after_close"}, "enter a closing date"),
    ],
)
def test_invalid_input_shows_errors_and_is_kept(ines_client, address, quiz, typed, said):
    sent = TYPED | {"quiz": quiz.pk, "due_at": "2027-05-30T10:00"} | typed
    answer = ines_client.post(f"{address}/quizzes/give/", sent)
    assert said in html_in_one_line(answer)
    assert 'value="2027-05-30T10:00"' in html_in_one_line(answer)
    assert not Assignment.objects.exists()


def test_a_class_opens_with_what_waits_for_its_staff(
    ines_client, log_in, add_member, course, assignment, attempts_by_name, address
):
    def needs(client):
        page = client.get(course.get_absolute_url()).text
        listed = page.partition('class="raised needs"')[2].partition("</section>")[0]
        return re.findall(r'<li><a href="([^"]*)">([^<]*)', listed), visible_text(listed)

    dan, watch = attempts_by_name["Dan"], f"{address}/quizzes/{assignment.pk}/watch/"
    Sitting.objects.update(closes_at=None)
    found, _words = needs(ines_client)
    assert found == [
        (watch, "1 student is working now"),
        (f"{watch}?state=attention", "1 attempt couldn’t be marked"),
    ]

    report_item(item=dan.items.first(), sentence="Wrong")
    Sitting.objects.update(release="by_hand", closes_at=NOW - HOUR, opens_at=None)
    Assignment.objects.update(dates_copied=True)
    found, words = needs(ines_client)
    assert found == [
        (f"{address}/reports/", "Answer 1 report on a question"),
        (watch, "1 student is working now"),
        (f"{watch}?state=attention", "1 attempt couldn’t be marked"),
        (f"{address}/quizzes/{assignment.pk}/release/", "Release the marks"),
        (f"{address}/quizzes/{assignment.pk}/rules/", "Check the dates"),
        (f"{address}/gradebook/?state=none", "1 student hasn’t started any quiz"),
    ]
    assert "Eve" in words

    # Of other sections an assistant is told nothing, and of rules nothing that only instructors do.
    abe = log_in(add_member("Abe", role="assistant", section="A").user)
    assert needs(abe)[0] == []


def test_the_header_counts_what_waits_in_one_query(
    ines_client, ines, log_in, add_member, assignment, attempts_by_name, django_assert_num_queries
):
    report_item(item=attempts_by_name["Dan"].items.first(), sentence="Wrong")
    Sitting.objects.update(release="by_hand", closes_at=NOW - HOUR, opens_at=None)
    Assignment.objects.update(dates_copied=True)
    with django_assert_num_queries(1):
        assert count_waiting(ines) == 4
    assert "4 waiting" in visible_text(ines_client.get("/formulas/").text)
    # An assistant neither releases marks nor checks dates.
    helpers = [add_member("Hal", role="assistant"), add_member("Abe", "assistant", section="A")]
    assert [count_waiting(each.user) for each in helpers] == [2, 0]
    assert count_waiting(attempts_by_name["Dan"].student) == 0


def test_a_class_opens_with_the_scores_of_what_closed_last(
    ines_client, course, assignment, attempts_by_name, address
):
    def opening():
        return visible_text(ines_client.get(course.get_absolute_url()).text)

    assert "Most recently closed" not in opening()
    Sitting.objects.update(closes_at=NOW - HOUR, opens_at=None)
    words = ("Most recently closed", "Scores", "0 to 10 1", "1 attempt that counts.")
    assert missing_in(opening(), *words) == []


def test_before_marks_are_released_the_page_names_who_has_still_to_take_the_quiz(
    ines_client, course, assignment, attempts_by_name, address
):
    Sitting.objects.update(release="by_hand")
    page = ines_client.get(f"{address}/quizzes/{assignment.pk}/release/").text
    assert re.findall(r"<li><bdi>(\w+)", page) == ["Ada", "Eve"]
    assert "2 students still have to take it" in visible_text(page)


def test_quizzes_that_run_are_listed_before_those_that_are_over(ines_client, assign_quiz, address):
    over, runs = assign_quiz(), assign_quiz()
    Sitting.objects.filter(pk=over.sitting_id).update(opens_at=None, closes_at=NOW - HOUR)
    page = ines_client.get(f"{address}/quizzes/").text
    rows = re.findall(rf'rowheader"><a href="{address}/quizzes/(\d+)/"', page)
    assert rows == [str(runs.pk), str(over.pk)]


def test_what_closes_today_is_named_until_it_has_closed(ines_client, course, assignment):
    end = timezone.localtime(timezone=ZoneInfo(course.time_zone)).replace(hour=23, minute=59)
    for closes, named in ((end, True), (end + timedelta(days=1), False), (NOW - HOUR, False)):
        Sitting.objects.update(closes_at=closes, opens_at=None)
        assert ("Ends today" in ines_client.get(course.get_absolute_url()).text) is named


def test_exceptions_are_made_by_pasting_addresses(ines_client, assignment, add_member, address):
    ann, ben = add_member("Ann"), add_member("Ben")
    sent = {"assignment": assignment.pk, "addresses": "ANN@example.org; Ben <ben@example.org>"}
    sent |= {"factor": "1.5", "reason": "as agreed"}
    page = ines_client.post(f"{address}/exceptions/new/", sent, follow=True)
    assert "exceptions saved.</" in page.text
    made = Override.objects.filter(assignment=assignment, factor="1.5", reason="as agreed")
    assert {override.member for override in made} == {ann, ben}


def test_one_exception_is_made_for_a_whole_section(ines_client, assignment, add_member, address):
    add_member("Ann", section="Group A")
    sent = {"assignment": assignment.pk, "section": "Group A", "factor": "1.5"}
    ines_client.post(f"{address}/exceptions/new/", sent)
    assert Override.objects.get().label.text == "Group A"
    answer = ines_client.post(f"{address}/exceptions/new/", sent | {"addresses": "ann@example.org"})
    assert "one of these" in answer.text


def test_an_exception_has_every_value_that_was_typed(ines_client, assignment, sam, address):
    dates = {"opens_at": "08:30", "due_at": "08:50", "closes_at": "09:00"}
    sent = {name: f"2027-06-01T{at}" for name, at in dates.items()}
    sent |= {"factor": "1.5", "more_minutes": "10", "attempts_allowed": "3"}
    more = {"assignment": assignment.pk, "addresses": "sam@example.org"}
    ines_client.post(f"{address}/exceptions/new/", sent | more)
    made = Override.objects.get(member=sam)
    zone = ZoneInfo(assignment.course.time_zone)
    assert {name: f"{getattr(made, name).astimezone(zone):%H:%M}" for name in dates} == dates
    assert (made.factor, made.more_minutes, made.untimed) == (Decimal("1.5"), 10, False)
    assert made.attempts_allowed == 3


def test_an_address_of_nobody_here_is_named_and_nothing_is_made(
    ines_client, assignment, add_member, address, other_course
):
    add_member("Ann")
    add_member("Yuki", of=other_course)
    sent = {"addresses": "ann@example.org, yuki@example.org", "factor": "1.5"}
    answer = ines_client.post(f"{address}/exceptions/new/", sent)
    assert "has this address: yuki@example.org" in html_in_one_line(answer)
    assert not Override.objects.exists()


def test_a_label_of_another_class_cannot_be_chosen(ines_client, assignment, address, other_course):
    label = Label.objects.create(course=other_course, text="theirs")
    Label.objects.create(course=assignment.course, text="ours")
    answer = ines_client.post(f"{address}/exceptions/new/", {"label": label.pk, "untimed": "on"})
    assert "Select a valid choice" in html_in_one_line(answer)


def test_effective_settings_of_a_student_are_shown_with_their_reasons(
    ines_client, access, assignment, add_member, address
):
    sam = add_member("Sam")
    ExtraTime.objects.create(student=sam.user, minutes=7)
    make_override(access, assignment, sam, more_minutes=10, reason="a broken arm")
    shown = html_in_one_line(ines_client.get(f"{address}/quizzes/{assignment.pk}/for/{sam.pk}/"))
    applied = shown.index("30 minutes (20 + 10)")
    assert applied < shown.index("27 minutes (20 + 7)") < shown.index("20 minutes<")
    assert "exception for this student in this quiz: a broken arm" in shown


def test_an_exception_is_changed_and_removed_and_no_other(
    ines_client, access, assignment, add_member, address
):
    kept, _changed = make_override(access, None, add_member("Ann"), more_minutes=5)
    override, _changed = make_override(access, None, add_member("Sam"), more_minutes=10)
    url = f"{address}/exceptions/{override.pk}/"
    ines_client.post(url, {"attempts_allowed": "3"})
    assert (refresh(override).more_minutes, override.attempts_allowed) == (None, 3)
    assert (refresh(kept).more_minutes, kept.attempts_allowed) == (5, None)
    ines_client.post(f"{url}end/", {"version": "2"})
    assert [each.more_minutes for each in Override.objects.all()] == [5]
    assert ines_client.get(url).status_code == 404


def test_lists_of_any_length_take_as_many_queries(
    ines_client, access, assignment, add_member, address, django_assert_max_num_queries
):
    for number in range(12):
        make_override(access, assignment, add_member(f"Sam{number}"), more_minutes=10)
    for url in ("quizzes/", f"quizzes/{assignment.pk}/", "exceptions/"):
        with django_assert_max_num_queries(12):
            assert ines_client.get(f"{address}/{url}").status_code == 200


def test_history_has_assignments_and_exceptions(
    ines_client, access, assignment, add_member, address
):
    make_override(access, None, add_member("Sam"), more_minutes=10)
    shown = html_in_one_line(ines_client.get(f"{address}/history/"))
    assert missing_in(shown, "made an exception for <bdi>Sam</bdi>", "assigned a quiz") == []
