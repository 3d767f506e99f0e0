"""What the pages of classes show: lines of lists, of previews, and of the history."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.dateparse import parse_datetime
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from audit import verbs
from audit.models import Event
from classes.models import Membership
from classes.plans import Outcome, Planned
from design.templatetags.design import moment
from quizzes.models import Ruling, Sitting
from quizzes.presenters.texts import points_text

# What is said of each deed, after who did it.
DEEDS = {
    "classes.course.created": gettext_lazy("created the class"),
    "classes.course.copied": gettext_lazy("created the class as a copy"),
    "classes.course.changed": gettext_lazy("changed the settings"),
    "classes.course.archived": gettext_lazy("archived the class"),
    "classes.course.fetched": gettext_lazy("restored the class from the archive"),
    "classes.code.opened": gettext_lazy("turned on the joining code"),
    "classes.code.closed": gettext_lazy("turned off the joining code"),
    "classes.code.renewed": gettext_lazy("created a new joining code"),
    "classes.roster.imported": gettext_lazy("imported a list"),
    "classes.member.added": gettext_lazy("added %(person)s"),
    "classes.member.invited": gettext_lazy("invited %(person)s"),
    "classes.member.joined": gettext_lazy("joined with the code"),
    "classes.member.claimed": gettext_lazy("accepted an invitation"),
    "classes.member.changed": gettext_lazy("changed %(person)s"),
    "classes.member.removed": gettext_lazy("removed %(person)s"),
    "classes.member.taken_back": gettext_lazy("restored %(person)s"),
    "classes.member.left": gettext_lazy("left"),
    "classes.assignment.assigned": gettext_lazy("assigned a quiz"),
    "classes.assignment.changed": gettext_lazy("changed the rules of a quiz"),
    "classes.assignment.withdrawn": gettext_lazy("withdrew a quiz"),
    "classes.assignment.released": gettext_lazy("released results"),
    "classes.assignment.hidden": gettext_lazy("hid results again"),
    "classes.attempt.extended": gettext_lazy("gave %(person)s more time for an attempt"),
    "classes.attempt.reopened": gettext_lazy("reopened an attempt by %(person)s"),
    "classes.attempt.handed_in": gettext_lazy("submitted an attempt for %(person)s"),
    "classes.attempt.marked_again": gettext_lazy("had an attempt by %(person)s marked again"),
    "classes.exception.made": gettext_lazy("made an exception for %(person)s"),
    "classes.exception.changed": gettext_lazy("changed the exception for %(person)s"),
    "classes.exception.removed": gettext_lazy("removed the exception for %(person)s"),
    "classes.label_exception.made": gettext_lazy("made an exception for a label"),
    "classes.label_exception.changed": gettext_lazy("changed the exception for a label"),
    "classes.label_exception.removed": gettext_lazy("removed the exception for a label"),
    "quizzes.report.answered": gettext_lazy("answered a report by %(person)s"),
    "quizzes.report.answer_changed": gettext_lazy("changed the answer to a report by %(person)s"),
    "quizzes.ruling.applied": gettext_lazy("made a ruling on marks"),
    "quizzes.ruling.undone": gettext_lazy("undid a ruling on marks"),
}
OUTCOMES = {
    Outcome.ADDED: gettext_lazy("added"),
    Outcome.INVITED: gettext_lazy("invited"),
    Outcome.BACK: gettext_lazy("restored"),
    Outcome.CHANGED: gettext_lazy("changed"),
    Outcome.THERE: gettext_lazy("already there"),
    Outcome.REFUSED: gettext_lazy("skipped"),
}
EXPLAINED = {
    Outcome.ADDED: gettext_lazy("An account with this address exists."),
    Outcome.INVITED: gettext_lazy("They join the class once they confirm this address."),
    Outcome.BACK: gettext_lazy("They had left or been removed."),
    Outcome.CHANGED: gettext_lazy("Already in the class, with a different section or labels."),
    Outcome.THERE: gettext_lazy("Nothing changes for them."),
    Outcome.REFUSED: gettext_lazy("These lines are not imported. Each says why."),
}


@dataclass(frozen=True)
class Count:
    """How many lines come to the same."""

    outcome: str
    words: str
    explained: str
    count: int


@dataclass(frozen=True)
class PreviewLine:
    """A line of a list, and what becomes of it."""

    number: int
    name: str
    address: str
    outcome: str
    words: str
    details: tuple[str, ...]


def counts_of(counts: Mapping[str, int]) -> list[Count]:
    """What the lines come to, without that which none comes to."""
    return [
        Count(outcome.value, str(OUTCOMES[outcome]), str(EXPLAINED[outcome]), counts[outcome])
        for outcome in Outcome
        if counts[outcome]
    ]


def preview_line(planned: Planned) -> PreviewLine:
    line, member = planned.line, planned.member
    known = member or planned.user
    name = known.called if known else line.name
    return PreviewLine(
        number=line.number,
        name=name if name != line.address else "",
        address=line.address,
        outcome=planned.outcome.value,
        words=str(OUTCOMES[planned.outcome]),
        details=tuple(_details(planned)),
    )


def _details(planned: Planned) -> Iterable[str]:
    if planned.line.problem:
        yield _(planned.line.problem)
    if planned.section:
        was = planned.member.section if planned.member else ""
        words = _("section %(section)s (was %(was)s)") if was else _("section %(section)s")
        yield words % {"section": planned.section, "was": was}
    if planned.labels:
        yield _("label %(labels)s") % {"labels": ", ".join(planned.labels)}


# The history

FACTS = {
    "ruled": gettext_lazy("ruling"),
    "higher": gettext_lazy("marks higher"),
    "lower": gettext_lazy("marks lower"),
    "mode": gettext_lazy("key"),
    "accept": gettext_lazy("right choices"),
    "points": gettext_lazy("points"),
    "tolerance": gettext_lazy("tolerance"),
    "kept": gettext_lazy("kept: the new mark would be lower"),
    "hand": gettext_lazy("kept: adjusted manually"),
    "title": gettext_lazy("title"),
    "time_zone": gettext_lazy("time zone"),
    "first_day": gettext_lazy("first day of term"),
    "role": gettext_lazy("role"),
    "section": gettext_lazy("section"),
    "labels": gettext_lazy("labels"),
    "state": gettext_lazy("state"),
    "removed": gettext_lazy("removed"),
    "from": gettext_lazy("of"),
    "quizzes": gettext_lazy("quizzes"),
    "days": gettext_lazy("days later"),
    "quiz": gettext_lazy("quiz"),
    "label": gettext_lazy("label"),
    "opens_at": gettext_lazy("opens"),
    "due_at": gettext_lazy("due"),
    "closes_at": gettext_lazy("closes"),
    "minutes": gettext_lazy("minutes"),
    "attempts_allowed": gettext_lazy("attempts"),
    "counts": gettext_lazy("what counts"),
    "release": gettext_lazy("marks shown"),
    "practice": gettext_lazy("practice allowed"),
    "ends": gettext_lazy("end"),
    "handed_in": gettext_lazy("submitted"),
    "score": gettext_lazy("points"),
    "factor": gettext_lazy("time factor"),
    "more_minutes": gettext_lazy("extra minutes"),
    "untimed": gettext_lazy("no time limit"),
    "answer": gettext_lazy("answer"),
    **{outcome.value: words for outcome, words in OUTCOMES.items()},
}
_NAMED = {
    "role": dict(Membership.Role.choices),
    "state": dict(Membership.State.choices),
    "counts": dict(Sitting.Counts.choices),
    "release": dict(Sitting.Release.choices),
    "ruled": dict(Ruling.Kind.choices),
}
_MOMENTS = ("opens_at", "due_at", "closes_at", "ends", "handed_in")


@dataclass(frozen=True)
class HistoryLine:
    """One event: who did what to whom, what it was before, and why."""

    event: Event
    who: str
    deed: str
    facts: tuple[str, ...]


def history_lines(events: Sequence[Event], members: Mapping[str, Membership]) -> list[HistoryLine]:
    return [
        _history_line(event, members.get(event.target_id) if is_of_member(event) else None)
        for event in events
    ]


def is_of_member(event: Event) -> bool:
    """Is its target somebody's place in the class?"""
    return event.verb.startswith("classes.member.")


