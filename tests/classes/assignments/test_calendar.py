"""A student's dates as calendar programs fetch them, under an address that cannot be guessed."""

from datetime import UTC, datetime

import icalendar
import pytest
from django.test import override_settings

from accounts.personal import export_personal_data, forget
from classes.assignments.calendars import render_calendar
from classes.assignments.services.assigning import change_assignment
from classes.assignments.services.calendars import create_calendar
from classes.assignments.services.exceptions import remove_override
from classes.courses.services.courses import archive_course, change_course
from classes.models import Assignment, Calendar
from classes.people.services.people import leave_course
from tests.conftest import FormClient
from tests.world import found_in, make_override, refresh, rules

pytestmark = pytest.mark.django_db
RULES = rules()


@pytest.fixture(autouse=True)
def _site(settings):
    settings.SITE_URL = "https://learn.example.org"


@pytest.fixture
def address(sam):
    return f"/calendar/{create_calendar(user=sam.user)}.ics"


def fetched(address):
    answer = FormClient().get(address)
    assert answer.status_code == 200
    return answer


def events(address):
    return list(icalendar.Calendar.from_ical(fetched(address).content).walk("VEVENT"))


SUMMER = datetime(2090, 7, 1, 6, 30, tzinfo=UTC)
LATER = datetime(2090, 7, 8, 6, 30, tzinfo=UTC)


def test_each_due_date_is_an_event_with_title_class_and_address(assign_quiz, address):
    assignment = assign_quiz(due_at=SUMMER, closes_at=LATER)
    (event,) = events(address)
    link = f"https://learn.example.org{assignment.sitting.get_absolute_url()}"
    assert event["SUMMARY"] == f"{assignment.sitting.quiz.title} is due"
    assert event.decoded("DTSTART") == SUMMER
    assert "Attention 101" in event["DESCRIPTION"]
    assert link in event["DESCRIPTION"]
    assert event["URL"] == link


def test_what_is_never_due_is_there_when_it_closes(assign_quiz, address):
    assign_quiz(closes_at=LATER)
    assign_quiz()
    (event,) = events(address)
    assert event["SUMMARY"].endswith("closes")
    assert event.decoded("DTSTART") == LATER


@pytest.mark.parametrize(
    "at",
    [datetime(2027, 3, 28, 0, 59, tzinfo=UTC), datetime(2027, 3, 28, 1, 0, tzinfo=UTC)]
    + [datetime(2027, 10, 31, hour, 30, tzinfo=UTC) for hour in (0, 1)],
    ids=["before spring", "in spring", "the first half past two", "the second"],
)
def test_in_nights_in_which_clocks_change_the_moment_stays_the_same(assign_quiz, address, at):
    assign_quiz(due_at=at)
    (event,) = events(address)
    assert event.decoded("DTSTART") == at
    assert event["DTSTART"].to_ical().endswith(b"Z")


def test_exceptions_apply_and_whoever_has_none_sees_the_usual_dates(
    assign_quiz, access, sam, add_member, address
):
    make_override(access, assign_quiz(due_at=SUMMER), sam, due_at=LATER)
    other = f"/calendar/{create_calendar(user=add_member('Ann').user)}.ics"
    assert [event.decoded("DTSTART") for event in events(address)] == [LATER]
    assert [event.decoded("DTSTART") for event in events(other)] == [SUMMER]


def test_a_change_keeps_the_event_and_counts_up(assign_quiz, access, sam, address):
    assignment = assign_quiz(due_at=SUMMER)
    Assignment.objects.update(changed_at=assignment.course.created_at)
    (first,) = events(address)
    assert first["SEQUENCE"] == 0

    def changed(do):
        before = Assignment.objects.get().changed_at
        do()
        assert Assignment.objects.get().changed_at > before

    one, moved = {"access": access, "assignment": assignment, "version": 1}, rules(due_at=LATER)
    changed(lambda: change_assignment(**one, rules=moved))
    made = []
    changed(lambda: made.append(make_override(access, assignment, sam, due_at=SUMMER)[0]))
    changed(lambda: remove_override(access=access, override=made[0], version=1))
    Assignment.objects.update(changed_at=datetime(2091, 1, 1, tzinfo=UTC))
    (last,) = events(address)
    assert last["UID"] == first["UID"]
    assert last["SEQUENCE"] > 0
    assert last.decoded("LAST-MODIFIED") == datetime(2091, 1, 1, tzinfo=UTC)


