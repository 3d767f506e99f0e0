"""The list of quizzes, a quiz before its start, and the lines of a student's attempts."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from operator import itemgetter
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from quizzes.delivery.effective_settings import EffectiveSettings
from quizzes.delivery.presenters.scores import format_score
from quizzes.delivery.queries.counting import counting_attempt_shown, trend
from quizzes.delivery.queries.secrecy import VisibleMarks
from quizzes.items.presenters import texts
from quizzes.items.presenters.curves import draw_curve
from quizzes.models import Attempt, ExtraTime, Quiz, Sitting, Submission

COUNTS_WORDS = {
    Sitting.Counts.BEST: gettext_lazy("The best attempt counts."),
    Sitting.Counts.LAST: gettext_lazy("The last attempt counts."),
}
# When results are shown, where the wording for students differs from that for authors.
RELEASES = {Sitting.Release.AT_ONCE: gettext_lazy("as soon as you submit")}
STATES = {
    "open": gettext_lazy("open"),
    Submission.State.WAITING: gettext_lazy("waiting to be marked"),
    Submission.State.ATTENTION: gettext_lazy("being looked into"),
    Submission.State.GRADED: gettext_lazy("marked"),
    "received": gettext_lazy("received"),
}


def quiz_lines(
    open_to: Sequence[EffectiveSettings],
    questions: Mapping[int, int],
    attempts: Sequence[Attempt],
    marks: VisibleMarks,
) -> Iterator[dict[str, Any]]:
    """Yield a line for each open sitting; `questions` has how many there are by the quiz's key.

    A sitting that has closed is left out if this student never began, and comes last if they did.
    In each line `minutes` is None without a time limit; `opens_at` is None once it is open;
    `until` is when it is due, or closes; `left` is how many attempts are, None for any number;
    `passed` is the key of the attempt that counts, if it passes and so may have a certificate.
    """
    addresses, now = sitting_urls(open_to), marks.now
    for has_closed, settings in sort_closed_last(open_to, now):
        sitting = settings.sitting
        own = [attempt for attempt in attempts if attempt.sitting_id == sitting.pk]
        if has_closed and not own:
            continue
        counts = counting_attempt_shown(sitting, own, marks)
        score = format_score(marks.of(counts), counts.quiz) if counts else None
        shares = trend(own, marks)
        allowed = settings.attempts_allowed
        yield {
            "settings": settings,
            "url": addresses[sitting.pk],
            "questions": questions.get(sitting.quiz_id, 0),
            "minutes": total_minutes(settings),
            "until": settings.ends_at,
            "opens_at": None if settings.has_opened(now) else settings.opens_at,
            "has_closed": has_closed,
            "is_submitted": any(attempt.submitted_at for attempt in own),
            "running": next((attempt for attempt in own if attempt.takes_answers(now)), None),
            "left": None if allowed is None else max(0, allowed - len(own)),
            "score": score,
            "passed": counts.pk if counts and score.passed else None,
            "curve": draw_curve(shares) if len(shares) > 1 else None,
        }


def group_by_class(lines: Iterable[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    """Return the lines of each class under a heading, then the student's own.

    Without a class there is one group, and no heading.
    """
    given: dict[str, list[dict[str, Any]]] = {}
    own = []
    for line in lines:
        course = line["settings"].course
        (given.setdefault(course, []) if course else own).append(line)
    groups = [(_("My class: %(course)s") % {"course": each}, its) for each, its in given.items()]
    return [*groups, *([(_("On my own") if groups else "", own)] if own else ())]


def sort_closed_last(
    open_to: Sequence[EffectiveSettings], now: datetime
) -> list[tuple[bool, EffectiveSettings]]:
    """Return the settings, each with whether it is too late to begin; those come last."""
    return sorted(((settings.has_closed(now), settings) for settings in open_to), key=itemgetter(0))


def sitting_urls(open_to: Sequence[EffectiveSettings]) -> dict[int, str]:
    """Return the address where each sitting is taken, by its key.

    If a quiz is open at several sittings it is the sitting's own address, because the quiz's page
    would ask which one is meant.
    """
    places = Counter(settings.sitting.quiz_id for settings in open_to)
    return {
        sitting.pk: sitting.get_absolute_url()
        if places[sitting.quiz_id] == 1
        else reverse("quizzes:sitting", args=[sitting.quiz.slug, sitting.pk])
        for sitting in (settings.sitting for settings in open_to)
    }


def total_minutes(settings: EffectiveSettings) -> int | None:
    """Return the minutes of this student, with their extra time; None without a time limit."""
    if settings.minutes is None:
        return None
    return _whole_minutes(timedelta(minutes=settings.minutes) + settings.extra_time)


def quiz_context(quiz: Quiz, settings: EffectiveSettings, now: datetime) -> dict[str, Any]:
    """Return the rendered introduction, and the rules under these settings.

    `own_time` says why a student's minutes differ from the quiz's, and `cut_short` that it closes
    before they are over.
    """
    minutes, own_time, cut_short = total_minutes(settings), "", ""
    if minutes is not None:
        if settings.extra and settings.extra_time:
            own_time = _own_time(settings.minutes, minutes, settings.extra)
        left = _whole_minutes(settings.deadline(now) - now)
        if left < minutes:
            cut_short = _cut_short(settings.closes_at, left, minutes, now)
    return {
        "introduction": texts.render_block(quiz.introduction),
        "release": RELEASES.get(settings.sitting.release) or settings.sitting.get_release_display(),
        "rule": COUNTS_WORDS[settings.sitting.counts],
        "minutes": minutes,
        "own_time": own_time,
        "cut_short": cut_short,
    }


def _own_time(usual: int, minutes: int, extra: ExtraTime) -> str:
    """Return a sentence such as: 34 minutes: 23 and 50% more."""
    parts = [str(usual)]
    if extra.factor > 1:
        more = {"percent": round(100 * (extra.factor - 1))}
        parts.append(_("%(percent)s%% more") % more)
    if extra.minutes:
        parts.append(_("%(minutes)s more") % {"minutes": extra.minutes})
    sum_of = _(" and ").join(parts)
    words = ngettext(
        "You have %(minutes)s minute: %(sum)s.", "You have %(minutes)s minutes: %(sum)s.", minutes
    )
    return words % {"minutes": minutes, "sum": sum_of}


def _cut_short(closes_at: datetime, left: int, minutes: int, now: datetime) -> str:
    closes = _whole_minutes(closes_at - now)
    words = ngettext(
        "It closes in %(closes)s minute, so you’d have %(left)s instead of %(minutes)s.",
        "It closes in %(closes)s minutes, so you’d have %(left)s instead of %(minutes)s.",
        closes,
    )
    return words % {"closes": closes, "left": left, "minutes": minutes}


def _whole_minutes(span: timedelta) -> int:
    """Round down to minutes, so that the page promises no more time than there is."""
    return max(0, math.floor(span.total_seconds() / 60))


def attempts_context(
    sitting: Sitting, attempts: Sequence[Attempt], marks: VisibleMarks
) -> dict[str, Any]:
    """Return the lines of a student's attempts at the sitting, from `queries.attempts_at`.

    While questions are left out, nobody can say yet which attempt is the best. `shown` is whether
    marks and solutions are.
    """
    shares, counts = trend(attempts, marks), counting_attempt_shown(sitting, attempts, marks)
    if sitting.counts == Sitting.Counts.BEST and any(each.pk in marks.partly for each in attempts):
        counts = None
    return {
        "lines": [attempt_line(each, marks, counts=each == counts) for each in attempts],
        "curve": draw_curve(shares) if len(shares) > 1 else None,
        "rule": COUNTS_WORDS[sitting.counts],
        "shown": sitting.shows_results(marks.now),
    }


def attempt_line(attempt: Attempt, marks: VisibleMarks, *, counts: bool = False) -> dict[str, Any]:
    """Return the line of an attempt from `queries.attempts_of`, with its score once released."""
    page, state, now = "results", "open", marks.now
    out = attempt.shows_results(now)
    if attempt.handed_in:
        state = attempt.handed_in[0].state if out else "received"
    elif attempt.takes_answers(now):
        page = "attempt"
    else:
        state = Submission.State.WAITING
    # A worker may have written the score after this attempt was read.
    shown = marks.of(attempt) if state == Submission.State.GRADED else None
    return {
        "title": attempt.quiz.title if attempt.quiz else _("Practice"),
        "attempt": attempt,
        "state": STATES[state],
        "url": reverse(f"quizzes:{page}", args=[attempt.pk]),
        "score": format_score(shown, attempt.quiz) if shown else None,
        "counts": counts and shown is not None,
    }