def _history_line(event: Event, member: Membership | None) -> HistoryLine:
    return HistoryLine(
        event=event,
        who=event.actor_named,
        deed=deed_told(event.verb, member.called if member else event.person_named),
        facts=tuple(facts_told(event)),
    )


def deed_told(verb: str, person: str = "") -> str:
    """What was done, to this person or to somebody."""
    return verbs.told(verb, {"person": person or _("someone")})


def facts_told(event: Event) -> Iterable[str]:
    """What an event changed, in words; times as every page shows them."""
    before, after = event.before, event.after
    for name in dict.fromkeys((*before, *after)):
        head = FACTS.get(name, name)
        was, now = _told(name, before.get(name)), _told(name, after.get(name))
        if not was and now == "0":
            continue
        if name in before and name in after:
            words = _("%(head)s: %(was)s, now %(now)s")
        else:
            words = "%(head)s: %(now)s" if name in after else _("%(head)s: was %(was)s")
        if was or now:
            values = {"head": head, "was": was or _("none"), "now": now or _("none")}
            told = {name: conditional_escape(value) for name, value in values.items()}
            yield SafeString(conditional_escape(words) % told)


def _told(name: str, value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if name in _MOMENTS and value:
        return moment(parse_datetime(value))
    if isinstance(value, float):
        return points_text(value)
    known = _NAMED.get(name, {}).get(value) if isinstance(value, str) else None
    return "" if value is None else str(known or value)
