"""Today: what is due of one's own mistakes, and how long it takes."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from quizzes.due import Review, Today, minutes_for
from quizzes.models import Attempt
from quizzes.presenters.skills import skill_title, skill_url, whole_minutes


@dataclass(frozen=True)
class DueLine:
    """A skill that is due, and how long after which answer."""

    title: str
    url: str
    says: str


@dataclass(frozen=True)
class TodayPage:
    """The whole page.

    Attributes:
        minutes: of what is due, or of what is left of it.
        waiting: how many more are due after these.
        next_on: the day of the next review, if nothing is due.
        running: what was begun today and is not done.
    """

    due: tuple[DueLine, ...]
    minutes: str
    waiting: int
    next_on: date | None
    running: Attempt | None


def today_page(today: Today, titles: Mapping[str, str], running: Attempt | None) -> TodayPage:
    """What is due today, in words; `titles` are those of topics."""
    return TodayPage(
        due=tuple(_line(review, titles) for review in today.reviews),
        minutes=_about(today.minutes),
        waiting=today.waiting,
        next_on=today.next_on,
        running=running,
    )


def _line(review: Review, titles: Mapping[str, str]) -> DueLine:
    after = ngettext("after %(days)s day", "after %(days)s days", review.after)
    says = _("%(after)s, %(minutes)s") % {
        "after": after % {"days": review.after},
        "minutes": _about(minutes_for(review.skill, smallest=True)),
    }
    return DueLine(skill_title(review.skill, titles), skill_url(review.skill), says)


def _about(minutes: float) -> str:
    whole = whole_minutes(minutes)
    return ngettext("about %(minutes)s minute", "about %(minutes)s minutes", whole) % {
        "minutes": whole
    }
