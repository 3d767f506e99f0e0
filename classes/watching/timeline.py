"""The timeline of an attempt, from its rows and events."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from operator import itemgetter
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from audit.models import Event
from classes.history.words import describe_changes, describe_event
from design.isolation import bdi, format_sentence
from quizzes.delivery.presenters.scores import format_score
from quizzes.delivery.queries.secrecy import ShownMarks
from quizzes.models import Attempt, Item, SittingMessage, Submission, final_number

# A longer gap between last saves begins a new group.
GAP = timedelta(minutes=5)


def timeline(
    attempt: Attempt,
    items: Sequence[Item],
    submissions: Sequence[Submission],
    events: Iterable[Event],
    messages: Iterable[SittingMessage],
    now: datetime,
) -> list[dict[str, Any]]:
    """Return an attempt's start, saves, submissions, marks, events and messages by time.

    Entries that are groups of similar ones last `until` their end.
    """
    entries = [
        {"at": attempt.started_at, "words": _("Started")},
        *_saves(items),
        *(each for one in submissions for each in _handed_in(attempt, one)),
        *(_event_entry(event) for event in events),
        *(_message_entry(message, attempt) for message in messages),
    ]
    if attempt.deadline and attempt.is_open and attempt.deadline <= now:
        entries.append({"at": attempt.deadline, "words": _("Time was up")})
    return sorted(entries, key=itemgetter("at"))


def _saves(items: Iterable[Item]) -> Iterable[dict[str, Any]]:
    """Yield the last saves of questions in groups; earlier saves have no stored time."""
    saved = sorted((item.saved_at, item.position, item.revision) for item in items if item.saved_at)
    group: list[tuple[datetime, int, int]] = []
    gap = timedelta()
    for each in saved:
        if group and each[0] - group[-1][0] > GAP:
            yield _group(group, gap)
            gap, group = each[0] - group[-1][0], []
        group.append(each)
    if group:
        yield _group(group, gap)


def _group(group: Sequence[tuple[datetime, int, int]], gap: timedelta) -> dict[str, Any]:
    places = sorted(position for _at, position, _revision in group)
    saves = sum(revision for _at, _position, revision in group)
    words = ngettext(
        "Question %(numbers)s last saved", "Questions %(numbers)s last saved", len(places)
    )
    facts = [ngettext("%(count)s save in all", "%(count)s saves in all", saves) % {"count": saves}]
    if gap:
        minutes = round(gap / timedelta(minutes=1))
        before = ngettext(
            "%(count)s minute after the previous save",
            "%(count)s minutes after the previous save",
            minutes,
        )
        facts.append(before % {"count": minutes})
    first, last = group[0][0], group[-1][0]
    return {
        "at": first,
        "words": words % {"numbers": ", ".join(map(str, places))},
        "until": last if last - first >= timedelta(minutes=1) else None,
        "facts": facts,
    }


def _handed_in(attempt: Attempt, submission: Submission) -> Iterable[dict[str, Any]]:
    counts = submission.number == final_number(attempt.reopened)
    by_clock = counts and attempt.closed_by_clock
    facts = () if counts else (_("no longer counts: the attempt was reopened"),)
    words = _("Submitted automatically when time ran out") if by_clock else _("Submitted")
    yield {"at": submission.received_at, "words": words, "facts": facts}
    if submission.state == Submission.State.ATTENTION:
        yield {"at": submission.received_at, "words": _("Couldn’t be marked")}
    if submission.graded_at:
        facts = [*_marks(attempt, counts)]
        yield {"at": submission.graded_at, "words": _("Marked"), "facts": facts}


def _marks(attempt: Attempt, counts: bool) -> Iterable[str]:
    if counts and attempt.score is not None:
        score = format_score(ShownMarks.whole(attempt), attempt.quiz)
        words = _("%(points)s of %(out_of)s points, %(percent)s%%")
        yield words % {"points": score.points, "out_of": score.out_of, "percent": score.percent}


def _event_entry(event: Event) -> dict[str, Any]:
    deed = describe_event(event.verb, event.person_name)
    who = bdi(event.actor_name)
    return {
        "at": event.at,
        "words": format_sentence(_("%(who)s %(deed)s"), {"who": who, "deed": deed}),
        "facts": [*describe_changes(event)],
        "reason": event.reason,
    }


def _message_entry(message: SittingMessage, attempt: Attempt) -> dict[str, Any]:
    earlier = message.at < attempt.started_at
    words = _("Message to all: %(text)s") % {"text": message.text}
    return {
        "at": message.at,
        "words": words,
        "facts": [_("shown when the attempt started")] if earlier else (),
    }
