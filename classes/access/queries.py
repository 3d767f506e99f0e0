"""`CourseAccess`, what a user may see and change in a class, and queries that use it."""

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
STAFF_ROLES = (Role.INSTRUCTOR, Role.ASSISTANT, Role.OBSERVER)
CURRENT_STATES = (State.ACTIVE, State.INVITED)
ADD_COURSE = "classes.add_course"


@dataclass(frozen=True)
class CourseAccess:
    """A user's role in one class, and the section it is limited to, if any."""

    course: Course
    user: Any
    role: str
    section: str = ""

    @property
    def runs(self) -> bool:
        """Whether the user may change the class itself, its code, and all its members."""
        return self.role == Role.INSTRUCTOR

    @property
    def helps(self) -> bool:
        """Whether the user may change the students they see."""
        return self.role in (Role.INSTRUCTOR, Role.ASSISTANT)

    @property
    def sees_all(self) -> bool:
        return not self.section

    @property
    def helps_all(self) -> bool:
        """Whether the user may change all students of the class."""
        return self.helps and self.sees_all

    def members(self) -> QuerySet[Membership]:
        """Return the visible members: all, or those in one section."""
        found = Membership.objects.filter(course=self.course)
        return found.filter(in_group(self.course, self.section)) if self.section else found

    def may_change(self) -> QuerySet[Membership]:
        """Return the members the user may change."""
        if self.runs:
            return self.members()
        return self.members().filter(role=Role.STUDENT) if self.helps else self.members().none()


def in_group(course: Course, name: str) -> Q:
    """Return the condition that members of a class are in a section, or have a label, of this name.

    A label with a section's name puts somebody into that section too, and whatever is set for
    a label is set for the section of its name.
    """
    worn = Membership.labels.through.objects.filter(label__course=course, label__text=name)
    return Q(section=name) | Q(pk__in=worn.values("membership"))


def access_of(user: Any, pk: int) -> CourseAccess | None:
    """Return the user's access to a class: an administrator's or a member's. Students have none."""
    if user.is_superuser:
        course = Course.objects.filter(pk=pk).first()
        return course and CourseAccess(course, user, Role.INSTRUCTOR)
    return own_access(user, pk)


def own_access(user: Any, pk: int) -> CourseAccess | None:
    """Return the access a user has as a member of the class, even if they are an administrator."""
    own = _active(user).filter(course=pk, role__in=STAFF_ROLES).select_related("course").first()
    if own is None:
        return None
    section = "" if own.sees_all else own.section
    return CourseAccess(own.course, user, own.role, section)


def items_visible_to(user: Any, image: str) -> QuerySet[Item]:
    """Return the items that show an image in the classes the user teaches, helps or observes."""
    courses = _active(user).filter(role__in=STAFF_ROLES).values("course")
    sittings = Assignment.objects.filter(course__in=courses).values("sitting")
    return items_showing(image).filter(attempt__sitting__in=sittings)


def can_create_course(user: Any) -> bool:
    return user.has_perm(ADD_COURSE)


def courses_taught(user: Any) -> QuerySet[Membership]:
    """Return the user's memberships in classes they teach, help or observe."""
    found = _active(user).filter(role__in=STAFF_ROLES).select_related("course")
    return found.order_by("course__archived", Lower("course__title"), "course")


def teaches(user: Any) -> bool:
    """Return whether the user teaches, helps in or observes any class."""
    return _active(user).filter(role__in=STAFF_ROLES).exists()


def courses_of_others(user: Any) -> QuerySet[Course]:
    """Return the classes in which an administrator does not teach; none for other users."""
    if not user.is_superuser:
        return Course.objects.none()
    own = courses_taught(user).values("course")
    return Course.objects.exclude(pk__in=own).order_by("archived", Lower("title"), "pk")


@prepared
def memberships_of(user: int) -> QuerySet[Membership]:
    """Return the user's active memberships in classes that are not archived."""
    found = _active(user).filter(course__archived=False).select_related("course")
    return found.order_by(Lower("course__title"), "course")


def count_students(courses: Iterable[int]) -> dict[int, tuple[int, int]]:
    """Return how many students are in each of these classes, and how many more are invited."""
    students = Membership.objects.filter(course__in=courses, role=Role.STUDENT)
    rows = (
        students.order_by()
        .values_list("course")
        .annotate(
            there=Count("pk", filter=Q(state=State.ACTIVE)),
            invited=Count("pk", filter=Q(state=State.INVITED)),
        )
    )
    return {course: (there, invited) for course, there, invited in rows}


