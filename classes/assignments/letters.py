"""Letters to students about their assignments.

A posted message only refers to its subject. The rest is read when the letter is sent, so that it
has the reader's effective settings at that time, and is dropped if its reason is gone.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy

from classes.access.queries import in_group
from classes.assignments.effective_settings import STUDENT, overrides_of_course
from classes.assignments.precedence import FIELDS, ResolvedSettings
from classes.assignments.words import NAMES, format_moment, format_time_allowed
from classes.models import Assignment, Course, Membership, Override
from foundation import time_zones
from outbox import kinds
from outbox.kinds import Kind
from outbox.services import Note, post_all
from quizzes.delivery.effective_settings import EffectiveSettings
from quizzes.models import Attempt

ASSIGNED, DUE, RELEASED, EXCEPTION = (
    f"classes.{name}" for name in ("assigned", "due_tomorrow", "released", "exception")
)
Payloads = Mapping[int, Mapping[str, Any]]


def register() -> None:
    """Register these kinds of letters."""
    for key, title, payloads in (
        (ASSIGNED, gettext_lazy("A quiz is assigned to your class"), _assigned_payloads),
        (DUE, gettext_lazy("A quiz is due tomorrow"), _due_payloads),
        (RELEASED, gettext_lazy("Marks for a quiz are released"), _released_payloads),
        (
            EXCEPTION,
            gettext_lazy("An exception for you is made, changed or removed"),
            _override_payloads,
        ),
    ):
        template = f"classes/letters/{key.removeprefix('classes.')}"
        kinds.register(
            Kind(key=key, title=title, template=template, digest=True, current_payloads=payloads)
        )


# Posting, in the transaction of the change that is announced


def post_assigned(assignments: Iterable[Assignment], users: Iterable[int]) -> None:
    """Announce assignments to these users, each once.

    An assignment with copied dates is not announced before somebody has checked them.
    """
    users = list(users)
    notes = [
        note_about(assignment, kind=ASSIGNED, to=user)
        for assignment in assignments
        if not assignment.dates_copied
        for user in users
    ]
    post_all(kind=ASSIGNED, notes=notes)


def note_about(assignment: Assignment, *, kind: str, to: int, due: datetime | None = None) -> Note:
    """Return a letter that a user gets once about an assignment, for `post_all`."""
    key = f"{kind}:{assignment.pk}:{to}"
    return Note(to=to, payload={"assignment": assignment.pk}, due=due, key=key)


def post_to_new_members(course: Course, users: Iterable[int]) -> None:
    """Announce the assignments that have not closed to students who join later."""
    coming = active_students(course).filter(user__in=users).values_list("user", flat=True)
    now = timezone.now()
    open_yet = Q(sitting__closes_at=None) | Q(sitting__closes_at__gt=now)
    open_for_some = Q(sitting__last_closes_at__gt=now)
    post_assigned(
        Assignment.objects.filter(open_yet | open_for_some, course=course).order_by("pk"), coming
    )


def post_due(assignment: Assignment, deadlines: Mapping[int, datetime]) -> None:
    """Remind users of an assignment that is due; `deadlines` are by the user's key."""
    post_all(
        kind=DUE,
        notes=[
            Note(
                to=user,
                payload={"assignment": assignment.pk, "due": at},
                key=f"{DUE}:{assignment.pk}:{at:%Y%m%dT%H%M}:{user}",
            )
            for user, at in deadlines.items()
        ],
    )


def post_released(assignment: Assignment) -> None:
    """Tell the students who have submitted that they can see their marks."""
    done = submitted_attempts([assignment.sitting_id]).values("student")
    students = active_students(assignment.course).filter(user__in=done)
    users = students.values_list("user", flat=True)
    notes = [note_about(assignment, kind=RELEASED, to=user) for user in users]
    post_all(kind=RELEASED, notes=notes)


