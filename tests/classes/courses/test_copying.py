"""Copying a class to the next term: quizzes and rules come along, on moved dates."""

import re
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from audit.models import Event
from classes.access.queries import CourseAccess
from classes.assignments.services.assigning import assign, change_assignment
from classes.courses.moving import at_same_time, shift_dates
from classes.courses.services.copying import NextTerm, copy_course, preview_copy
from classes.errors import Refused
from classes.history.words import describe_changes
from classes.models import Assignment, Course, Label, Membership, Override
from foundation.minutes import end_of_minute
from outbox.models import Message
from quizzes.models import Quiz, Sitting
from tests.each import each
from tests.world import html_in_one_line, make_override, missing_in, refresh, rules

VIENNA = ZoneInfo("Europe/Vienna")
AUTUMN = date(2026, 10, 5)
SPRING = date(2027, 3, 1)


def vienna(*at):
    return datetime(*at, tzinfo=VIENNA)


# Dates


@each(
    "at, days, now",
    [
        (vienna(2026, 10, 5, 8, 30), 28, "2026-11-02T08:30:00+01:00"),
        (vienna(2026, 11, 2, 8, 30), -28, "2026-10-05T08:30:00+02:00"),
        (vienna(2026, 10, 5, 8, 30), 0, "2026-10-05T08:30:00+02:00"),
        # That night 2:00 is followed by 3:00.
        (vienna(2027, 3, 21, 2, 0), 7, "2027-03-28T03:00:00+02:00"),
        (vienna(2027, 3, 21, 2, 59, 59), 7, "2027-03-28T03:00:00+02:00"),
        (vienna(2027, 3, 21, 3, 0), 7, "2027-03-28T03:00:00+02:00"),
        # Half past two comes twice.
        (vienna(2026, 10, 18, 2, 30), 7, "2026-10-25T02:30:00+02:00"),
        (vienna(2026, 10, 25, 2, 30).replace(fold=1), 7, "2026-11-01T02:30:00+01:00"),
        # Leap days are days.
        (vienna(2028, 2, 28, 12, 0), 1, "2028-02-29T12:00:00+01:00"),
    ],
)
def test_a_time_of_day_stays_what_it_is(at, days, now):
    found = at_same_time(at.astimezone(UTC), days, of=VIENNA, to=VIENNA)
    assert found.astimezone(VIENNA).isoformat() == now


def test_a_day_that_a_zone_skipped_becomes_the_next_that_there_is():
    apia = ZoneInfo("Pacific/Apia")
    found = at_same_time(datetime(2011, 12, 29, 10, 0, tzinfo=apia), 1, of=apia, to=apia)
    assert found.astimezone(apia).isoformat() == "2011-12-31T00:00:00+14:00"


def test_in_another_zone_it_is_the_same_time_on_that_wall():
    tokyo = ZoneInfo("Asia/Tokyo")
    found = at_same_time(vienna(2026, 10, 5, 8, 30), 7, of=VIENNA, to=tokyo)
    assert found.astimezone(tokyo).isoformat() == "2026-10-12T08:30:00+09:00"


def test_what_falls_together_in_a_night_of_changing_clocks_stays_apart():
    opens, closes = vienna(2027, 3, 21, 2, 10), vienna(2027, 3, 21, 2, 40)
    dates = {"opens_at": opens, "due_at": None, "closes_at": closes}
    found = shift_dates(dates, 7, of=VIENNA, to=VIENNA)
    assert found["opens_at"].astimezone(VIENNA).hour == 3
    assert found["closes_at"] - found["opens_at"] == timedelta(minutes=30)


ZONES = ["Europe/Vienna", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "UTC"]
ZONES += ["Asia/Kathmandu", "Asia/Tokyo"]
# Zone tables reach further.
MOMENTS = st.datetimes(datetime(2015, 1, 1), datetime(2035, 1, 1), timezones=st.just(UTC))


