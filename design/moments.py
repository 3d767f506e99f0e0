"""Dates and times as pages show them."""

from datetime import datetime
from zoneinfo import ZoneInfo

from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.timezone import localtime


def format_moment(when: datetime, time_zone: str = "") -> SafeString:
    """Return a date and time in the reader's time zone, which it names.

    Readers who have chosen none see the site's, until a script shows that of their machine. With a
    `time_zone`, that of a class for example, everybody sees the same.
    """
    here = localtime(when, ZoneInfo(time_zone) if time_zone else None)
    zone = here.tzname() or ""
    # Some zones have digits for a name.
    zone = zone if zone[:1].isalpha() else f"UTC{zone}"
    shown = date_format(here, "j M Y, H:i")
    kept = mark_safe(" data-kept") if time_zone else ""
    return format_html('<time datetime="{}"{}>{} {}</time>', when.isoformat(), kept, shown, zone)
