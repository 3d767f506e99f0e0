"""The timeline of an attempt, from its rows and events."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from audit.models import Event
from classes.history.words import describe_changes, describe_event
from design.isolation import bdi, format_sentence
from quizzes.delivery.presenters.scores import format_score
from quizzes.delivery.queries.secrecy import ShownMarks
from quizzes.models import Attempt, Item, Submission, final_number

# A longer gap between last saves begins a new group.
GAP = timedelta(minutes=5)


@dataclass(frozen=True)
class TimelineEntry:
    """An entry of the timeline, or a group of similar ones with its beginning and end."""

    at: datetime
    words: str
    until: datetime | None = None
    facts: tuple[str, ...] = ()
    reason: str = ""


def timeline(
    attempt: Attempt,
    items: Sequence[Item],
    submissions: Sequence[Submission],
    events: Iterable[Event],
    now: datetime,
) -> list[TimelineEntry]:
    """Return an attempt's start, last saves, submissions, marks and events in order of time."""
    entries = [
        TimelineEntry(attempt.started_at, _("Started")),
        *_saves(items),
        *(each for one in submissions for each in _handed_in(attempt, one)),
        *(_event_entry(event) for event in events),
    ]
    if attempt.deadline and attempt.is_open and attempt.deadline <= now:
        entries.append(TimelineEntry(attempt.deadline, _("Time was up")))
    return sorted(entries, key=lambda each: each.at)


def _saves(items: Iterable[Item]) -> Iterable[TimelineEntry]:
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


def _group(group: Sequence[tuple[datetime, int, int]], gap: timedelta) -> TimelineEntry:
    places = sorted(position for _at, position, _revision in group)
    saves = sum(revision for _at, _position, revision in group)
    words = ngettext(
        "Question %(numbers)s last saved",
        "Questions %(numbers)s last saved",
        len(places),
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
    return TimelineEntry(
        at=first,
        words=words % {"numbers": ", ".join(map(str, places))},
        until=last if last - first >= timedelta(minutes=1) else None,
        facts=tuple(facts),
    )


def _handed_in(attempt: Attempt, submission: Submission) -> Iterable[TimelineEntry]:
    counts = submission.number == final_number(attempt.reopened)
    by_clock = counts and attempt.closed_by_clock
    facts = () if counts else (_("no longer counts: the attempt was reopened"),)
    words = _("Submitted automatically when time ran out") if by_clock else _("Submitted")
    yield TimelineEntry(submission.received_at, words, facts=facts)
    if submission.state == Submission.State.ATTENTION:
        yield TimelineEntry(submission.received_at, _("Could not be marked; needs attention"))
    if submission.graded_at:
        yield TimelineEntry(submission.graded_at, _("Marked"), facts=tuple(_marks(attempt, counts)))


def _marks(attempt: Attempt, counts: bool) -> Iterable[str]:
    if counts and attempt.score is not None:
        score = format_score(ShownMarks.whole(attempt), attempt.quiz)
        words = _("%(points)s of %(out_of)s points, %(percent)s %%")
        yield words % {
            "points": score.points,
            "out_of": score.out_of,
            "percent": score.percent,
        }


def _event_entry(event: Event) -> TimelineEntry:
    deed = describe_event(event.verb, event.person_name)
    return TimelineEntry(
        at=event.at,
        words=format_sentence(_("%(who)s %(deed)s"), {"who": bdi(event.actor_name), "deed": deed}),
        facts=tuple(describe_changes(event)),
        reason=event.reason,
    )
