"""The demo class: made-up students and three weeks of their work.

Each robot has a level, some misconceptions it repeats, and habits: some are late, some miss a quiz,
some try twice. Everything random follows from a seed. Existing rows are not created again, so an
interrupted run can be continued.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cached_property
from itertools import batched
from random import Random
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction

from audit.services import record_as_of
from classes.access.queries import CourseAccess
from classes.access.services import Role, record_member_event
from classes.assignments.effective_settings import effective_settings_by_user
from classes.assignments.letters import ASSIGNED, RELEASED, note_about
from classes.assignments.services.assigning import Rules, assign, release_results
from classes.assignments.services.exceptions import OverrideValues, create_overrides
from classes.courses.services.courses import archive_course, create_course
from classes.models import Assignment, Course, Label, Membership
from classes.people.services.people import leave_course
from demo.made_up_attempts import Learner, PlannedAttempt, create_attempts, mark_attempts
from demo.people import create_people
from lessons.models import Reading, Section
from lessons.pages.services import add_readings
from outbox.services import post_all
from quizzes import problems
from quizzes.delivery.effective_settings import EffectiveSettings
from quizzes.delivery.services.item_selection import variant_kinds
from quizzes.models import Quiz, Sitting

TITLE = "How transformers work"
ZONE = "Europe/London"
# The domain of the robots' addresses, which nobody owns.
DOMAIN = "class.softmark.example"
SECTIONS = ("Monday", "Wednesday", "Friday")
MORE_TIME, AGAIN = "extra time", "second time"
GIVEN_NAMES = (
    *("Aisha", "Ben", "Chiara", "Daniel", "Elif", "Farid", "Grace", "Hiroshi", "Ingrid", "Jamal"),
    *("Katya", "Liam", "Mei", "Noah", "Olga", "Priya", "Quentin", "Rosa", "Stefan", "Tomás"),
)
FAMILY_NAMES = (
    *("Abara", "Bianchi", "Clarke", "Dvořák", "Ericsson", "Fontaine", "García", "Hughes"),
    *("Ibrahim", "Jensen", "Kowalski", "Lopez", "Murphy", "Nakamura", "Okafor", "Patel"),
)
Release, Counts = Sitting.Release, Sitting.Counts
DAY = timedelta(days=1)
BATCH = 40


@dataclass(frozen=True)
class PlannedAssignment:
    """A quiz of the term: its dates in days from now, and its rules."""

    opens: float
    due: float
    closes: float
    attempts: int | None = 1
    release: str = Release.AT_ONCE
    counts: str = Counts.BEST
    released: float | None = None


# In the order of the lessons: four are over, one is open, one is to come.
TERM = (
    PlannedAssignment(-20, -16, -14, attempts=2),
    PlannedAssignment(-15, -11, -9, release=Release.AFTER_CLOSE),
    PlannedAssignment(
        -11, -7, -5, attempts=2, release=Release.BY_HAND, counts=Counts.LAST, released=-4
    ),
    PlannedAssignment(-6, -2, -1, release=Release.BY_HAND),
    PlannedAssignment(-1, 3, 5, attempts=3, release=Release.AFTER_CLOSE),
    PlannedAssignment(4, 9, 11),
)
# The index in TERM of the open quiz, and of the last one taken by the student who left.
OPEN_NOW, LAST_BEFORE_LEAVING = 4, 1
MISS, LATE, TRY_AGAIN = 0.07, 0.08, 0.45
BEGUN_ALREADY, AT_WORK = 0.3, 0.25


@dataclass(frozen=True)
class Robot:
    """A made-up student, and how they work.

    Attributes:
        level: 0 to 1.
        pace: the share of the time they take.
        mistakes: the probability of each misconception, by its key.
    """

    number: int
    member: Membership
    level: float
    pace: float
    mistakes: dict[str, float] = field(default_factory=dict)

    def learner(self, number: int) -> Learner:
        """Return how they answer; in each further attempt, mistakes are half as likely."""
        weaker = 0.5 ** (number - 1)
        mistakes = {key: often * weaker for key, often in self.mistakes.items()}
        ability = 3 * self.level - 1.6 + 0.7 * (number - 1)
        return Learner(ability, knows=1 - (1 - self.level) * 0.9 * weaker, mistakes=mistakes)


def demo_class_of(instructor: Any) -> Course | None:
    """Return the instructor's demo class, unless it is archived."""
    own = Course.objects.filter(
        title=TITLE, archived=False, memberships__user=instructor, memberships__role=Role.INSTRUCTOR
    )
    return own.order_by("pk").last()


