"""Today's review: the mistakes that are due, and how long they take."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from itertools import groupby
from typing import Any

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from quizzes.items.presenters.skills import skill_title, skill_url
from quizzes.items.presenters.texts import whole_minutes
from quizzes.items.skills import Skill
from quizzes.models import Attempt
from quizzes.practice.queries.spaced_review import Review, Today, minutes_for


def today_context(
    today: Today, titles: Mapping[str, str], running: Attempt | None, on: date
) -> dict[str, Any]:
    """Return the page of the reviews due on this day, and of those that come back later.

    `titles` are those of topics; `running` is a review begun today and not finished.
    """
    coming = groupby(today.coming, key=lambda review: review.on)
    return {
        "due": [_line(review.skill, titles, _after(review)) for review in today.reviews],
        "minutes": _about(today.minutes),
        "waiting": today.waiting,
        "coming": [_day_line(day, list(reviews), titles, on) for day, reviews in coming],
        "running": running,
    }


def _line(skill: Skill, titles: Mapping[str, str], says: str = "") -> dict[str, str]:
    return {"title": skill_title(skill, titles), "url": skill_url(skill), "says": says}


def _after(review: Review) -> str:
    """Describe the interval after which a skill comes back, and the minutes it takes."""
    after = ngettext("after %(days)s day", "after %(days)s days", review.after)
    return _("%(after)s, %(minutes)s") % {
        "after": after % {"days": review.after},
        "minutes": _about(minutes_for(review.skill, smallest=True)),
    }


def _day_line(
    day: date, reviews: Sequence[Review], titles: Mapping[str, str], on: date
) -> dict[str, Any]:
    words = ngettext("%(count)s skill", "%(count)s skills", len(reviews))
    return {
        "day": _("Tomorrow") if day == on + timedelta(1) else date_format(day, "j F"),
        "says": words % {"count": len(reviews)},
        "skills": [_line(review.skill, titles) for review in reviews],
    }


def _about(minutes: float) -> str:
    whole = whole_minutes(minutes)
    return ngettext("about %(minutes)s minute", "about %(minutes)s minutes", whole) % {
        "minutes": whole
    }