def _active(user: Any) -> QuerySet[Membership]:
    return Membership.objects.filter(user=user, state=State.ACTIVE)


# Members are sorted by the name of their account or, without one, by the name on the roster.
BY_FIRST = Bytewise(Coalesce("user__folded", "folded"))
BY_LAST = Bytewise(Coalesce("user__sort_key", "sort_key"))


def headcount(access: CourseAccess) -> dict[str, int]:
    """Return the numbers of students, former students, invited people and staff they can see."""
    is_student, is_there = Q(role=Role.STUDENT), Q(state=State.ACTIVE)
    return access.members().aggregate(
        students=Count("pk", filter=is_student & is_there),
        invited=Count("pk", filter=Q(state=State.INVITED)),
        staff=Count("pk", filter=~is_student & is_there),
        left=Count("pk", filter=is_student & ~Q(state__in=CURRENT_STATES)),
    )


def sections_of(course: Course) -> list[str]:
    """Return the names of a class's sections, sorted."""
    named = Membership.objects.filter(course=course).exclude(section="")
    return sorted(set(named.order_by().values_list("section", flat=True).distinct()))


def labels_of(course: Course) -> list[str]:
    """Return the texts of a class's labels."""
    return list(course.labels.values_list("text", flat=True))


def members_by_key(course: Course, keys: Iterable[str]) -> dict[str, Membership]:
    """Return members with their accounts, by their keys as events store them, as text."""
    found = Membership.objects.filter(
        course=course, pk__in=[key for key in keys if key.isdecimal()]
    )
    return {str(member.pk): member for member in found.select_related("user")}


def visible_member(access: CourseAccess, keys: Sequence[int]) -> Membership | None:
    """Return the member with the first of these keys, if visible to the user."""
    return access.members().filter(pk__in=keys[:1]).select_related("user").first()


def membership_in(course: Course, user: Any) -> Membership | None:
    """Return the user's membership in a class, active or not."""
    return Membership.objects.filter(course=course, user=user).first()


def active_membership(user: Any, course: int) -> Membership | None:
    """Return the user's active membership in a class."""
    return _active(user).filter(course=course).select_related("course").first()


def visible_reports(access: CourseAccess) -> QuerySet[Report]:
    """Return the reports on questions of the class by students visible to the user."""
    found = Report.objects.filter(item__attempt__sitting__assignment__course=access.course)
    if access.sees_all:
        return found
    return found.filter(student__in=access.members().exclude(user=None).values("user"))


# Events


def actors_in(course: Course) -> list[Any]:
    """Return the current and former staff of a class, by name."""
    staff = Membership.objects.filter(course=course, role__in=STAFF_ROLES).exclude(user=None)
    return [place.user for place in staff.select_related("user").order_by(BY_FIRST)]


def event_of(course: Course, keys: Sequence[int]) -> Event | None:
    """Return the event with the first of these keys, if it belongs to this class."""
    return Event.objects.filter(scope=course.scope, pk__in=keys[:1]).first()


# Accounts and addresses


def trusts_addresses() -> bool:
    """Return whether unconfirmed addresses are trusted, as on a site that sends no mail."""
    return settings.ACCOUNT_EMAIL_VERIFICATION == "none"


@dataclass(frozen=True)
class Account:
    """The columns of an account that a list of thousands needs."""

    pk: int
    display_name: str


def accounts_with(addresses: Iterable[str]) -> dict[str, Account]:
    """Return the account of each confirmed address, by address in lower case."""
    wanted = list(addresses)
    confirmed = EmailAddress.objects.filter(verified=True, email__in=wanted)
    rows = list(confirmed.values_list("email", "user", "user__name", "user__email"))
    if trusts_addresses():
        users = get_user_model().objects.filter(email__in=wanted)
        rows = [*users.values_list("email", "pk", "name", "email"), *rows]
    return {address.lower(): Account(pk, name or email) for address, pk, name, email in rows}


def addresses_of(user: Any) -> set[str]:
    """Return the user's confirmed addresses in lower case."""
    own = EmailAddress.objects.filter(user=user, verified=True).values_list("email", flat=True)
    found = {address.lower() for address in own}
    return found | {user.email} if trusts_addresses() else found