def create_demo_class(
    *, instructor: Any, student: Any, now: datetime, seed: str, students: int = 120
) -> Iterator[tuple[str, int]]:
    """Create the class, or what is missing of it; yield each quiz's title and number of attempts.

    Args:
        instructor: the user who runs it.
        student: a user who is one of the students, and has something due.
    """
    course = demo_class_of(instructor)
    if course is None:
        course = _make_class(instructor, student, now, seed, students)
    began = course.created_at + 21 * DAY
    class_of_robots = _RobotClass(course, student, seed, began)
    for place, assignment in enumerate(class_of_robots.assignments):
        _post_letter(assignment, TERM[place], student, began)
        if began < assignment.sitting.opens_at:
            continue
        done = set(assignment.sitting.attempts.values_list("student", "number"))
        goes = [go for go in class_of_robots.goes(place) if (go.student.pk, go.number) not in done]
        # A few at a time, so that other writers do not have to wait.
        for some in batched(goes, BATCH, strict=False):
            mark_attempts(create_attempts(some))
        add_readings(readings=_readings(goes))
        if goes:
            yield assignment.sitting.quiz.title, len(goes)


@transaction.atomic
def archive_demo_class(*, instructor: Any) -> None:
    """Archive the demo class, so that another can be created. Nothing is deleted."""
    if course := demo_class_of(instructor):
        archive_course(course=course, by=instructor, archived=True)


# The class and its people


@transaction.atomic
def _make_class(instructor: Any, student: Any, now: datetime, seed: str, students: int) -> Course:
    chance = Random(seed)
    first = now - 21 * DAY
    with record_as_of(first):
        course = create_course(by=instructor, title=TITLE, time_zone=ZONE, first_day=first.date())
    course.created_at = first
    course.save(update_fields=["created_at"])
    access = CourseAccess(course, instructor, Role.INSTRUCTOR)
    # Before anybody is in the class, so that no letters announce made-up quizzes.
    _assign_quizzes(access, now)
    members = _add_people(course, student, first, students, chance)
    _make_exceptions(access, members, now)
    with record_as_of(now - 10 * DAY):
        leave_course(member=members[-1])
    return course


def _post_letter(
    assignment: Assignment, plan: PlannedAssignment, student: Any, now: datetime
) -> None:
    """Post the student what the class told them last of a quiz, on its day, and robots nothing."""
    if plan.closes > 0:
        kind, at = ASSIGNED, _assigned_at(assignment.sitting.opens_at, now)
    elif plan.release != Release.AT_ONCE and assignment.sitting.shows_results(now):
        days = plan.closes if plan.released is None else plan.released
        kind, at = RELEASED, _days_from(now, days)
    else:
        return
    post_all(kind=kind, notes=[note_about(assignment, kind=kind, to=student.pk, due=at)])


def _add_people(
    course: Course, student: Any, first: datetime, count: int, chance: Random
) -> list[Membership]:
    """Add two assistants, an observer and the students. Return the students' memberships."""
    staff = [(Role.ASSISTANT, SECTIONS[0]), (Role.ASSISTANT, ""), (Role.OBSERVER, "")]
    users = _people(count - 1 + len(staff))
    helping, learning = users[: len(staff)], [student, *users[len(staff) :]]
    members = [
        Membership(course=course, user=user, role=role, section=section, joined_at=first)
        for user, (role, section) in zip(helping, staff, strict=True)
    ]
    members += [
        Membership(
            course=course,
            user=user,
            section=SECTIONS[place % len(SECTIONS)],
            # Half of them during the first lecture, the others within a day.
            joined_at=first + chance.choice((0.02, 0.9)) * chance.random() * DAY,
        )
        for place, user in enumerate(learning)
    ]
    Membership.objects.bulk_create(members)
    _label(course, members[len(staff) :], chance)
    for member in members:
        with record_as_of(member.joined_at):
            record_member_event(member.user, "joined", member)
    return members[len(staff) :]


