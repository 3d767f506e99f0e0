"""Queries for the gradebook: marks of students by assignment, or by question of one assignment.

Both as they are now or as they were at a moment: grades are appended, and submissions have numbers
and times. Each function runs a fixed number of queries and reads columns instead of whole attempts.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import batched
from typing import Any, NamedTuple

from django.db.models import Count, Max, QuerySet, Sum

from audit.queries import events
from classes.access.queries import CURRENT_STATES, CourseAccess
from classes.assignments.queries import assignments_of
from classes.models import Assignment, Course, Membership
from classes.people.queries.people import PeopleChoice
from classes.watching.queries import (
    State,
    Student,
    late_submissions,
    read_students,
    state_of,
    visible_students,
)
from quizzes.authoring.queries import with_last_deadline
from quizzes.delivery.queries.counting import counting_attempt
from quizzes.models import Attempt, Grade, Item, Sitting, Slot, Submission, final_number

# Files are written in chunks of this many students.
CHUNK = 200


class Entry(NamedTuple):
    """A student's result at an assignment. A class has tens of thousands of them.

    Attributes:
        state: the state of the last attempt.
        attempt: the attempt that counts; before one does, the last.
        number, made: the number of that attempt, and how many there are.
        points: the points that count; None before anything is marked.
        submission: the number of the attempt's submission.
    """

    state: State = State.NOT_STARTED
    attempt: int | None = None
    number: int = 0
    made: int = 0
    points: float | None = None
    out_of: float = 0
    submission: int = 1
    handed_in_at: datetime | None = None
    deadline: datetime | None = None
    late: bool = False


NO_ENTRY = Entry()
# By assignment and student's account.
type Entries = Mapping[tuple[int, int], Entry]


@dataclass(frozen=True)
class Line:
    """A student with an entry for each listed assignment."""

    student: Student
    entries: tuple[Entry, ...]

    @property
    def points(self) -> float | None:
        marked = [each.points for each in self.entries if each.points is not None]
        return sum(marked) if marked else None

    @property
    def out_of(self) -> float:
        """The points that the marked attempts are out of."""
        return sum(each.out_of for each in self.entries if each.points is not None)


class QuestionResult(NamedTuple):
    """The result of one question of an attempt."""

    points: float
    verdict: str
    kind: str
    topic: str


@dataclass(frozen=True)
class BookChoice(PeopleChoice):
    """The filter and order of lines; `at` limits marks to those before a moment."""

    at: datetime | None = None


def assignments_with_results(access: CourseAccess) -> list[Assignment]:
    """Return the class's assignments in order, with sittings that know if results are shown."""
    assignments = list(assignments_of(access.course))
    sittings = Sitting.objects.filter(pk__in=[each.sitting_id for each in assignments])
    shown = {each.pk: each for each in with_last_deadline(sittings.select_related("quiz"))}
    for each in assignments:
        each.course, each.sitting = access.course, shown[each.sitting_id]
    return assignments


def possible_points(assignments: Iterable[Assignment]) -> dict[int, int]:
    """Return the possible points of each assignment, by its key."""
    of_quiz = {each.pk: each.sitting.quiz_id for each in assignments}
    slots = Slot.objects.filter(quiz__in=set(of_quiz.values())).order_by()
    points = dict(slots.values_list("quiz").annotate(Sum("points")))
    return {pk: points.get(quiz, 0) for pk, quiz in of_quiz.items()}


# Entries


class _AttemptColumns(NamedTuple):
    """The columns of an attempt that decide whether it counts."""

    student: int
    sitting: int
    pk: int
    number: int
    reopened: int
    score: float | None
    out_of: float
    state: str
    submitted_at: datetime | None = None
    deadline: datetime | None = None
    submission: int = 0


# Datetimes are slow to read in large numbers.
_COLUMNS = _AttemptColumns._fields[:8]
_WITH_MOMENTS = _AttemptColumns._fields[:10]


def entries(
    assignments: Sequence[Assignment],
    now: datetime,
    students: Collection[int] | None = None,
    at: datetime | None = None,
) -> Entries:
    """Return the entries of these students at assignments of one class, now or before `at`.

    Without `students`, those of all students, but then without submission times if `at` is None.
    """
    by_sitting = {each.sitting_id: each for each in assignments}
    attempts = Attempt.objects.graded().filter(sitting__in=by_sitting)
    if students is not None:
        attempts = attempts.filter(student__in=students)
    tried, marking = (
        _attempts_before(assignments, attempts, at)
        if at
        else _current_attempts(attempts, moments=students is not None)
    )
    own: dict[tuple[int, int], list[_AttemptColumns]] = defaultdict(list)
    for each in tried:
        own[each.sitting, each.student].append(each)
    return {
        (by_sitting[sitting].pk, student): _entry(
            by_sitting[sitting].sitting, made, marking, at or now
        )
        for (sitting, student), made in own.items()
    }


