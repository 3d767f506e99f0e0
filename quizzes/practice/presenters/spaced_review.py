"""Today: what is due of one's own mistakes, and how long it takes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from quizzes.items.presenters.skills import skill_title, skill_url
from quizzes.items.presenters.texts import whole_minutes
from quizzes.models import Attempt
from quizzes.practice.queries.spaced_review import Review, Today, minutes_for


@dataclass(frozen=True)
class DueLine:
    """A skill that comes back; `says`: how long after which answer."""

    title: str
    url: str
    says: str = ""


@dataclass(frozen=True)
class DayLine:
    """What comes back on a later day."""

    day: str
    says: str
    skills: tuple[DueLine, ...]


@dataclass(frozen=True)
class TodayPage:
    """The whole page.

    Attributes:
        minutes: of what is due, or of what is left of it.
        waiting: how many more are due after these.
        coming: what comes back on later days, the soonest first.
        running: what was begun today and is not done.
    """

    due: tuple[DueLine, ...]
    minutes: str
    waiting: int
    coming: tuple[DayLine, ...]
    running: Attempt | None


def today_page(
    today: Today, titles: Mapping[str, str], running: Attempt | None, on: date
) -> TodayPage:
    """What is due on this day, in words; `titles` are those of topics."""
    return TodayPage(
        due=tuple(_line(review, titles) for review in today.reviews),
        minutes=_about(today.minutes),
        waiting=today.waiting,
        coming=tuple(
            _day_line(day, list(reviews), titles, on)
            for day, reviews in groupby(today.coming, key=lambda review: review.on)
        ),
        running=running,
    )


def _line(review: Review, titles: Mapping[str, str]) -> DueLine:
    after = ngettext("after %(days)s day", "after %(days)s days", review.after)
    says = _("%(after)s, %(minutes)s") % {
        "after": after % {"days": review.after},
        "minutes": _about(minutes_for(review.skill, smallest=True)),
    }
    return DueLine(skill_title(review.skill, titles), skill_url(review.skill), says)


def _day_line(day: date, reviews: Sequence[Review], titles: Mapping[str, str], on: date) -> DayLine:
    words = ngettext("%(count)s skill", "%(count)s skills", len(reviews))
    return DayLine(
        day=_("Tomorrow") if day == on + timedelta(1) else date_format(day, "j F"),
        says=words % {"count": len(reviews)},
        skills=tuple(
            DueLine(skill_title(review.skill, titles), skill_url(review.skill))
            for review in reviews
        ),
    )


def _about(minutes: float) -> str:
    whole = whole_minutes(minutes)
    return ngettext("about %(minutes)s minute", "about %(minutes)s minutes", whole) % {
        "minutes": whole
    }