def post_overrides(overrides: Sequence[Override], *, is_over: bool = False) -> None:
    """Tell the students affected by these overrides what applies to them now."""
    notes = []
    for override in overrides:
        version = 0 if is_over else override.version
        payload = {
            "course": override.course_id,
            "assignment": override.assignment_id,
            "exception": override.pk,
            "version": version,
        }
        notes += [
            Note(to=user, payload=payload, key=f"{EXCEPTION}:{override.pk}:{version}:{user}")
            for user in _affected_users(override)
        ]
    post_all(kind=EXCEPTION, notes=notes)


def _affected_users(override: Override) -> list[int]:
    member = override.member
    if member is None:
        course, label = override.course, override.label
        wearing = active_students(course).filter(in_group(course, label.text))
        return list(wearing.values_list("user", flat=True))
    is_there = all(getattr(member, name) == value for name, value in STUDENT.items())
    return [member.user_id] if is_there and member.user_id else []


def active_students(course: Course) -> QuerySet[Membership]:
    """Return the active students of a class, who have accounts."""
    return Membership.objects.filter(course=course, user__isnull=False, **STUDENT).order_by("pk")


def submitted_attempts(sittings: Iterable[int]) -> QuerySet[Attempt]:
    """Return the submitted attempts of learners at these sittings."""
    taken = Attempt.objects.graded().filter(sitting__in=sittings)
    return taken.filter(state=Attempt.State.SUBMITTED).order_by()


# The contents of letters, when they are sent


@dataclass(frozen=True)
class PendingLetter:
    """A letter about to be sent, with its reader's effective settings."""

    message: Any
    assignment: Assignment
    chain: ResolvedSettings
    zone: ZoneInfo

    @property
    def settings(self) -> EffectiveSettings:
        return self.chain.settings

    def context(self, **more: Any) -> dict[str, Any]:
        settings, quiz = self.settings, self.assignment.sitting.quiz
        return {
            "quiz": quiz.title,
            "course": self.assignment.course.title,
            "opens": "" if settings.has_opened(timezone.now()) else self.at(settings.opens_at),
            "due": self.at(settings.due_at),
            "closes": self.at(settings.closes_at),
            "address": self.assignment.sitting.get_absolute_url(),
            **more,
        }

    def at(self, when: datetime | None) -> str:
        """Return a time in the reader's time zone or, if they have chosen none, in the class's."""
        return format_moment(timezone.localtime(when, self.zone)) if when else ""


def _zone_of(user: Any, course: Course) -> ZoneInfo:
    own = getattr(user, "time_zone", "")
    return ZoneInfo(own if own in time_zones.names() else course.time_zone)


def _pending_letters(messages: Sequence[Any]) -> Iterator[PendingLetter]:
    """Yield the letters whose quiz is published and whose reader is still a student there."""
    pairs = [(each, each.payload.get("assignment")) for each in messages]
    found = Assignment.objects.filter(course__archived=False, sitting__quiz__published=True)
    keys = {pk for _message, pk in pairs if pk}
    by_key = found.select_related("course", "sitting__quiz").in_bulk(list(keys))
    return _pending_letters_of((message, by_key[pk]) for message, pk in pairs if pk in by_key)


def _pending_letters_of(pairs: Iterable[tuple[Any, Assignment]]) -> Iterator[PendingLetter]:
    pairs = list(pairs)
    places = {
        (place.course_id, place.user_id): place
        for place in Membership.objects.filter(
            course__in={assignment.course_id for _message, assignment in pairs},
            user__in={message.to_id for message, _assignment in pairs},
            **STUDENT,
        )
    }
    exceptions: dict[int, Any] = {}
    for message, assignment in pairs:
        place = places.get((assignment.course_id, message.to_id))
        if place is None:
            continue
        course = assignment.course
        if course.pk not in exceptions:
            exceptions[course.pk] = overrides_of_course(course)
        chain = exceptions[course.pk].chain(assignment, place)
        yield PendingLetter(message, assignment, chain, _zone_of(message.to, course))


