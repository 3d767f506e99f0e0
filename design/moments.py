"""Dates and times as pages show them."""

from datetime import datetime
from zoneinfo import ZoneInfo

from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.timezone import localtime


def moment(when: datetime, time_zone: str = "") -> SafeString:
    """A date and time in the zone that the reader has chosen, which it names.

    Who has chosen none reads the site's, until a script shows their machine's. In a time zone of
    its own, that of a class say, it is the same for everybody.
    """
    here = localtime(when, ZoneInfo(time_zone) if time_zone else None)
    zone = here.tzname() or ""
    # Some zones have figures for a name.
    zone = zone if zone[:1].isalpha() else f"UTC{zone}"
    shown = date_format(here, "j M Y, H:i")
    kept = mark_safe(" data-kept") if time_zone else ""
    return format_html('<time datetime="{}"{}>{} {}</time>', when.isoformat(), kept, shown, zone)
