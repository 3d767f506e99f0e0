"""The names of a student's classes, told apart."""

from collections import Counter
from collections.abc import Iterable

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from classes.models import Course


def distinct_names(courses: Iterable[Course]) -> dict[int, str]:
    """Return the names of these classes by key: titles, with the term's first month where equal.

    Classes of one title and month are numbered, the oldest first.
    """
    named = {course.pk: course for course in courses}
    by_title = Counter(course.title for course in named.values())
    met: Counter[str] = Counter()
    names = {}
    for pk, course in sorted(named.items()):
        name = course.title
        if by_title[name] > 1:
            month = date_format(course.first_day or course.created_at.date(), "F Y")
            name = _("%(course)s, %(month)s") % {"course": name, "month": month}
        met[name] += 1
        names[pk] = name if met[name] == 1 else f"{name} ({met[name]})"
    return names
