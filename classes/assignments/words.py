"""Words for the rules of assignments, on pages and in letters."""

from datetime import datetime
from decimal import Decimal

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from classes.assignments.precedence import TimeAllowed
from quizzes.models import ExtraTime

NAMES = {
    "opens_at": gettext_lazy("Opens"),
    "due_at": gettext_lazy("Due"),
    "closes_at": gettext_lazy("Closes"),
    "time": gettext_lazy("Time"),
    "attempts_allowed": gettext_lazy("Attempts"),
}
NOT_SET = {
    "opens_at": gettext_lazy("immediately"),
    "due_at": gettext_lazy("no date"),
    "closes_at": gettext_lazy("never"),
    "attempts_allowed": gettext_lazy("any number"),
}


def format_moment(there: datetime) -> str:
    """Return an aware datetime in words, with the name of its time zone."""
    zone = there.tzname() or ""
    zone = zone if zone[:1].isalpha() else f"UTC{zone}"
    return f"{date_format(there, 'D j M Y, H:i')} {zone}"


def format_time_allowed(time: TimeAllowed) -> str:
    if time.minutes is None:
        return _("no time limit")
    whole = round(time.whole.total_seconds() / 60)
    words = ngettext("%(count)s minute", "%(count)s minutes", whole) % {"count": whole}
    more = format_extra_time(time.extra) if time.extra else ""
    return f"{words} ({time.minutes} {more})" if more else words


def format_extra_time(extra: ExtraTime) -> str:
    """Return extra time in words, for example "× 1.5 + 10"."""
    parts = []
    if extra.factor != 1:
        parts.append(f"× {Decimal(extra.factor).normalize():f}")
    if extra.minutes:
        parts.append(f"+ {extra.minutes}")
    return " ".join(parts)
