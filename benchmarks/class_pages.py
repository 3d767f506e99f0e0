"""All pages of a class, found by their addresses, and the people to open them as."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

# The arguments of an address besides the class itself, and where to find them in a class.
OWN: dict[str, Callable[[Any], Any]] = {
    "pk": lambda course: course.pk,
    "assignment_id": lambda course: _assignment(course).pk,
    "member": lambda course: _student(course).pk,
    "student": lambda course: _student(course).user_id,
    "override": lambda course: course.overrides.latest("pk").pk,
    "label": lambda course: course.labels.latest("pk").pk,
    "attempt": lambda course: _attempts(course).latest("pk").pk,
    "submission": lambda course: _attempts(course).latest("pk").submissions.latest("pk").pk,
    "item": lambda course: _attempts(course).latest("pk").items.latest("pk").pk,
    "position": lambda course: 1,
    "slot": lambda course: 1,
    "sitting": lambda course: _assignment(course).sitting_id,
    "code": lambda course: course.code,
    "layout": lambda course: "csv",
    "name": lambda course: "questions",
    "asked": lambda course: f"q{_question(course)}",
}
# Queries of pages, requested as well: searched, filtered, ordered, and further pages.
PAGE_QUERIES = {
    "people": ("search=ada", "section=A", "label=abroad", "state=all", "order=latest", "page=2"),
    "history": ("verb=classes.member.changed", "since=2020-01-01"),
    "exceptions": ("page=2",),
    "gradebook": ("order=most", "state=marked", "at=2026-01-01", "page=2"),
    "marks": ("order=q3", "state=marked", "at=2026-01-01"),
    "figures": ("attempts=first",),
}


# The actions on people who were ticked in a list.
OF_PEOPLE = ("change", "remove", "take-back", "extend", "reopen", "hand-in", "mark-again")
MAX_TICKED = 50


def instructor_of(course: Any) -> Any:
    """Return the class's instructor, who may make others, with an imported list of its people."""
    from django.contrib.auth.models import Permission

    from classes.access.queries import CourseAccess
    from classes.people.services.importing import keep_import
    from classes.rosters import Line

    instructor = course.memberships.get(role="instructor").user
    instructor.user_permissions.add(Permission.objects.get(codename="add_course"))
    people = course.memberships.filter(role="student").select_related("user")
    lines = [
        Line(number, member.user.email, section="E", labels=("new",))
        for number, member in enumerate(people[:1000], start=1)
    ]
    keep_import(access=CourseAccess(course, instructor, "instructor"), lines=lines, role="student")
    return instructor


def pages(course: Any) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the name and address of each page, and the names of pages with unknown arguments."""
    from django.urls import get_resolver

    _prefix, resolver = get_resolver().namespace_dict["classes"]
    found, unknown = [], []
    for pattern in resolver.url_patterns:
        wanted = pattern.pattern.converters
        if set(wanted) <= set(OWN):
            named = {key: OWN[key](course) for key in wanted}
            found += _addresses(pattern.name, named, _queries(pattern.name, course))
        else:
            unknown.append(pattern.name)
    return found, unknown


def _addresses(
    name: str, named: dict[str, Any], queries: Iterable[str]
) -> Iterator[tuple[str, str]]:
    from django.urls import reverse

    address = reverse(f"classes:{name}", kwargs=named)
    if name not in OF_PEOPLE:
        yield name, address
    for query in queries:
        label = name if name in OF_PEOPLE else f"{name}?{query}"
        yield label, f"{address}?{query}"


def _queries(name: str, course: Any) -> Iterable[str]:
    if name not in OF_PEOPLE:
        return PAGE_QUERIES.get(name, ())
    keys = course.memberships.filter(role="student").values_list("pk", flat=True)
    return ["&".join(f"member={key}" for key in keys[:MAX_TICKED])]


def _student(course: Any) -> Any:
    return course.memberships.filter(role="student", state="active").latest("pk")


def _assignment(course: Any) -> Any:
    """Return the last assignment that has a score, else the last one."""
    taken = course.assignments.filter(sitting__attempts__score__isnull=False)
    return taken.order_by("-pk").first() or course.assignments.latest("pk")


def _question(course: Any) -> int:
    attempts = _attempts(course).filter(sitting=_assignment(course).sitting_id, score__isnull=False)
    asked = attempts.latest("pk").items.filter(question__isnull=False)
    return asked.first().question_id


def _attempts(course: Any) -> Any:
    from quizzes.models import Attempt

    return Attempt.objects.filter(sitting__assignment__course=course)