def _label(course: Course, students: Sequence[Membership], chance: Random) -> None:
    more_time, again = (
        Label.objects.create(course=course, text=text) for text in (MORE_TIME, AGAIN)
    )
    worn = Membership.labels.through
    wearing = [(member, more_time) for member in students[1:3]]
    wearing += [(member, again) for member in chance.sample(students[1:], len(students) // 12)]
    worn.objects.bulk_create(
        worn(membership_id=member.pk, label_id=label.pk) for member, label in wearing
    )


def _people(count: int) -> list[Any]:
    """Return `count` robots' accounts, creating the missing ones. Nobody can log in as them."""
    model = get_user_model()
    names = [
        (GIVEN_NAMES[n % len(GIVEN_NAMES)], FAMILY_NAMES[(n + n // 80) % len(FAMILY_NAMES)])
        for n in range(count)
    ]
    addresses = [f"robot-{n + 1:03}@{DOMAIN}" for n in range(count)]
    there = set(model.objects.filter(email__in=addresses).values_list("email", flat=True))
    create_people(
        (address, " ".join(name))
        for address, name in zip(addresses, names, strict=True)
        if address not in there
    )
    found = {user.email: user for user in model.objects.filter(email__in=addresses)}
    return [found[address] for address in addresses]


# Assignments


def _assign_quizzes(access: CourseAccess, now: datetime) -> None:
    quizzes = Quiz.objects.filter(published=True).order_by("lesson__order", "title")
    for quiz, plan in zip(quizzes, TERM, strict=False):
        opens, due, closes = (_days_from(now, days) for days in (plan.opens, plan.due, plan.closes))
        rules = Rules(
            opens_at=opens,
            due_at=due,
            closes_at=closes,
            minutes=quiz.own_sitting.minutes,
            attempts_allowed=plan.attempts,
            counts=plan.counts,
            release=plan.release,
        )
        with record_as_of(_assigned_at(opens, now)):
            assignment = assign(access=access, quiz=quiz, rules=rules)
        if plan.released is not None:
            with record_as_of(_days_from(now, plan.released)):
                release_results(access=access, assignment=assignment)


def _assigned_at(opens: datetime, now: datetime) -> datetime:
    return min(opens - 2 * DAY, now - DAY)


def _days_from(now: datetime, days: float) -> datetime:
    """Return the full hour `days` days from now."""
    return (now + days * DAY).replace(minute=0, second=0, microsecond=0)


def _make_exceptions(access: CourseAccess, students: Sequence[Membership], now: datetime) -> None:
    with record_as_of(now - 20 * DAY):
        label = Label.objects.get(course=access.course, text=MORE_TIME)
        create_overrides(
            access=access, difference=OverrideValues(factor=Decimal("1.5")), label=label
        )
        double = OverrideValues(factor=Decimal(2))
        create_overrides(
            access=access,
            difference=double,
            members=[students[3].pk],
            reason="Reads with a screen reader",
        )
    assignments = _assignments(access.course)
    if len(assignments) > OPEN_NOW - 1:
        late = assignments[OPEN_NOW - 1]
        longer = OverrideValues(due_at=_days_from(now, 2), closes_at=_days_from(now, 3))
        with record_as_of(now - 3 * DAY):
            create_overrides(
                access=access,
                difference=longer,
                assignment=late,
                members=[students[4].pk],
                reason="Was ill that week",
            )


def _assignments(course: Course) -> list[Assignment]:
    found = Assignment.objects.filter(course=course).select_related("sitting__quiz", "course")
    return list(found.order_by("sitting__opens_at", "pk")[: len(TERM)])


# Attempts


class _RobotClass:
    """The robots of a class, and their attempts at each quiz."""

    def __init__(self, course: Course, student: Any, seed: str, now: datetime):
        self.course, self.student, self.seed, self.now = course, student, seed, now
        self.assignments = _assignments(course)

    @cached_property
    def robots(self) -> list[Robot]:
        members = Membership.objects.filter(course=self.course, role=Role.STUDENT)
        kinds = [
            kind
            for assignment in self.assignments
            for kind in variant_kinds(assignment.sitting.quiz.slots.order_by("position"))
        ]
        likely = problems.likely_mistakes(kinds)
        return [
            self._robot(number, member, likely)
            for number, member in enumerate(members.select_related("user").order_by("pk"))
            if member.user.email.endswith(DOMAIN) or member.user == self.student
        ]

    def _robot(self, number: int, member: Membership, likely: Sequence[str]) -> Robot:
        chance = Random(f"{self.seed} robot {number}")
        # Mistakes that can be made in many problems are more common.
        own = {
            likely[min(int(chance.expovariate(4 / len(likely))), len(likely) - 1)]
            for _ in range(chance.choice((2, 3, 3)))
        }
        return Robot(
            number,
            member,
            level=min(0.97, max(0.2, chance.gauss(0.72, 0.17))),
            pace=min(1.0, max(0.35, chance.gauss(0.75, 0.18))),
            mistakes={key: chance.uniform(0.5, 0.9) for key in sorted(own)},
        )

    def goes(self, place: int) -> list[PlannedAttempt]:
        """Return the planned attempts at one of the quizzes."""
        assignment = self.assignments[place]
        settings = effective_settings_by_user(assignment, [robot.member for robot in self.robots])
        return [
            go
            for robot in self.robots
            for go in self._attempts_of_robot(robot, place, settings[robot.member.user_id])
        ]

    def _attempts_of_robot(
        self, robot: Robot, place: int, settings: EffectiveSettings
    ) -> Iterator[PlannedAttempt]:
        chance = Random(f"{self.seed} robot {robot.number} quiz {place}")
        is_shown = robot.member.user == self.student
        gone = robot.member.state != Membership.State.ACTIVE
        missed = chance.random() < MISS and not is_shown
        if missed or (gone and place > LAST_BEFORE_LEAVING):
            return
        if place == OPEN_NOW:
            if not is_shown and chance.random() < BEGUN_ALREADY:
                yield self._attempt_of_today(robot, place, settings, chance)
            return
        opens, due, closes = settings.opens_at, settings.due_at, settings.closes_at
        if chance.random() < LATE:
            begun = due + chance.uniform(0.05, 0.8) * (closes - due)
        else:
            # Most begin shortly before it is due.
            begun = opens + chance.betavariate(2.5, 1.3) * (due - timedelta(hours=2) - opens)
        begun = min(begun, self.now - timedelta(hours=2))
        yield self._go(robot, place, settings, begun, 1, chance)
        if settings.attempts_allowed != 1 and robot.level < 0.75 and chance.random() < TRY_AGAIN:
            begun += timedelta(hours=chance.uniform(3, 30))
            if begun < min(closes, self.now) - timedelta(hours=2):
                yield self._go(robot, place, settings, begun, 2, chance)

    def _go(
        self,
        robot: Robot,
        place: int,
        settings: EffectiveSettings,
        begun: datetime,
        number: int,
        chance: Random,
    ) -> PlannedAttempt:
        deadline = settings.deadline(begun)
        time = (deadline - begun) if deadline else timedelta(minutes=30)
        # Slow robots run out of time with their last questions unanswered.
        pace = robot.pace * chance.uniform(0.8, 1.2)
        ended = begun + min(1.0, pace) * time
        share = min(1.0, chance.uniform(0.95, 1.3) / max(1.0, pace))
        own = self._own(robot, place, settings, number)
        return PlannedAttempt(
            **own, started_at=begun, ended_at=ended, saved_until=ended, share=share
        )

    def _attempt_of_today(
        self, robot: Robot, place: int, settings: EffectiveSettings, chance: Random
    ) -> PlannedAttempt:
        """Return an attempt at the open quiz; some of these are still in progress."""
        if chance.random() > AT_WORK:
            begun = settings.opens_at + chance.random() * (self.now - settings.opens_at) * 0.9
            return self._go(robot, place, settings, begun, 1, chance)
        minutes = settings.minutes or 30
        spent = chance.uniform(0.1, 0.6)
        begun = self.now - timedelta(minutes=minutes * spent)
        saved = self.now - timedelta(seconds=chance.uniform(1, 40))
        share = min(1.0, spent / robot.pace)
        own = self._own(robot, place, settings, 1)
        return PlannedAttempt(
            **own, started_at=begun, ended_at=None, saved_until=saved, share=share
        )

    def _own(
        self, robot: Robot, place: int, settings: EffectiveSettings, number: int
    ) -> dict[str, Any]:
        """Return the arguments of `PlannedAttempt` that do not depend on the times."""
        return {
            "student": robot.member.user,
            "settings": settings,
            "number": number,
            "learner": robot.learner(number),
            "seed": f"{self.seed} {robot.number} {place} {number}",
        }


def _readings(goes: Sequence[PlannedAttempt]) -> Iterator[Reading]:
    """Yield what students read of the lesson before an attempt; those who know more read more."""
    lesson = goes[0].settings.sitting.quiz.lesson if goes else None
    sections = list(Section.objects.filter(lesson=lesson).order_by("order")) if lesson else []
    for go in goes:
        read = sections[: round(go.learner.knows * len(sections))] if go.number == 1 else []
        for place, section in enumerate(read):
            at = go.started_at - (len(read) - place) * timedelta(minutes=6)
            yield Reading(student=go.student, section=section, read_at=at)
