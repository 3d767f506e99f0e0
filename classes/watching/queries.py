"""Queries for monitoring an assignment, with a line for each student.

A page of lines runs a fixed number of queries however many students there are, and reads columns
instead of whole attempts or items.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet, TextChoices, TextField
from django.db.models.functions import Cast
from django.utils.translation import gettext_lazy as _

from classes.access.queries import CURRENT_STATES, CourseAccess, Role
from classes.assignments.effective_settings import overrides_of_course
from classes.models import Assignment, Course, Membership
from classes.people.queries.people import EVERY_STATE, PeopleChoice, chosen_people
from quizzes.delivery.effective_settings import is_late
from quizzes.models import GRACE, Attempt, Item, Submission

# A character other than a space between the quotes of one of a draft's values.
HAS_TEXT = r'": " *[^" ]'
# By then a sweep has run, so an attempt still open could not be closed.
SWEEP_TIME = timedelta(minutes=1)


class State(TextChoices):
    """The progress of a student."""

    WORKING = "working", _("working")
    ATTENTION = "attention", _("couldn’t be marked")
    WAITING = "waiting", _("waiting to be marked")
    MARKED = "marked", _("marked")
    NOT_STARTED = "none", _("not started")


@dataclass(frozen=True, slots=True)
class Student:
    """The columns of a student that every list of lines needs."""

    member: int
    user: int | None
    display_name: str
    address: str
    section: str
    place: str


@dataclass(frozen=True)
class Line(Student):
    """A student and their last attempt.

    Attributes:
        answered: the number of questions with something typed, while the attempt runs.
    """

    state: State = State.NOT_STARTED
    attempt: int | None = None
    number: int = 0
    reopened: int = 0
    deadline: datetime | None = None
    submitted_at: datetime | None = None
    score: float | None = None
    out_of: float = 0
    answered: int = 0
    asked: int = 0
    saved_at: datetime | None = None
    late: bool = False

    @property
    def runs(self) -> bool:
        return self.state == State.WORKING


def visible_students(
    access: CourseAccess, assignment: Assignment | None, choice: PeopleChoice | None = None
) -> QuerySet:
    """Return the visible students who are to take, or took, the quiz, or any quiz of the class."""
    choice = choice or PeopleChoice()
    order = choice.order if choice.order == "last" else ""
    wanted = replace(choice, role=Role.STUDENT, state=EVERY_STATE, order=order)
    begun = _attempts_at(assignment) if assignment else _attempts_in(access)
    begun = begun.filter(student=OuterRef("user"))
    found = chosen_people(access, wanted).filter(Q(state__in=CURRENT_STATES) | Exists(begun))
    return found.prefetch_related(None)


def read_students(found: QuerySet, chunk: int | None = None) -> Iterator[Student]:
    """Yield students from these members, reading only columns, in chunks of that size if given."""
    columns = found.values_list(
        "pk", "user", "user__name", "user__email", "name", "email", "section", "state"
    )
    rows = columns.iterator(chunk_size=chunk) if chunk else columns
    for pk, user, name, own, roster_name, invited, section, place in rows:
        display_name = (name or own) if user else (roster_name or invited)
        yield Student(pk, user, display_name, own or invited, section, place)


def student_lines(
    access: CourseAccess,
    assignment: Assignment,
    now: datetime,
    choice: PeopleChoice | None = None,
    members: Collection[int] | None = None,
) -> list[Line]:
    """Return the lines of the chosen students, or of these members, in any state, by name."""
    found = visible_students(access, assignment, choice)
    if members is not None:
        found = found.filter(pk__in=members)
    # Read before the attempts, so that one marked meanwhile already has its score.
    marking = dict(_unmarked(assignment))
    attempts = {row[0]: row[1:] for row in _attempts_at(assignment).values_list(*_COLUMNS)}
    drafts = {row[0]: row[1:] for row in _drafts(assignment)}
    found_lines = []
    for student in read_students(found):
        of_member = astuple(student)
        attempt = attempts.get(student.user) if student.user else None
        found_lines.append(
            _line(of_member, attempt, marking, drafts, now) if attempt else Line(*of_member)
        )
    handed_in = [
        (each.member, assignment, each.member, each.user, each.submitted_at, each.deadline)
        for each in found_lines
        if each.submitted_at
    ]
    late = late_submissions(assignment.course, handed_in)
    return [replace(each, late=each.member in late) for each in found_lines]


def late_submissions[Key](
    course: Course,
    handed_in: Iterable[tuple[Key, Assignment, int, int | None, datetime, datetime | None]],
) -> set[Key]:
    """Return the keys of the work that was late by its student's own due date.

    `handed_in` has a key, the assignment, the keys of member and account, the time of submission
    and the deadline of each attempt. Overrides are read only if something came after the due date
    for everybody.
    """
    after = [
        (key, assignment, Membership(pk=member, user_id=user), at, deadline)
        for key, assignment, member, user, at, deadline in handed_in
        if is_late(at, deadline, assignment.due_at)
    ]
    exceptions = overrides_of_course(course) if after else None
    return {
        key
        for key, assignment, member, at, deadline in after
        if is_late(at, deadline, exceptions.chain(assignment, member).value("due_at"))
    }


# By student; of several attempts, the last one is kept.
_COLUMNS = (
    *("student", "pk", "number", "reopened", "deadline", "submitted_at", "score", "out_of"),
    "state",
)


def _attempts_at(assignment: Assignment) -> QuerySet[Attempt]:
    return Attempt.objects.graded().filter(sitting=assignment.sitting_id).order_by("number")


def _attempts_in(access: CourseAccess) -> QuerySet[Attempt]:
    return Attempt.objects.graded().filter(sitting__assignment__course=access.course)


def _unmarked(assignment: Assignment) -> QuerySet:
    handed_in = Submission.objects.final().filter(attempt__sitting=assignment.sitting_id)
    return (
        handed_in.exclude(state=Submission.State.GRADED).order_by().values_list("attempt", "state")
    )


def _drafts(assignment: Assignment) -> QuerySet:
    """Return each open attempt's numbers of answered and asked questions, and its last save."""
    items = Item.objects.open().filter(attempt__sitting=assignment.sitting_id)
    return (
        items.annotate(text=Cast("draft", TextField()))
        .order_by()
        .values_list("attempt")
        .annotate(
            answered=Count("pk", filter=Q(text__regex=HAS_TEXT)),
            asked=Count("pk"),
            last=Max("saved_at"),
        )
    )


