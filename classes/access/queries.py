"""The `Seat`: who is looking at a class, and what they may see and change."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth import get_user_model
from django.db.models import Count, Q, QuerySet
from django.db.models.functions import Coalesce, Lower

from audit.models import Event
from classes.models import Assignment, Course, Membership
from foundation.folded_names import Bytewise
from foundation.prepared import prepared
from quizzes.items.queries import items_showing
from quizzes.models import Item, Report

Role, State = Membership.Role, Membership.State
TEACHING = (Role.INSTRUCTOR, Role.ASSISTANT, Role.OBSERVER)
PRESENT = (State.ACTIVE, State.INVITED)
ADD_COURSE = "classes.add_course"


@dataclass(frozen=True)
class Seat:
    """Who looks at a class, and as what. Of another class nobody has one."""

    course: Course
    user: Any
    role: str
    section: str = ""

    @property
    def runs(self) -> bool:
        """Changes the class itself, its codes, and everybody in it."""
        return self.role == Role.INSTRUCTOR

    @property
    def helps(self) -> bool:
        """Changes the students that are seen from this seat."""
        return self.role in (Role.INSTRUCTOR, Role.ASSISTANT)

    @property
    def sees_all(self) -> bool:
        return not self.section

    def members(self) -> QuerySet[Membership]:
        """Whoever is seen from this seat: all, or the people of one section."""
        found = Membership.objects.filter(course=self.course)
        return found.filter(section=self.section) if self.section else found

    def may_change(self) -> QuerySet[Membership]:
        """Whose membership may be changed from this seat."""
        if self.runs:
            return self.members()
        return self.members().filter(role=Role.STUDENT) if self.helps else self.members().none()


def seat_of(user: Any, pk: int) -> Seat | None:
    """The seat from which somebody teaches, helps or watches in a class. Students have none."""
    if user.is_superuser:
        course = Course.objects.filter(pk=pk).first()
        return course and Seat(course, user, Role.INSTRUCTOR)
    return own_seat(user, pk)


def own_seat(user: Any, pk: int) -> Seat | None:
    """The seat that somebody has by their place in the class, whoever else they are."""
    own = _active(user).filter(course=pk, role__in=TEACHING).select_related("course").first()
    if own is None:
        return None
    # A section narrows an assistant alone; of an instructor it says where they teach.
    return Seat(own.course, user, own.role, own.section if own.role == Role.ASSISTANT else "")


def items_shown_to(user: Any, image: str) -> QuerySet[Item]:
    """The questions with an image that were asked where somebody teaches, helps or watches."""
    courses = _active(user).filter(role__in=TEACHING).values("course")
    sittings = Assignment.objects.filter(course__in=courses).values("sitting")
    return items_showing(image).filter(attempt__sitting__in=sittings)


def may_create(user: Any) -> bool:
    return user.has_perm(ADD_COURSE)


def courses_taught(user: Any) -> QuerySet[Membership]:
    """The classes in which somebody teaches, helps or watches."""
    found = _active(user).filter(role__in=TEACHING).select_related("course")
    return found.order_by("course__archived", Lower("course__title"), "course")


def courses_of_others(user: Any) -> QuerySet[Course]:
    """For an administrator: the classes in which they have no part."""
    if not user.is_superuser:
        return Course.objects.none()
    own = courses_taught(user).values("course")
    return Course.objects.exclude(pk__in=own).order_by("archived", Lower("title"), "pk")


@prepared
def memberships_of(user: int) -> QuerySet[Membership]:
    """The places somebody has in classes that still go on."""
    found = _active(user).filter(course__archived=False).select_related("course")
    return found.order_by(Lower("course__title"), "course")


def students_in(courses: Iterable[int]) -> dict[int, int]:
    """How many students are in each of these classes."""
    counted = (
        Membership.objects.filter(course__in=courses, role=Role.STUDENT, state=State.ACTIVE)
        .order_by()
        .values_list("course")
        .annotate(Count("pk"))
    )
    return dict(counted)


def _active(user: Any) -> QuerySet[Membership]:
    return Membership.objects.filter(user=user, state=State.ACTIVE)


# How members are sorted: by their accounts, or as long as they have none, as they are listed.
BY_FIRST = Bytewise(Coalesce("user__folded", "folded"))
BY_LAST = Bytewise(Coalesce("user__sort_key", "sort_key"))


def headcount(seat: Seat) -> dict[str, int]:
    """Count the students, the invited and the staff whom this seat sees."""
    is_student, is_there = Q(role=Role.STUDENT), Q(state=State.ACTIVE)
    return seat.members().aggregate(
        students=Count("pk", filter=is_student & is_there),
        invited=Count("pk", filter=Q(state=State.INVITED)),
        staff=Count("pk", filter=~is_student & is_there),
    )


def sections_of(course: Course) -> list[str]:
    """The names of a class's sections."""
    named = Membership.objects.filter(course=course).exclude(section="")
    return sorted(set(named.order_by().values_list("section", flat=True).distinct()))


