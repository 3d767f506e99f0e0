"""Reading what is given to a class, to whom something else applies, and how far they are."""

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Count, Min, Q, QuerySet
from django.db.models.functions import Coalesce, Lower

from classes.access.queries import PRESENT, Role, Seat, State, accounts_with
from classes.models import Assignment, Course, Membership, Override
from foundation.folded_names import Bytewise
from quizzes.models import Attempt, Quiz


def assignments_of(course: Course) -> QuerySet[Assignment]:
    """What is given to a class, with sittings and quizzes, what is due first on top."""
    given = Assignment.objects.filter(course=course).select_related("sitting__quiz")
    when = Coalesce("due_at", "sitting__closes_at", "sitting__opens_at")
    return given.order_by(when.asc(nulls_last=True), Lower("sitting__quiz__title"), "pk")


def first_date(course: Course) -> date | None:
    """The first day, by the class's clock, on which something is given to it, due or closes."""
    given = Assignment.objects.filter(course=course)
    found = given.aggregate(Min("due_at"), Min("sitting__opens_at"), Min("sitting__closes_at"))
    dates = [at for at in found.values() if at]
    return min(dates).astimezone(ZoneInfo(course.time_zone)).date() if dates else None


def assignment_of(seat: Seat, pk: int) -> Assignment | None:
    return assignments_of(seat.course).filter(pk=pk).first()


def quizzes_to_give(user: Any) -> QuerySet[Quiz]:
    """Return the published quizzes that somebody may read, in the order of the lessons."""
    return Quiz.objects.visible_to(user).filter(published=True).order_by("lesson__order", "title")


def progress_at(seat: Seat, assignments: Iterable[Assignment]) -> dict[int, dict[str, int]]:
    """How many who are seen from this seat have begun, and handed in, by the sitting's key."""
    seen = seat.members().filter(role=Role.STUDENT, state=State.ACTIVE).values("user")
    attempts = Attempt.objects.graded().filter(
        sitting__in=[given.sitting_id for given in assignments], student__in=seen
    )
    is_done = Q(state=Attempt.State.SUBMITTED)
    counted = (
        attempts.order_by()
        .values("sitting")
        .annotate(
            begun=Count("student", distinct=True),
            handed_in=Count("student", distinct=True, filter=is_done),
        )
    )
    return {each["sitting"]: each for each in counted}


# Exceptions


def exceptions_of(seat: Seat, assignment: Assignment | None = None) -> QuerySet[Override]:
    """Those that are seen from this seat, for labels first; all that count at an assignment."""
    found = Override.objects.filter(course=seat.course)
    if assignment is not None:
        found = found.filter(Q(assignment=assignment) | Q(assignment=None))
    if not seat.sees_all:
        found = found.filter(Q(member=None) | Q(member__in=seat.members()))
    found = found.select_related("member__user", "label", "assignment__sitting__quiz")
    return found.order_by(
        "label__text",
        Bytewise(Coalesce("member__user__folded", "member__folded")),
        "assignment",
        "pk",
    )


def may_change(seat: Seat, override: Override) -> bool:
    """May an exception that is seen be changed from this seat? One section's seat: no label's."""
    return seat.helps and (seat.sees_all or override.member_id is not None)


def students_at(seat: Seat, addresses: Sequence[str]) -> dict[str, Membership]:
    """The students who are seen from this seat, by those of these addresses that are theirs."""
    students = seat.members().filter(role=Role.STUDENT, state__in=PRESENT).select_related("user")
    accounts = {address: found.pk for address, found in accounts_with(addresses).items()}
    by_user = {
        member.user_id: member for member in students.filter(user__in=set(accounts.values()))
    }
    found = {address: by_user[user] for address, user in accounts.items() if user in by_user}
    # The address that somebody is listed with, confirmed or not.
    listed = Q(email__in=addresses) | Q(user__email__in=addresses)
    return found | {member.address: member for member in students.filter(listed)}


def student_seen(seat: Seat, pk: int) -> Membership | None:
    """A student who is seen from this seat."""
    found = seat.members().filter(pk=pk, role=Role.STUDENT)
    return found.select_related("user").first()


def labels_seen(seat: Seat) -> Any:
    """The labels for which exceptions can be made from this seat."""
    labels = seat.course.labels
    return labels.all() if seat.sees_all else labels.none()