@given(
    st.lists(MOMENTS, min_size=3, max_size=3, unique=True),
    st.integers(-800, 800),
    st.sampled_from(ZONES),
    st.sampled_from(ZONES),
)
def test_dates_keep_their_order_and_their_time_of_day_or_come_a_little_later(dates, days, of, to):
    of, to = ZoneInfo(of), ZoneInfo(to)
    dates = [at.replace(microsecond=0) for at in sorted(dates)]
    was = dict(zip(("opens_at", "due_at", "closes_at"), dates, strict=True))
    found = list(shift_dates(was, days, of=of, to=to).values())
    if len(set(dates)) == 3:
        assert found == sorted(set(found))
    for before, now in zip(dates, found, strict=True):
        wanted = before.astimezone(of).replace(tzinfo=None) + timedelta(days=days)
        late = now.astimezone(to).replace(tzinfo=None) - wanted
        assert timedelta() <= late <= timedelta(hours=2)


# The copy


@pytest.fixture
def lesson(access, quiz):
    """The old term's assignment, with everything that is to stay behind."""
    Course.objects.filter(pk=access.course.pk).update(first_day=AUTUMN)
    access.course.first_day = AUTUMN
    autumn = rules(
        opens_at=vienna(2026, 10, 12, 8, 30),
        due_at=vienna(2026, 10, 19, 8, 30),
        closes_at=vienna(2026, 10, 26, 8, 30),
        minutes=25,
        attempts_allowed=2,
        counts=Sitting.Counts.LAST,
        release=Sitting.Release.BY_HAND,
        practice=True,
    )
    assignment = assign(access=access, quiz=quiz, rules=autumn)
    assignment.sitting.released = True
    assignment.sitting.save()
    return assignment


def copied_term(access, **said):
    term = NextTerm(**{"title": "Next", "time_zone": "Europe/Vienna"} | said)
    return copy_course(
        access=access, term=term, digest=preview_copy(access=access, term=term).digest
    )


def spring(access, **said):
    return copied_term(access, **{"first_day": SPRING, "counted_from": AUTUMN} | said)


pytestmark = pytest.mark.django_db


def test_quizzes_come_along_with_their_rules_on_moved_dates(access, lesson):
    course = spring(access)
    copy = Assignment.objects.get(course=course)
    sitting = copy.sitting
    old = lesson.sitting
    assert (course.title, course.first_day, course.copied_from) == ("Next", SPRING, access.course)
    for name in ("quiz", "minutes", "attempts_allowed", "counts", "release", "practice"):
        assert getattr(sitting, name) == getattr(old, name)
    # 147 days later, and by then clocks have changed.
    assert sitting.opens_at == vienna(2027, 3, 8, 8, 30)
    assert copy.due_at == end_of_minute(vienna(2027, 3, 15, 8, 30))
    assert sitting.closes_at == end_of_minute(vienna(2027, 3, 22, 8, 30))
    assert (sitting.given_in, sitting.open_to_all) == ("Next", False)
    assert copy.dates_copied
    assert copy.tell_at == end_of_minute(vienna(2027, 3, 14, 8, 30))


def test_what_belongs_to_the_old_term_stays_there(access, lesson, add_member):
    Label.objects.create(course=access.course, text="extra")
    make_override(access, lesson, add_member("Sam"), closes_at=vienna(2026, 11, 26, 8, 30))
    course = spring(access)
    sitting = Assignment.objects.get(course=course).sitting
    assert not sitting.released
    assert sitting.last_closes_at is None
    assert not Override.objects.filter(course=course).exists()
    assert not course.labels.exists()
    people = Membership.objects.filter(course=course).values_list("user__name", "role")
    assert list(people) == [("Ines", "instructor")]
    assert course.code != access.course.code


def test_nobody_is_written_to(access, lesson, add_member):
    add_member("Sam")
    before = Message.objects.count()
    spring(access)
    assert Message.objects.count() == before


def test_it_is_remembered(access, lesson):
    course = spring(access)
    event = Event.objects.get(verb="classes.course.copied")
    assert event.scope == course.scope
    assert event.after == {"from": "Attention 101", "quizzes": 1, "days": 147}
    event.after["days"] = -147
    assert "days the dates moved: −147" in list(describe_changes(event))


