"""Dates and times as pages show them."""

from contextvars import ContextVar
from datetime import datetime
from zoneinfo import ZoneInfo

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

# The zone that the reader has chosen, None if none; OwnTimeMiddleware sets it.
reader_zone: ContextVar[ZoneInfo | None] = ContextVar("reader_zone", default=None)


def format_moment(
    when: datetime, time_zone: str = "", *, absolute: bool = False, names_zone: bool = True
) -> SafeString:
    """Return a date and time in words, such as "tomorrow, 23:00", in the reader's time zone.

    Readers who have chosen none see the site's, until a script shows that of their machine
    (times.js, which uses the same words). With a `time_zone`, that of a class for example,
    everybody sees the same. The zone is named unless the reader's clocks say the same, or a table
    names it once (`zone_to_name`). What is kept or printed is `absolute`, with its year.
    """
    here = timezone.localtime(when, ZoneInfo(time_zone) if time_zone else None)
    shown = date_format(here, "D j M Y, H:i") if absolute else _in_words(here)
    reader = reader_zone.get()
    if names_zone and (reader is None or when.astimezone(reader).utcoffset() != here.utcoffset()):
        shown = f"{shown}, {_name_zone(str(here.tzinfo))}"
    kept = " data-kept" if time_zone else ""
    whole = " data-absolute" if absolute else ""
    return mark_safe(f'<time datetime="{when.isoformat()}"{kept}{whole}>{escape(shown)}</time>')


def zone_to_name() -> str:
    """Return the zone of a page's times if its tables must name it, "" if it is the reader's."""
    zone = timezone.get_current_timezone_name()
    return "" if str(reader_zone.get()) == zone else zone


def _in_words(here: datetime) -> str:
    """Return a local time by its distance from today if that is within a week."""
    today = timezone.localtime(timezone=here.tzinfo).date()
    days = (here.date() - today).days
    time = f"{here:%H:%M}"
    if days == 0:
        return _("today, %(time)s") % {"time": time}
    if days == 1:
        return _("tomorrow, %(time)s") % {"time": time}
    if days == -1:
        return _("yesterday, %(time)s") % {"time": time}
    if 1 < days <= 7:
        at = {"days": days, "day": date_format(here, "D"), "time": time}
        return _("in %(days)s days, %(day)s %(time)s") % at
    return date_format(here, "D j M, H:i" if here.year == today.year else "D j M Y, H:i")


def _name_zone(name: str) -> str:
    """Return a zone in words, after its city: "Zurich time"."""
    _region, slash, city = name.rpartition("/")
    return _("%(city)s time") % {"city": city.replace("_", " ")} if slash else name
