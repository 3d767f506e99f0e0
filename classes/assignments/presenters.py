"""Template contexts of assignments and overrides."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from classes.access.queries import CourseAccess
from classes.assignments.precedence import (
    FIELDS,
    Candidate,
    Level,
    ResolvedSettings,
    TimeAllowed,
    override_value,
)
from classes.assignments.queries import Needs, can_change_override
from classes.assignments.words import NAMES, NOT_SET, format_extra_time, format_time_allowed
from classes.models import Assignment, Override
from design.isolation import bdi
from quizzes.analysis.presenters.distributions import score_distribution
from quizzes.analysis.queries import SittingAnswers
from quizzes.analysis.statistics import NO_MINIMUM
from quizzes.models import ExtraTime

NO_PROGRESS = {"begun": 0, "handed_in": 0, "working": 0}
# Silent students who are named; the others are counted.
MAX_NAMED = 5


# By sitting: how many students have begun and submitted, and work now.
type Progress = Mapping[int, dict[str, int]]


def need_lines(
    needs: Needs, assignments: Sequence[Assignment], progress: Progress, access: CourseAccess
) -> list[dict[str, str]]:
    """Return a line, with where it leads, for each thing that waits for the class's staff."""
    course = access.course.pk
    titles = {each.pk: each.sitting.quiz.title for each in assignments}
    lines = []

    def add(words: str, name: str, *keys: int, query: str = "", note: str = "") -> None:
        address = reverse(f"classes:{name}", args=[course, *keys]) + query
        lines.append({"words": words, "address": address, "note": note})

    if needs.reports:
        words = ngettext(
            "Answer %(count)s report on a question",
            "Answer %(count)s reports on questions",
            needs.reports,
        )
        add(words % {"count": needs.reports}, "reports")
    for each in assignments:
        if count := progress.get(each.sitting_id, NO_PROGRESS)["working"]:
            words = ngettext(
                "%(count)s student is working now", "%(count)s students are working now", count
            )
            add(words % {"count": count}, "watch", each.pk, note=titles[each.pk])
    for key, count in needs.attention.items():
        words = ngettext(
            "%(count)s attempt couldn’t be marked", "%(count)s attempts couldn’t be marked", count
        )
        add(words % {"count": count}, "watch", key, query="?state=attention", note=titles[key])
    for each in needs.unreleased if access.runs else ():
        add(_("Release the marks"), "release", each.pk, note=titles[each.pk])
    for each in needs.unchecked if access.runs else ():
        add(_("Check the dates"), "rules", each.pk, note=titles[each.pk])
    for each in needs.ending:
        add(_("Ends today"), "watch", each.pk, note=titles[each.pk])
    if count := len(needs.silent):
        words = ngettext(
            "%(count)s student hasn’t started any quiz",
            "%(count)s students haven’t started any quiz",
            count,
        )
        named = [(bdi(member.display_name),) for member in needs.silent[:MAX_NAMED]]
        more = [("…",)] if count > MAX_NAMED else []
        note = format_html_join(", ", "{}", [*named, *more])
        add(words % {"count": count}, "gradebook", query="?state=none", note=note)
    return lines


def latest_chart(found: tuple[Assignment, SittingAnswers] | None) -> dict[str, Any] | None:
    """Return the chart of the marks of the assignment that closed last, with its summary."""
    if found is None:
        return None
    assignment, marked = found
    drawn = score_distribution(marked, assignment.sitting, NO_MINIMUM)
    return {"assignment": assignment, "chart": drawn.chart, "summary": drawn.summary}


def assignment_lines(
    assignments: Iterable[Assignment], progress: Progress, now: datetime
) -> list[dict[str, Any]]:
    """Return the lines of a list of assignments, with the class's progress."""
    return [
        {
            "assignment": assignment,
            "title": assignment.sitting.quiz.title,
            "state": _state(assignment, now),
            "progress": progress.get(assignment.sitting_id, NO_PROGRESS),
            "is_past": assignment.dates_copied
            and any(at and at < now for at in assignment.dates.values()),
        }
        for assignment in assignments
    ]