def test_what_has_no_dates_needs_no_day_and_nobody_has_to_look_at_it(access, quiz):
    assign(access=access, quiz=quiz, rules=rules(attempts_allowed=None))
    copy = Assignment.objects.get(course=copied_term(access))
    assert not copy.dates_copied
    assert copy.tell_at is None


def test_a_class_without_quizzes_can_be_copied(access):
    assert not Assignment.objects.filter(course=copied_term(access)).exists()


def test_the_same_copy_can_be_made_twice(access, lesson):
    assert spring(access) != spring(access)


# The pages

TYPED = {"title": "Next", "time_zone": "Europe/Vienna", "first_day": "2027-03-01"}


@pytest.fixture
def address(course):
    return f"/teach/{course.pk}/copy/"


def digest_in(page):
    return re.search('name="digest" value="([0-9a-f]+)"', page)[1]


def test_dates_are_shown_before_anything_is_done(ines_client, address, lesson):
    shown = html_in_one_line(ines_client.post(address, TYPED))
    assert missing_in(shown, "Dates move forward by 147 days", "Mon 12 Oct 2026, 08:30") == []
    assert "Mon 8 Mar 2027, 08:30" in shown
    assert Course.objects.count() == 1
    made = ines_client.post(
        address, TYPED | {"do": "copy", "digest": digest_in(shown)}, follow=True
    )
    assert "Check each of its dates" in html_in_one_line(made)
    assert "unchecked dates" in html_in_one_line(made)


def test_weekdays_are_kept_by_whole_weeks_and_it_says_so(ines_client, address, lesson):
    typed = TYPED | {"first_day": "2027-02-28", "keep_weekdays": "on"}
    shown = html_in_one_line(ines_client.post(address, typed))
    assert (
        missing_in(shown, "by 147 days", "Days between the terms: 146.", "Mon 8 Mar 2027, 08:30")
        == []
    )
    assert re.search('name="keep_weekdays"[^>]*checked', ines_client.get(address).text)


def test_each_date_of_the_copy_can_be_typed_in_the_preview(ines_client, address, lesson):
    shown = html_in_one_line(ines_client.post(address, TYPED))
    sent = TYPED | {"do": "copy", "digest": digest_in(shown)}
    due, closes = f"due_at-{lesson.pk}", f"closes_at-{lesson.pk}"
    assert missing_in(shown, f'name="{due}" value="2027-03-15T08:30"') == []
    wrong = html_in_one_line(ines_client.post(address, sent | {due: "2027-04-20T09:00"}))
    assert missing_in(wrong, "can’t close before it’s due", 'value="2027-04-20T09:00"') == []
    assert "Enter a valid date" in html_in_one_line(ines_client.post(address, sent | {due: "soon"}))
    assert Course.objects.count() == 1
    ines_client.post(address, sent | {due: "2027-03-16T10:00", closes: "2027-03-22T08:30"})
    copy = Assignment.objects.get(course__title="Next")
    assert copy.due_at == end_of_minute(vienna(2027, 3, 16, 10, 0))
    assert copy.sitting.opens_at == vienna(2027, 3, 8, 8, 30)
    assert copy.sitting.closes_at == end_of_minute(vienna(2027, 3, 22, 8, 30))


def move(access, assignment):
    moved = rules(due_at=vienna(2026, 10, 20, 9, 45))
    change_assignment(access=access, assignment=assignment, rules=moved, version=1)


def rename(_access, assignment):
    Quiz.objects.filter(pk=assignment.sitting.quiz_id).update(title="Another title")


@pytest.mark.parametrize(("change", "shown_anew"), [(move, "09:45"), (rename, "Another title")])
def test_a_preview_that_is_no_longer_true_is_shown_anew(
    ines_client, access, address, lesson, change, shown_anew
):
    shown = html_in_one_line(ines_client.post(address, TYPED))
    change(access, lesson)
    again = html_in_one_line(
        ines_client.post(address, TYPED | {"do": "copy", "digest": digest_in(shown)})
    )
    assert missing_in(again, "changed in the meantime", shown_anew) == []
    assert Course.objects.count() == 1