def _line(
    of_member: Sequence[Any],
    attempt: Sequence[Any],
    marking: dict[int, str],
    drafts: dict[int, Sequence[Any]],
    now: datetime,
) -> Line:
    pk, number, reopened, deadline, submitted_at, score, out_of, attempt_state = attempt
    is_open = attempt_state == Attempt.State.OPEN
    state = state_of(is_open, deadline, score, marking.get(pk), now)
    done = drafts.get(pk, (0, 0, None)) if is_open else (0, 0, None)
    attempted = (pk, number, reopened, deadline, submitted_at, score, out_of)
    return Line(*of_member, state, *attempted, *done)


def state_of(
    is_open: bool,
    deadline: datetime | None,
    score: float | None,
    marking: str | None,
    now: datetime,
) -> State:
    """Return the state of an attempt; `marking` is its submission's state, until it is marked."""
    if is_open:
        if deadline is None or now - deadline <= GRACE:
            return State.WORKING
        return State.ATTENTION if now - deadline > GRACE + SWEEP_TIME else State.WAITING
    if marking == Submission.State.ATTENTION:
        return State.ATTENTION
    return State.WAITING if score is None else State.MARKED


def count_states(lines: Iterable[Line]) -> dict[State, int]:
    """Return the number of lines in each state."""
    found = Counter(line.state for line in lines)
    return {state: found[state] for state in State}


def _time_key(when: datetime | None) -> tuple[bool, float]:
    """Return a sort key: earliest first, None last."""
    return when is None, when.timestamp() if when else 0


def _longest_unsaved(line: Line) -> tuple[bool, bool, bool, float]:
    """Return a sort key: attempts that run first, of these the one saved longest ago."""
    return (not line.runs, line.saved_at is not None, *_time_key(line.saved_at))


_STATES = {state: place for place, state in enumerate(State)}
ORDERS = {
    "": lambda line: (_STATES[line.state], *(_longest_unsaved(line) if line.runs else ())),
    "first": None,  # by name, as they are read
    "last": None,
    "section": lambda line: line.section.casefold(),
    "left": lambda line: (not line.runs, *_time_key(line.deadline)),
    "answered": lambda line: (not line.runs, line.answered),
    "saved": _longest_unsaved,
    "score": lambda line: (line.score is None, line.score),
}


def filter_lines(lines: list[Line], choice: PeopleChoice) -> list[Line]:
    """Return the lines with the chosen state, in the chosen order."""
    kept = [line for line in lines if not choice.state or line.state == choice.state]
    by = ORDERS[choice.order]
    return sorted(kept, key=by) if by else kept


def visible_attempt(access: CourseAccess, pk: int) -> tuple[Attempt, Membership] | None:
    """Return an attempt in this class and its student's membership, if visible to the user."""
    attempt = (
        _attempts_in(access)
        .filter(pk=pk)
        .select_related("quiz__lesson", "sitting__assignment", "student")
        .first()
    )
    if attempt is None:
        return None
    student = access.members().filter(user=attempt.student_id, role=Role.STUDENT)
    member = student.select_related("user").prefetch_related("labels").first()
    return member and (attempt, member)
