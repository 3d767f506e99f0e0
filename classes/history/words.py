"""Words for events of a class and for what they changed."""

from collections.abc import Iterable
from typing import Any

from django.utils.dateparse import parse_datetime
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from audit import verbs
from audit.models import Event
from classes.models import Membership
from classes.rosters import ImportAction
from design.isolation import bdi, format_sentence
from design.matrix import format_number
from design.templatetags.design import format_moment
from quizzes.items.presenters.texts import format_points
from quizzes.models import Ruling, Sitting

# The words for each verb, which follow the actor.
VERB_WORDS = {
    "classes.course.created": gettext_lazy("created the class"),
    "classes.course.copied": gettext_lazy("created the class as a copy"),
    "classes.course.changed": gettext_lazy("changed the settings"),
    "classes.course.archived": gettext_lazy("archived the class"),
    "classes.course.fetched": gettext_lazy("restored the class from the archive"),
    "classes.code.opened": gettext_lazy("turned on the joining code"),
    "classes.code.closed": gettext_lazy("turned off the joining code"),
    "classes.code.renewed": gettext_lazy("created a new joining code"),
    "classes.roster.imported": gettext_lazy("imported a list"),
    "classes.roster.written": gettext_lazy("emailed invited people"),
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
    "classes.assignment.released": gettext_lazy("released the marks"),
    "classes.assignment.hidden": gettext_lazy("hid the marks again"),
    "classes.assignment.messaged": gettext_lazy("sent a message to everyone working on a quiz"),
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
    "quizzes.report.answer_changed": gettext_lazy("changed the reply to a report by %(person)s"),
    "quizzes.ruling.applied": gettext_lazy("changed marks by a regrade"),
    "quizzes.ruling.undone": gettext_lazy("undid a regrade"),
}
# By verb: the values that reveal how well somebody did.
MARKS = {"classes.attempt.reopened": ("score",)}
OUTCOMES = {
    ImportAction.ADDED: gettext_lazy("added"),
    ImportAction.INVITED: gettext_lazy("invited"),
    ImportAction.BACK: gettext_lazy("restored"),
    ImportAction.CHANGED: gettext_lazy("changed"),
    ImportAction.THERE: gettext_lazy("already there"),
    ImportAction.REFUSED: gettext_lazy("skipped"),
}


# The history

FIELD_WORDS = {
    "ruled": gettext_lazy("regrade"),
    "higher": gettext_lazy("marks higher"),
    "lower": gettext_lazy("marks lower"),
    "mode": gettext_lazy("key"),
    "accept": gettext_lazy("accepted answers"),
    "points": gettext_lazy("points"),
    "tolerance": gettext_lazy("tolerance"),
    "version": gettext_lazy("version"),
    "kept": gettext_lazy("kept: the new mark would be lower"),
    "hand": gettext_lazy("kept: adjusted manually"),
    "title": gettext_lazy("title"),
    "time_zone": gettext_lazy("time zone"),
    "first_day": gettext_lazy("first day of term"),
    "dates": gettext_lazy("dates"),
    "role": gettext_lazy("role"),
    "section": gettext_lazy("section"),
    "labels": gettext_lazy("labels"),
    "state": gettext_lazy("state"),
    "removed": gettext_lazy("removed"),
    "from": gettext_lazy("copied from"),
    "quizzes": gettext_lazy("quizzes"),
    "days": gettext_lazy("days the dates moved"),
    "quiz": gettext_lazy("quiz"),
    "label": gettext_lazy("label"),
    "opens_at": gettext_lazy("opens"),
    "due_at": gettext_lazy("due"),
    "closes_at": gettext_lazy("closes"),
    "minutes": gettext_lazy("minutes"),
    "attempts_allowed": gettext_lazy("attempts"),
    "counts": gettext_lazy("which attempt counts"),
    "release": gettext_lazy("marks shown"),
    "practice": gettext_lazy("practice allowed"),
    "ends": gettext_lazy("end"),
    "handed_in": gettext_lazy("submitted"),
    "score": gettext_lazy("points"),
    "factor": gettext_lazy("time factor"),
    "more_minutes": gettext_lazy("extra minutes"),
    "untimed": gettext_lazy("no time limit"),
    "answer": gettext_lazy("answer"),
    "message": gettext_lazy("message"),
    "reached": gettext_lazy("students working then"),
    **{outcome.value: words for outcome, words in OUTCOMES.items()},
}
_NAMED = {
    "role": dict(Membership.Role.choices),
    "state": dict(Membership.State.choices),
    "counts": dict(Sitting.Counts.choices),
    "release": dict(Sitting.Release.choices),
    "ruled": dict(Ruling.Kind.choices),
    "dates": {
        "clock": gettext_lazy("kept their time of day"),
        "moment": gettext_lazy("kept at the same moment"),
    },
}
_MOMENTS = ("opens_at", "due_at", "closes_at", "ends", "handed_in")


def describe_event(verb: str, person: str = "") -> SafeString:
    """Return an action in words as HTML; without a name, the person is "someone"."""
    return verbs.describe_html(verb, {"person": bdi(person) if person else _("someone")})


def describe_changes(event: Event) -> Iterable[str]:
    """Yield what an event changed, in words, with times as all pages show them."""
    before, after = event.before, event.after
    for name in dict.fromkeys((*before, *after)):
        head = FIELD_WORDS.get(name, name)
        was, now = _format_value(name, before.get(name)), _format_value(name, after.get(name))
        if not was and now == "0":
            continue
        if name in before and name in after:
            words = _("%(head)s: %(was)s, now %(now)s")
        else:
            words = "%(head)s: %(now)s" if name in after else _("%(head)s: was %(was)s")
        if was or now:
            values = {"head": head, "was": was or _("none"), "now": now or _("none")}
            yield format_sentence(words, values)


def _format_value(name: str, value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if name in _MOMENTS and value:
        return format_moment(parse_datetime(value))
    if isinstance(value, int):
        return format_number(value, 0)
    if isinstance(value, float):
        return format_points(value)
    known = _NAMED.get(name, {}).get(value) if isinstance(value, str) else None
    return "" if value is None else str(known or value)
