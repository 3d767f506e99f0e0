"""Another time zone for a class: the form asks what its dates become, and moves them at once."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from audit.models import Event
from classes.courses.services.courses import change_course
from classes.courses.services.zones import ChoiceRequired, preview_zone
from classes.errors import Outdated
from classes.models import Assignment, Override
from quizzes.models import Sitting
from tests.world import html_in_one_line, make_override, missing_in, refresh, rules

pytestmark = pytest.mark.django_db
DUE = datetime(2027, 6, 1, 21, 59, tzinfo=UTC)  # 23:59 in Vienna
CLOSE = datetime(2027, 6, 2, 21, 59, 59, 999_999, tzinfo=UTC)
LATER = datetime(2027, 6, 3, 10, 0, tzinfo=UTC)
NEW_YORK = "America/New_York"
RULES = rules(due_at=DUE, closes_at=CLOSE)


@pytest.fixture
def assignment(access, assignment, sam):
    make_override(access, assignment, sam, closes_at=LATER)
    return assignment


@pytest.fixture
def send(ines_client, course):
    def post(zone=NEW_YORK, title="Attention 101", **more):
        sent = {"title": title, "time_zone": zone, "first_day": ""}
        return ines_client.post(f"/teach/{course.pk}/settings/", sent | more)

    return post


def dates():
    own = Assignment.objects.values_list("due_at", "sitting__closes_at").get()
    return *own, Override.objects.get().closes_at


def test_what_would_move_is_listed_and_nothing_saved(send, assignment, course):
    page = send(title="Renamed")
    assert page.status_code == 200
    text = html_in_one_line(page)
    for words in (
        "Tue 1 Jun 2027, 23:59 CEST",  # as it is
        "Tue 1 Jun 2027, 23:59 EDT",  # by the same clock
        "Tue 1 Jun 2027, 17:59 EDT",  # at the same moment
        "Thu 3 Jun 2027, 12:00 CEST",
        "Thu 3 Jun 2027, 12:00 EDT",
        "Thu 3 Jun 2027, 06:00 EDT",
        "exception for Sam",
    ):
        assert words in text
    assert (refresh(course).time_zone, course.title) == ("Europe/Vienna", "Attention 101")
    assert dates() == (DUE, CLOSE, LATER)
    assert not Event.objects.filter(verb="classes.course.changed").exists()


@pytest.mark.parametrize("keep", ["clock", "moment"])
def test_the_choice_moves_all_dates_and_is_recorded(send, assignment, course, ines_client, keep):
    digest = send().context["digest"]
    versions = Assignment.objects.get().version, Override.objects.get().version
    assert send(title="Renamed", keep=keep, digest=digest).status_code == 302
    assert (refresh(course).time_zone, course.title) == (NEW_YORK, "Renamed")
    there = ZoneInfo(NEW_YORK)
    by_clock = (
        datetime(2027, 6, 1, 23, 59, tzinfo=there),
        datetime(2027, 6, 2, 23, 59, 59, 999_999, tzinfo=there),
        datetime(2027, 6, 3, 12, 0, tzinfo=there),
    )
    assert dates() == (by_clock if keep == "clock" else (DUE, CLOSE, LATER))
    # Rules that are open in another browser count as changed.
    raised = tuple(each + (keep == "clock") for each in versions)
    assert (Assignment.objects.get().version, Override.objects.get().version) == raised
    # Results wait for the last student who may begin.
    last = Sitting.objects.get(assignment__isnull=False).last_closes_at
    assert last == (by_clock[2] if keep == "clock" else LATER)
    [event] = Event.objects.filter(verb="classes.course.changed")
    assert event.after["dates"] == keep
    history = ines_client.get(f"/teach/{course.pk}/history/").text
    kept = {"clock": "their time of day", "moment": "at the same moment"}
    assert f"dates: kept {kept[keep]}" in history


@pytest.mark.parametrize("keep", ["", "both", "CLOCK"])
def test_without_a_choice_nothing_is_saved(assignment, course, ines, keep):
    with pytest.raises(ChoiceRequired):
        change_course(course=course, by=ines, title="T", time_zone="UTC", first_day=None, keep=keep)
    assert refresh(course).time_zone == "Europe/Vienna"


def test_a_choice_for_other_dates_than_were_shown_is_refused(send, assignment, course, ines):
    digest = send().context["digest"]
    Assignment.objects.update(due_at=LATER, version=2)
    assert "Check them again" in send(keep="clock", digest=digest).text
    assert dates() == (LATER, CLOSE, LATER)
    moved = {"title": "T", "time_zone": "Asia/Tokyo", "first_day": None, "keep": "clock"}
    with pytest.raises(Outdated):
        change_course(course=course, by=ines, digest=digest, **moved)


def test_where_nothing_moves_nobody_is_asked(send, assignment, course):
    assert send(zone="Europe/Berlin").status_code == 302
    assert refresh(course).time_zone == "Europe/Berlin"
    Assignment.objects.update(due_at=None)
    Sitting.objects.update(closes_at=None)
    Override.objects.all().delete()
    assert send().status_code == 302


def test_the_exceptions_of_another_class_are_left_alone(send, assignment, other_course, course):
    assert not preview_zone(other_course, "UTC", NEW_YORK).rows


def test_a_copy_in_another_zone_says_whose_clock_is_meant(ines_client, assignment, course):
    days = {"first_day": "2027-10-05", "counted_from": "2027-06-01"}
    sent = {"title": "Next", "time_zone": "Asia/Tokyo"} | days
    page = html_in_one_line(ines_client.post(f"/teach/{course.pk}/copy/", sent))
    assert "due at 08:30 in Europe/Vienna becomes due at 08:30 in Asia/Tokyo" in page
    assert missing_in(page, "Tue 1 Jun 2027, 23:59 CEST", "Tue 5 Oct 2027, 23:59 JST") == []
    # An older row ends at the beginning of its minute: no clock has changed.
    assert "clocks change" not in page