def _entry(
    sitting: Sitting, made: list[_AttemptColumns], marking: Mapping[int, str], now: datetime
) -> Entry:
    last = made[-1]
    is_open = last.state == Attempt.State.OPEN
    shown = last if len(made) == 1 else counting_attempt(sitting, made) or last
    return Entry(
        state_of(is_open, last.deadline, last.score, marking.get(last.pk), now),
        shown.pk,
        shown.number,
        len(made),
        shown.score,
        shown.out_of,
        shown.submission or final_number(shown.reopened),
        shown.submitted_at,
        shown.deadline,
    )


def _current_attempts(
    attempts: QuerySet[Attempt], *, moments: bool
) -> tuple[Iterable[_AttemptColumns], Mapping[int, str]]:
    waiting = Submission.objects.final().filter(attempt__in=attempts).order_by()
    # Read before the attempts, so that one marked meanwhile already has its score.
    marking = dict(waiting.exclude(state=Submission.State.GRADED).values_list("attempt", "state"))
    columns = _WITH_MOMENTS if moments else _COLUMNS
    tried = [_AttemptColumns(*row) for row in attempts.order_by("number").values_list(*columns)]
    if not moments:
        ends = dict(attempts.open().order_by().values_list("pk", "deadline"))
        tried = [
            each._replace(deadline=ends.get(each.pk)) if each.pk in ends else each for each in tried
        ]
    return tried, marking


def _attempts_before(
    assignments: Sequence[Assignment], attempts: QuerySet[Attempt], at: datetime
) -> tuple[Iterable[_AttemptColumns], Mapping[int, str]]:
    """Return attempts as they were before a moment, with the submissions and marks until then."""
    begun = attempts.filter(started_at__lt=at)
    rows = [_AttemptColumns(*row) for row in begun.order_by("number").values_list(*_WITH_MOMENTS)]
    handed_in = Submission.objects.filter(item=None, attempt__in=begun, received_at__lt=at)
    last = {
        attempt: found
        for attempt, *found in handed_in.order_by("number").values_list(
            "attempt", "pk", "number", "received_at", "graded_at", "state"
        )
    }
    sums = {pk: found for pk, *found in _submission_points(handed_in, at)}
    reopened = _count_reopenings(assignments, [each.pk for each in rows if each.reopened], at)
    marking: dict[int, str] = {}

    def then(tried: _AttemptColumns) -> _AttemptColumns:
        pk, number, received_at, graded_at, state = last.get(tried.pk, (0, 0, None, None, ""))
        if number <= reopened[tried.pk]:
            ends = tried.deadline if tried.reopened == number else None
            return tried._replace(
                state=Attempt.State.OPEN, score=None, submitted_at=None, deadline=ends
            )
        if graded_at is None and state == Submission.State.ATTENTION:
            marking[tried.pk] = state
        is_marked = graded_at is not None and graded_at < at and pk in sums
        points, out_of = sums[pk] if is_marked else (None, tried.out_of)
        return tried._replace(
            state=Attempt.State.SUBMITTED,
            submitted_at=received_at,
            score=points,
            out_of=out_of,
            submission=number,
        )

    return [then(each) for each in rows], marking


def _submission_points(handed_in: QuerySet[Submission], at: datetime) -> QuerySet:
    """Return each submission's points and possible points, by the grades before a moment."""
    graded = Grade.objects.latest(before=at).filter(answer__submission__in=handed_in)
    found = graded.order_by().values_list("answer__submission")
    return found.annotate(Sum("points"), Sum("out_of"))


def _count_reopenings(
    assignments: Sequence[Assignment], attempts: list[int], at: datetime
) -> Counter[int]:
    """Return how often each of these attempts had been reopened by then."""
    if not attempts:
        return Counter()
    deeds = events(scope=assignments[0].course.scope, verb="classes.attempt.reopened", until=at)
    deeds = deeds.filter(target_id__in=list(map(str, attempts))).select_related(None).order_by()
    counted = deeds.values_list("target_id").annotate(Count("pk"))
    return Counter({int(pk): count for pk, count in counted})


# Lines


def gradebook_lines(
    assignments: Sequence[Assignment],
    students: Iterable[Student],
    found: Entries,
    *,
    late: bool = True,
) -> list[Line]:
    """Return a line for each of these students; with `late`, late work is marked."""
    found_lines = [
        Line(
            student,
            tuple(found.get((each.pk, student.user), NO_ENTRY) for each in assignments)
            if student.user
            else (NO_ENTRY,) * len(assignments),
        )
        for student in students
    ]
    return _with_lateness(assignments, found_lines) if late and assignments else found_lines