def test_a_class_that_is_renamed_is_called_so_in_the_file_and_to_its_students(
    assign_quiz, access, address
):
    assignment = assign_quiz(due_at=SUMMER)
    zone = access.course.time_zone
    change_course(
        course=access.course, by=access.user, title="Renamed", time_zone=zone, first_day=None
    )
    (event,) = events(address)
    assert event["DESCRIPTION"].startswith("Renamed")
    assert refresh(assignment.sitting).given_in == "Renamed"


def test_nobody_is_named(assign_quiz, address):
    assign_quiz(due_at=SUMMER)
    assert found_in(fetched(address).text, "Sam", "sam@") == []


@pytest.mark.parametrize("title", ["A; B, C\\D", "one\r\nX-EVIL:two", "Größe " * 15])
def test_no_title_breaks_the_file(assign_quiz, quiz, address, title):
    quiz.title = title
    quiz.save()
    assign_quiz(due_at=SUMMER)
    (event,) = events(address)
    assert event["SUMMARY"] == f"{title} is due".replace("\r\n", "\n")
    assert "X-EVIL" not in event
    assert max(map(len, fetched(address).content.split(b"\r\n"))) <= 75


@pytest.mark.parametrize(
    "gone",
    [
        lambda access, sam: leave_course(member=sam),
        lambda access, sam: archive_course(course=access.course, by=access.user, archived=True),
    ],
)
def test_who_left_and_what_is_archived_has_no_dates(assign_quiz, access, sam, address, gone):
    assign_quiz(due_at=SUMMER)
    gone(access, sam)
    assert events(address) == []


def test_it_is_kept_by_nobody_but_its_reader(address):
    answer = fetched(address)
    assert "private" in answer["Cache-Control"]
    assert answer["Content-Type"] == "text/calendar; charset=utf-8"


def test_the_token_is_kept_as_a_hash(sam, address):
    assert address.split("/")[2].removesuffix(".ics") not in str(Calendar.objects.values().get())


def test_another_address_ends_the_one_before(log_in, sam, address):
    sams = log_in(sam.user)
    page = sams.post("/calendar/", {"do": "make"}, follow=True).text
    new = page.partition('href="https://learn.example.org/calendar/')[2].partition('"')[0]
    fetched(f"/calendar/{new}")
    assert FormClient().get(address).status_code == 404
    assert new not in sams.get("/calendar/").text
    sams.post("/calendar/", {"do": "end"})
    assert FormClient().get(f"/calendar/{new}").status_code == 404


@pytest.mark.parametrize("token", ["x", "a" * 43, "%00", "ä" * 500])
def test_a_wrong_token_finds_nothing(address, token):
    assert FormClient().get(f"/calendar/{token}.ics").status_code == 404


def test_who_is_locked_out_has_no_file(sam, address):
    sam.user.is_active = False
    sam.user.save()
    assert FormClient().get(address).status_code == 404


def test_wrong_tokens_and_greedy_programs_are_slowed_down(address):
    limits = {"fetch_calendar": "2/m/key", "miss_calendar": "1/m/ip"}
    with override_settings(ACCOUNT_RATE_LIMITS=limits):
        assert [FormClient().get("/calendar/x.ics").status_code for _try in range(2)] == [404, 429]
        assert [FormClient().get(address).status_code for _try in range(3)] == [200, 200, 429]


def test_it_takes_few_queries_however_much_is_given(
    assign_quiz, sam, access, django_assert_max_num_queries
):
    for _number in range(12):
        assignment = assign_quiz(due_at=SUMMER)
    make_override(access, assignment, sam, due_at=LATER)
    with django_assert_max_num_queries(4):
        assert render_calendar(sam.user).count(b"BEGIN:VEVENT") == 12


def test_it_goes_with_its_person(sam, address):
    assert export_personal_data(sam.user)["calendar"][0]["made_at"]
    forget(user=sam.user)
    assert not Calendar.objects.exists()
    assert FormClient().get(address).status_code == 404


def test_students_are_led_to_it(log_in, sam):
    assert 'href="/calendar/"' in log_in(sam.user).get("/learning/").text
