"""Dates and times in words, and whose clock they are by."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from design.moments import format_moment, reader_zone, zone_to_name

NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)  # a Saturday


def words(when, *args, **kwargs):
    """Return the words of a moment without their element."""
    return format_moment(when, *args, **kwargs).partition(">")[2].removesuffix("</time>")


@pytest.fixture(autouse=True)
def now(monkeypatch):
    monkeypatch.setattr(timezone, "now", lambda: NOW)


@pytest.fixture
def tokyo():
    """Make the reader somebody who has chosen the zone of Tokyo."""
    chosen = reader_zone.set(ZoneInfo("Asia/Tokyo"))
    with timezone.override("Asia/Tokyo"):
        yield
    reader_zone.reset(chosen)


@pytest.mark.parametrize(
    ("days", "shown"),
    [
        (0, "today, 21:00"),
        (1, "tomorrow, 21:00"),
        (-1, "yesterday, 21:00"),
        (2, "in 2 days, Mon 21:00"),
        (7, "in 7 days, Sat 21:00"),
        (8, "Sun 6 Dec, 21:00"),
        (-2, "Thu 26 Nov, 21:00"),
        (60, "Wed 27 Jan 2027, 21:00"),
    ],
)
def test_near_days_are_named_by_their_distance(tokyo, days, shown):
    assert words(NOW + timedelta(days=days)) == shown


def test_the_day_is_that_of_the_readers_calendar(tokyo):
    assert words(NOW + timedelta(hours=4)) == "tomorrow, 01:00"


def test_the_zone_of_the_site_is_named_to_who_has_chosen_none():
    assert words(NOW) == "today, 12:00, UTC"


def test_the_zone_of_a_class_is_named_after_its_city_unless_it_is_the_readers(tokyo):
    assert words(NOW, "America/New_York") == "today, 07:00, New York time"
    assert words(NOW, "Asia/Tokyo") == "today, 21:00"


def test_a_zone_whose_clocks_say_the_same_is_not_named(tokyo):
    assert words(NOW, "Asia/Seoul") == "today, 21:00"


def test_what_is_kept_has_its_whole_date(tokyo):
    assert words(NOW, absolute=True) == "Sat 28 Nov 2026, 21:00"


def test_a_table_names_the_zone_once_unless_it_is_the_readers(tokyo):
    with timezone.override("America/New_York"):
        assert words(NOW, names_zone=False) == "today, 07:00"
        assert zone_to_name() == "America/New_York"
    assert zone_to_name() == ""


def test_a_table_names_the_zone_to_readers_who_have_chosen_none():
    assert zone_to_name() == "UTC"