def test_without_a_first_day_it_asks_from_which_day_to_count(ines_client, address, course, lesson):
    Course.objects.update(first_day=None)
    assert 'name="counted_from" value="2026-10-12"' in html_in_one_line(ines_client.get(address))
    assert "This field is required" in html_in_one_line(
        ines_client.post(address, TYPED | {"counted_from": ""})
    )
    shown = html_in_one_line(ines_client.post(address, TYPED | {"counted_from": "2026-10-05"}))
    assert "Mon 8 Mar 2027, 08:30" in shown


@each(
    "typed, said",
    [
        ({"first_day": ""}, "This field is required"),
        ({"first_day": "soon"}, "Enter a valid date"),
        ({"first_day": "9999-12-31"}, "Check the year"),
        ({"title": " "}, "This field is required"),
        ({"time_zone": "Nowhere"}, "Select a valid choice"),
    ],
)
def test_invalid_input_shows_errors_and_is_kept(ines_client, address, lesson, typed, said):
    assert said in html_in_one_line(ines_client.post(address, TYPED | typed))
    assert Course.objects.count() == 1


def test_the_way_back_from_the_preview_keeps_what_was_typed(ines_client, address, lesson):
    shown = html_in_one_line(ines_client.post(address, TYPED | {"do": "change"}))
    assert missing_in(shown, 'value="2027-03-01"', "Preview dates") == []


def test_a_date_in_the_past_is_flagged_before_and_after(ines_client, address, lesson):
    early = TYPED | {"first_day": "2020-03-02"}
    shown = html_in_one_line(ines_client.post(address, early))
    assert "Dates move back by" in shown
    assert shown.count("in the past") == 3
    made = ines_client.post(
        address, early | {"do": "copy", "digest": digest_in(shown)}, follow=True
    )
    assert "unchecked dates in the past" in html_in_one_line(made)


def test_a_time_that_does_not_exist_gets_a_note(ines_client, access, address, lesson):
    Assignment.objects.update(due_at=vienna(2026, 10, 25, 3, 30))
    opens = vienna(2026, 10, 24, 2, 30)
    Sitting.objects.filter(assignment=lesson).update(opens_at=opens, closes_at=None)
    shown = html_in_one_line(ines_client.post(address, TYPED | {"first_day": "2027-03-09"}))
    assert missing_in(shown, "Sun 28 Mar 2027, 03:00", "the clocks change") == []


def test_who_may_make_no_class_copies_none(log_in, add_member, address, lesson):
    helper = log_in(add_member("Ida", role="instructor").user)
    assert helper.get(address).status_code == 403
    assert "/copy/" not in html_in_one_line(helper.get(address.replace("/copy/", "/settings/")))


@pytest.mark.parametrize("role", ["instructor", "assistant"])
def test_the_service_asks_too(course, add_member, role):
    helper = CourseAccess(course, add_member("Ida", role=role).user, role)
    with pytest.raises(Refused, match="Only instructors"):
        copied_term(helper)


def test_history_and_settings_lead_there(ines_client, access, lesson, address):
    course = spring(access)
    assert "created the class as a copy" in html_in_one_line(
        ines_client.get(f"/teach/{course.pk}/history/")
    )
    assert address in html_in_one_line(ines_client.get(address.replace("/copy/", "/settings/")))


def test_looking_at_the_dates_takes_the_flag_away(ines_client, access, lesson):
    course = spring(access)
    copy = Assignment.objects.get(course=course)
    shown = html_in_one_line(ines_client.get(f"/teach/{course.pk}/quizzes/{copy.pk}/"))
    assert "moved here from another term" in shown
    now = timezone.now() + timedelta(days=1)
    sent = {"version": "1", "minutes": "20", "counts": "best", "release": "at_once"}
    sent["due_at"] = now.strftime("%Y-%m-%dT%H:%M")
    ines_client.post(f"/teach/{course.pk}/quizzes/{copy.pk}/rules/", sent)
    assert not refresh(copy).dates_copied