def _state(assignment: Assignment, now: datetime) -> str:
    sitting = assignment.sitting
    if not sitting.quiz.published:
        return _("withdrawn by its author")
    if not sitting.has_opened(now):
        return _("not open yet")
    if not sitting.has_closed(now):
        return _("open")
    return _("closed") if sitting.has_closed_for_all(now) else _("open for some")


def rule_lines(assignment: Assignment) -> list[dict[str, Any]]:
    """Return the rules of an assignment that are set for everybody, by name."""
    sitting = assignment.sitting
    values = assignment.dates | {
        "time": TimeAllowed(sitting.minutes),
        "attempts_allowed": sitting.attempts_allowed,
    }
    release = sitting.get_release_display()
    if sitting.release == sitting.Release.BY_HAND and sitting.released:
        release = _("released")
    others = {_("Marks and solutions"): release}
    if sitting.attempts_allowed != 1:
        others[_("Which attempt counts")] = sitting.get_counts_display()
    others[_("Practice")] = _("practice allowed") if sitting.practice else _("not for this quiz")
    return [
        *({"name": NAMES[field], "value": _value_of(field, values[field])} for field in FIELDS),
        *({"name": name, "value": {"words": words}} for name, words in others.items()),
    ]


def _value_of(field: str, value: Any) -> dict[str, Any]:
    """Return a rule's value for the template: a moment or words."""
    if value is None:
        return {"words": NOT_SET[field]}
    if isinstance(value, datetime):
        return {"moment": value}
    return {"words": format_time_allowed(value) if field == "time" else str(value)}


def override_lines(overrides: Iterable[Override], access: CourseAccess) -> list[dict[str, Any]]:
    """Return overrides with the rules they set."""
    return [
        {
            "override": override,
            "quiz": override.assignment.sitting.quiz.title if override.assignment else "",
            "rules": list(_override_rules(override)),
            "may_change": can_change_override(access, override),
        }
        for override in overrides
    ]


def _override_rules(override: Override) -> Iterable[dict[str, Any]]:
    for field in FIELDS:
        if field == "time":
            words = _describe_time(override)
            if words:
                yield {"name": NAMES[field], "value": {"words": words}}
        elif (value := override_value(override, field, 0)) is not None:
            yield {"name": NAMES[field], "value": _value_of(field, value)}


def _describe_time(override: Override) -> str:
    if override.untimed:
        return _("no time limit")
    extra = ExtraTime(factor=override.factor or 1, minutes=override.more_minutes or 0)
    words = format_extra_time(extra)
    return _("%(more)s min") % {"more": words} if extra.minutes else words


def resolved_lines(chain: ResolvedSettings) -> list[dict[str, Any]]:
    """Return, for each rule, the value that applies to a student, then the overruled ones."""
    return [
        {
            "name": NAMES[field],
            "reasons": [
                {
                    "value": _value_of(field, candidate.value),
                    "by": _describe_source(candidate),
                    "applies": candidate.applies,
                }
                for candidate in chain.candidates[field]
            ],
        }
        for field in FIELDS
    ]


def _describe_source(candidate: Candidate) -> str:
    words = {
        Level.STUDENT_HERE: _("exception for this student in this quiz"),
        Level.LABEL_HERE: _("exception for the label or section “%(label)s” in this quiz"),
        Level.STUDENT: _("exception for this student in the class"),
        Level.LABEL: _("exception for the label or section “%(label)s” in the class"),
        Level.SITE: _("the student’s extra time for every quiz on this site"),
        Level.EVERYBODY: _("set for everyone"),
    }[candidate.level]
    if isinstance(candidate.by, Override):
        words = words % {"label": candidate.by.label.text if candidate.by.label else ""}
        words += f": {candidate.by.reason}" if candidate.by.reason else ""
    return words
