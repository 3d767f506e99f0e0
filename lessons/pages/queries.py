"""What is read of lessons: who may see which, how far a student has come, where a family lives."""

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from lessons.models import Lesson, Reading, Section


def may_write_lessons(user: Any) -> bool:
    return user.has_perm("lessons.change_lesson")


def without_rights(user: Any) -> Any:
    """The same person for one request, with no more rights than a student has."""
    student = copy(user)
    student.is_staff = student.is_superuser = False
    student._perm_cache = student._user_perm_cache = student._group_perm_cache = set()
    return student


def lessons_visible_to(user: Any) -> QuerySet[Lesson]:
    """What is published; its authors see drafts too."""
    if may_write_lessons(user):
        return Lesson.objects.all()
    return Lesson.objects.filter(published=True)


@dataclass(frozen=True)
class Progress:
    """How many sections of a lesson a student has read, and which one comes next."""

    read: frozenset[int]
    of: int
    following: Section | None

    @property
    def count(self) -> int:
        return len(self.read)

    @property
    def complete(self) -> bool:
        return self.of > 0 and self.count == self.of


def progress_of(student: Any, lessons: Sequence[Lesson]) -> dict[int, Progress]:
    """The student's progress in each of the lessons, by primary key."""
    read = Reading.objects.filter(student=student, section=OuterRef("pk"))
    by_pk = {lesson.pk: lesson for lesson in lessons}
    sections: dict[int, list[Section]] = {pk: [] for pk in by_pk}
    rows = Section.objects.filter(lesson__in=by_pk).defer("body").annotate(was_read=Exists(read))
    for section in rows.order_by("order", "pk"):
        section.lesson = by_pk[section.lesson_id]
        sections[section.lesson_id].append(section)
    return {pk: _progress(rows) for pk, rows in sections.items()}


def _progress(sections: Iterable[Any]) -> Progress:
    sections = list(sections)
    return Progress(
        read=frozenset(section.pk for section in sections if section.was_read),
        of=len(sections),
        following=next((section for section in sections if not section.was_read), None),
    )


def homes_of_families() -> dict[str, Section]:
    """The section that teaches what each family of problems asks, by the family's key.

    Only of published lessons; the first one counts where several claim a family.
    """
    homes: dict[str, Section] = {}
    claims = Section.objects.filter(lesson__published=True).exclude(families="")
    for section in claims.select_related("lesson").defer("body").order_by("lesson__order", "order"):
        for family in section.family_keys:
            homes.setdefault(family, section)
    return homes