def _with_lateness(assignments: Sequence[Assignment], lines: list[Line]) -> list[Line]:
    handed_in = [
        (
            *((each.pk, line.student.member), each, line.student.member, line.student.user),
            *(entry.handed_in_at, entry.deadline),
        )
        for line in lines
        for each, entry in zip(assignments, line.entries, strict=True)
        if entry.handed_in_at
    ]
    late = late_submissions(assignments[0].course, handed_in)
    if not late:
        return lines
    return [
        replace(
            line,
            entries=tuple(
                entry._replace(late=(each.pk, line.student.member) in late)
                for each, entry in zip(assignments, line.entries, strict=True)
            ),
        )
        for line in lines
    ]


def chosen_students(
    access: CourseAccess, choice: PeopleChoice, assignment: Assignment | None = None
) -> list[Student]:
    """Return the chosen students of the class, or at one assignment, by name or section."""
    found = list(read_students(visible_students(access, assignment, choice)))
    if choice.order == "section":
        found.sort(key=lambda student: student.section.casefold())
    return found


def count_former(students: Iterable[Student]) -> int:
    """Return how many of these students have left the class or were removed."""
    return sum(student.place not in CURRENT_STATES for student in students)


def platform_columns(course: Course) -> dict[int, dict[str, str]]:
    """Return what Canvas calls the students whom a list of its own named, by member."""
    named = Membership.objects.filter(course=course, platform__isnull=False)
    return dict(named.order_by().values_list("pk", "platform"))


def line_chunks(
    access: CourseAccess, assignments: Sequence[Assignment], choice: BookChoice, now: datetime
) -> Iterator[list[Line]]:
    """Yield the lines of the chosen students in chunks, by name, for files."""
    one = assignments[0] if len(assignments) == 1 else None
    for some in batched(
        read_students(visible_students(access, one, choice), CHUNK), CHUNK, strict=False
    ):
        found = entries(assignments, now, [each.user for each in some if each.user], choice.at)
        lines = gradebook_lines(assignments, some, found)
        yield [line for line in lines if has_state(line, choice.state)]


def has_state(line: Line, state: str) -> bool:
    """Return whether the student has this state at any of the assignments."""
    return not state or any(each.state == state for each in line.entries)


def by_fewest_points(line: Line) -> tuple[bool, float]:
    """Return a sort key: fewest points first, students without points last."""
    points = line.points
    return points is None, points or 0.0


def _by_most_points(line: Line) -> tuple[bool, float]:
    points = line.points
    return points is None, -(points or 0.0)


ORDERS: dict[str, Callable[[Line], Any]] = {"score": by_fewest_points, "most": _by_most_points}


# Questions of one assignment


def question_results(
    found: Iterable[Entry], at: datetime | None = None
) -> dict[int, dict[int, QuestionResult]]:
    """Return the result of each question in the attempts that count.

    By the attempt's key, then by the question's number.
    """
    counted = {each.attempt: each.submission for each in found if each.points is not None}
    graded = _grades_of_attempts(at).filter(answer__submission__attempt__in=list(counted))
    earned: dict[int, dict[int, QuestionResult]] = defaultdict(dict)
    columns = (
        *("answer__submission__attempt", "answer__submission__number", "answer__item__position"),
        *("points", "verdict"),
        *("answer__item__variant__kind", "answer__item__question__topic"),
    )
    for attempt, number, position, points, verdict, kind, topic in graded.values_list(*columns):
        if counted[attempt] == number:
            earned[attempt][position] = QuestionResult(points, verdict, kind or "", topic or "")
    return earned


def sort_by_question(
    students: Iterable[Student],
    assignment: Assignment,
    found: Entries,
    at: datetime | None,
    position: int,
) -> list[Student]:
    """Sort students by their points for a question, fewest first; students without points last."""
    # The grades of the whole class: found by their items, which are fewer than the answers of all
    # submissions, and only with the columns that the order needs.
    graded = _grades_of_attempts(at).filter(
        answer__item__attempt__sitting=assignment.sitting_id, answer__item__position=position
    )
    rows = graded.values_list("answer__item__attempt", "answer__submission__number", "points")
    earned = {(attempt, number): points for attempt, number, points in rows}

    def key(student: Student) -> tuple[bool, float]:
        entry = found.get((assignment.pk, student.user or 0), NO_ENTRY)
        is_marked = entry.points is not None
        points = earned.get((entry.attempt or 0, entry.submission)) if is_marked else None
        return points is None, points or 0.0

    return sorted(students, key=key)


def _grades_of_attempts(at: datetime | None) -> QuerySet[Grade]:
    return Grade.objects.latest(before=at).filter(answer__submission__item=None).order_by()


def count_questions(assignment: Assignment) -> int:
    """Return the largest number of questions of the attempts at an assignment."""
    items = Item.objects.graded().filter(attempt__sitting=assignment.sitting_id)
    return items.aggregate(most=Max("position"))["most"] or 0