def _assigned_payloads(messages: Sequence[Any]) -> Payloads:
    now = timezone.now()
    return {
        each.message.pk: each.context()
        for each in _pending_letters(messages)
        if not each.settings.has_closed(now)
    }


def _due_payloads(messages: Sequence[Any]) -> Payloads:
    """Return the contents of reminders whose deadline is unchanged and work not submitted."""
    now = timezone.now()
    readings = list(_pending_letters(messages))
    done = set(
        submitted_attempts({each.assignment.sitting_id for each in readings})
        .filter(student__in={each.message.to_id for each in readings})
        .values_list("sitting", "student")
    )
    contents = {}
    for each in readings:
        at = each.settings.ends_at
        if at is None or at <= now or not _is_same_moment(at, each.message.payload["due"]):
            continue
        if (each.assignment.sitting_id, each.message.to_id) not in done:
            contents[each.message.pk] = each.context(until=each.at(at))
    return contents


def _is_same_moment(at: datetime, posted: Any) -> bool:
    return at == (datetime.fromisoformat(posted) if isinstance(posted, str) else posted)


def _released_payloads(messages: Sequence[Any]) -> Payloads:
    now = timezone.now()
    readings = list(_pending_letters(messages))
    sittings = {each.assignment.sitting_id: each.assignment.sitting for each in readings}
    shown = {pk for pk, sitting in sittings.items() if sitting.shows_results(now)}
    return {
        each.message.pk: each.context() for each in readings if each.assignment.sitting_id in shown
    }


def _override_payloads(messages: Sequence[Any]) -> Payloads:
    """Return the settings that apply now, at one quiz or at all assignments, without reasons."""
    versions = dict(
        Override.objects.filter(pk__in={each.payload["exception"] for each in messages})
        .order_by()
        .values_list("pk", "version")
    )
    # If an override was changed again, a later letter covers it.
    current = [
        each
        for each in messages
        if each.payload["version"] == versions.get(each.payload["exception"], 0)
    ]
    here = [each for each in current if each.payload["assignment"]]
    contents = {
        each.message.pk: each.context(quizzes=[_rules(each)], is_of_class=False)
        for each in _pending_letters(here)
    }
    return contents | _course_override_payloads([each for each in current if each not in here])


def _course_override_payloads(messages: Sequence[Any]) -> Payloads:
    courses = Course.objects.filter(archived=False).in_bulk(
        [each.payload["course"] for each in messages]
    )
    now = timezone.now()
    contents: dict[int, dict[str, Any]] = {}
    for message in messages:
        course = courses.get(message.payload["course"])
        if course and active_students(course).filter(user=message.to_id).exists():
            contents[message.pk] = {"course": course.title, "quizzes": [], "is_of_class": True}
    found = Assignment.objects.filter(course__in=courses, sitting__quiz__published=True)
    by_course: dict[int, list[Assignment]] = {}
    for assignment in found.select_related("course", "sitting__quiz").order_by("due_at", "pk"):
        by_course.setdefault(assignment.course_id, []).append(assignment)
    pairs = [
        (message, assignment)
        for message in messages
        if message.pk in contents
        for assignment in by_course.get(message.payload["course"], ())
    ]
    for each in _pending_letters_of(pairs):
        if not each.settings.has_closed(now):
            contents[each.message.pk]["quizzes"].append(_rules(each))
    return contents


def _rules(each: PendingLetter) -> dict[str, Any]:
    lines = []
    for field in FIELDS:
        value = each.chain.value(field)
        if value is not None:
            lines.append(f"{NAMES[field]}: {_format_value(value, each.at)}")
    sitting = each.assignment.sitting
    return {"title": sitting.quiz.title, "address": sitting.get_absolute_url(), "lines": lines}


def _format_value(value: Any, at: Callable[[datetime], str]) -> str:
    if isinstance(value, datetime):
        return at(value)
    return str(value) if isinstance(value, int) else format_time_allowed(value)