def labels_of(course: Course) -> list[str]:
    """The labels that people of a class can wear."""
    return list(course.labels.values_list("text", flat=True))


def named_members(course: Course, keys: Iterable[str]) -> dict[str, Membership]:
    """Members by their keys as events have them, with their accounts."""
    found = Membership.objects.filter(
        course=course, pk__in=[key for key in keys if key.isdecimal()]
    )
    return {str(member.pk): member for member in found.select_related("user")}


def member_seen(seat: Seat, keys: Sequence[int]) -> Membership | None:
    """The first of these who is seen from this seat, with the account."""
    return seat.members().filter(pk__in=keys[:1]).select_related("user").first()


def place_in(course: Course, user: Any) -> Membership | None:
    """The place that somebody has, or had, in a class."""
    return Membership.objects.filter(course=course, user=user).first()


def own_place(user: Any, course: int) -> Membership | None:
    """The place that somebody has in a class, if they are in it."""
    return _active(user).filter(course=course).select_related("course").first()


def reports_seen(seat: Seat) -> QuerySet[Report]:
    """What students reported in the class's assignments; of one section, where that is all."""
    found = Report.objects.filter(item__attempt__sitting__assignment__course=seat.course)
    if seat.sees_all:
        return found
    return found.filter(student__in=seat.members().exclude(user=None).values("user"))


# Events


def actors_in(course: Course) -> list[Any]:
    """Whoever teaches in a class, or did: by whom things are done there."""
    staff = Membership.objects.filter(course=course, role__in=TEACHING).exclude(user=None)
    return [place.user for place in staff.select_related("user").order_by(BY_FIRST)]


def event_of(course: Course, keys: Sequence[int]) -> Event | None:
    """The first of these events, if it belongs to this class."""
    return Event.objects.filter(scope=course.scope, pk__in=keys[:1]).first()


# Accounts and addresses


def trusts_addresses() -> bool:
    """Does the site believe an address that nobody has confirmed? Only where it sends no mail."""
    return settings.ACCOUNT_EMAIL_VERIFICATION == "none"


@dataclass(frozen=True)
class Account:
    """Of somebody's account as much as a list of thousands needs."""

    pk: int
    called: str


def accounts_with(addresses: Iterable[str]) -> dict[str, Account]:
    """Whose each address is, of those that are confirmed to be somebody's."""
    wanted = list(addresses)
    confirmed = EmailAddress.objects.filter(verified=True, email__in=wanted)
    rows = list(confirmed.values_list("email", "user", "user__name", "user__email"))
    if trusts_addresses():
        users = get_user_model().objects.filter(email__in=wanted)
        rows = [*users.values_list("email", "pk", "name", "email"), *rows]
    return {address.lower(): Account(pk, name or email) for address, pk, name, email in rows}


def addresses_of(user: Any) -> set[str]:
    """The addresses that are confirmed to be this person's."""
    own = EmailAddress.objects.filter(user=user, verified=True).values_list("email", flat=True)
    found = {address.lower() for address in own}
    return found | {user.email} if trusts_addresses() else found
