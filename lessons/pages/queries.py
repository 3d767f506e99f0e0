"""Queries on lessons: who may see which, reading progress, families' sections, and images."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import reduce
from math import ceil
from operator import or_
from typing import Any, NamedTuple

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import ngettext

from foundation.prepared import prepared, rows_where
from lessons import extensions
from lessons.markdown.parsing import images_in
from lessons.markdown.pictures import IMAGE, Picture, Pictures
from lessons.models import Lesson, LessonImage, Reading, Section, Word

# A lesson opens with exercises of the last so many sections at most.
MAX_CLAIMS_BEFORE = 12


def may_write_lessons(user: Any) -> bool:
    return user.is_staff and user.has_perm("lessons.change_lesson")


def without_rights(user: Any) -> Any:
    """Return a copy of the user for one request, with no more rights than a student."""
    student = copy(user)
    student.is_staff = student.is_superuser = False
    student._perm_cache = student._user_perm_cache = student._group_perm_cache = set()
    return student


def lessons_visible_to(user: Any) -> QuerySet[Lesson]:
    """Return published lessons and, for authors, the drafts that they may read."""
    if may_write_lessons(user):
        drafts = Lesson.objects.visible_to(user).values("pk")
        return Lesson.objects.filter(Q(published=True) | Q(pk__in=drafts))
    return Lesson.objects.filter(published=True)


def sections_readable_by(user: Any, *, also: int | None = None) -> QuerySet[Section]:
    """Return the sections of the lessons that this author may read, and the one of this key."""
    readable = Lesson.objects.visible_to(user).values("pk")
    sections = Section.objects.filter(Q(lesson__in=readable) | Q(pk=also))
    return sections.select_related("lesson").order_by("lesson__order", "order")


def lessons_listed_for(user: Any, preview: str = "") -> list[Lesson]:
    """Return the visible lessons in order, without page parts, with the draft of slug `preview`."""
    if may_write_lessons(user) or preview:
        listed = lessons_visible_to(user) | Lesson.objects.filter(slug=preview)
        return list(listed.defer(*Lesson.PARTS))
    return _published()


@prepared
def _published() -> QuerySet[Lesson]:
    return Lesson.objects.filter(published=True).defer(*Lesson.PARTS)


def first_lesson(lessons: Sequence[Lesson]) -> Lesson | None:
    """Return lesson 1 of these ordered lessons. Lessons without a number come before it."""
    published = [lesson for lesson in lessons if lesson.published]
    return next((lesson for lesson in published if lesson.order), next(iter(published), None))


def lesson_with_content(pk: int) -> Lesson:
    """Return the lesson with its words and sections."""
    (lesson,) = rows_where(Lesson, pk=pk)
    lesson._prefetched_objects_cache = {}
    for name, model in (("words", Word), ("sections", Section)):
        rows = rows_where(model, lesson=pk)
        for row in rows:
            row.lesson = lesson
        kept = lesson._prefetched_objects_cache[name] = Lesson.objects.none()
        kept._result_cache = rows
    return lesson


@dataclass(frozen=True)
class Progress:
    """A student's progress in a lesson: the sections read, how many there are, and the next one.

    Attributes:
        rungs: the rungs of the exercises in the sections read, by the sections' primary keys.
    """

    rungs: Mapping[int, int]
    of: int
    following: Section | None

    @property
    def read(self) -> Collection[int]:
        return self.rungs.keys()

    @property
    def count(self) -> int:
        return len(self.read)

    def describe(self, count: int | SafeString) -> SafeString:
        """Return the progress in words, with the count as the page shows it."""
        words = ngettext(
            "%(read)s of %(of)s section read", "%(read)s of %(of)s sections read", self.of
        )
        return mark_safe(words % {"read": count, "of": self.of})

    @property
    def complete(self) -> bool:
        return self.of > 0 and self.count == self.of


def progress_of(student: Any, lessons: Sequence[Lesson]) -> dict[int, Progress]:
    """Return the student's progress in each of the lessons, by primary key."""
    sections: dict[int, list[_SectionRead]] = {lesson.pk: [] for lesson in lessons}
    for lesson, *row in _sections_read(student, list(sections)):
        sections[lesson].append(_SectionRead(*row))
    return {lesson.pk: _progress(lesson, sections[lesson.pk]) for lesson in lessons}


class _SectionRead(NamedTuple):
    pk: int
    slug: str
    title: str
    rung: int | None

    @property
    def was_read(self) -> bool:
        return self.rung is not None


@prepared
def _sections_read(student: int, lessons: list[int]) -> QuerySet:
    read = Reading.objects.filter(student=student, section=OuterRef("pk"))
    sections = Section.objects.filter(lesson__pk__in=lessons).order_by("order", "pk")
    return sections.values_list("lesson", "pk", "slug", "title", Subquery(read.values("rung")))


def _progress(lesson: Lesson, sections: Sequence[_SectionRead]) -> Progress:
    following = next((section for section in sections if not section.was_read), None)
    return Progress(
        rungs={section.pk: section.rung for section in sections if section.rung is not None},
        of=len(sections),
        following=following
        and Section(pk=following.pk, lesson=lesson, slug=following.slug, title=following.title),
    )


def rung_of(student: Any, section: Section) -> int | None:
    """Return the rung of the student's exercise in a section; None if it is not read."""
    readings = Reading.objects.filter(student=student, section=section)
    return readings.values_list("rung", flat=True).first()


def last_read_lesson(student: Any) -> int | None:
    """Return the primary key of the lesson of the section that the student read last."""
    return next(iter(_lesson_read_last(student)), (None,))[0]


@prepared
def _lesson_read_last(student: int) -> QuerySet:
    readings = Reading.objects.filter(student=student).order_by("-read_at", "-pk")
    return readings.values_list("section__lesson")[:1]


@dataclass(frozen=True)
class NextStep:
    """The section to read next, with the minutes left of its lesson.

    Attributes:
        is_first: whether the student has not read or passed anything yet, in any lesson.
    """

    lesson: Lesson
    section: Section
    minutes: int
    is_first: bool

    @property
    def begins_lesson(self) -> bool:
        return self.minutes == self.lesson.minutes

    @property
    def url(self) -> str:
        step = self.lesson if self.begins_lesson else self.section
        return step.get_absolute_url()


def next_step(
    lessons: Sequence[Lesson], progress: Mapping[int, Progress], passed: Collection[int]
) -> NextStep | None:
    """Return the student's next step: in the first lesson begun, or else the first unread one.

    Lessons whose keys are `passed` are done, whether read or not, because their quiz was passed. A
    new reader begins with lesson 1, not with the unnumbered ones before it. Return None if
    everything is done. Every page that names a next lesson calls this.
    """
    open_lessons = [
        each
        for each in lessons
        if each.published and progress[each.pk].following and each.pk not in passed
    ]
    begun = next((each for each in open_lessons if progress[each.pk].count), None)
    lesson = begun or first_lesson(open_lessons)
    if lesson is None:
        return None
    here = progress[lesson.pk]
    return NextStep(
        lesson,
        here.following,
        minutes=ceil(lesson.minutes * (here.of - here.count) / here.of),
        is_first=not (passed or any(each.count for each in progress.values())),
    )


def sections_before(lesson: Lesson) -> list[tuple[str, str, int, str]]:
    """Return the sections that teach families in the published lessons before this one.

    The last one comes first. Each is its lesson's slug, its own, its primary key and its families.
    """
    return _claims_before(lesson.order)


@prepared
def _claims_before(order: int) -> QuerySet:
    claims = Section.objects.filter(lesson__published=True, lesson__order__lt=order)
    claims = claims.exclude(families="").order_by("-lesson__order", "-lesson", "-order", "-pk")
    return claims.values_list("lesson__slug", "slug", "pk", "families")[:MAX_CLAIMS_BEFORE]


def unknown_families(sections: Iterable[Section]) -> dict[int, list[str]]:
    """Return the families that sections claim to teach and nobody has, by primary key."""
    known = extensions.families()
    unknown = {
        section.pk: [key for key in section.family_keys if key not in known] for section in sections
    }
    return {pk: keys for pk, keys in unknown.items() if keys}


def sections_by_family(families: Collection[str] | None = None) -> dict[str, Section]:
    """Return the section that teaches each family of problems, or these alone, by family key.

    Only sections of published lessons count, and the first one if several claim a family.
    """
    homes: dict[str, int] = {}
    for section, claimed in _claims():
        for family in claimed.split(", "):
            if families is None or family in families:
                homes.setdefault(family, section)
    sections = {section.pk: section for section in _with_lessons(sorted({*homes.values()}))}
    return {family: sections[section] for family, section in homes.items()}


@prepared
def _claims() -> QuerySet:
    """Return the sections that teach families, as every list of lessons needs them."""
    claims = Section.objects.filter(lesson__published=True).exclude(families="")
    return claims.order_by("lesson__order", "order").values_list("pk", "families")


@prepared
def _with_lessons(sections: list[int]) -> QuerySet[Section]:
    found = Section.objects.filter(pk__in=sections).select_related("lesson")
    return found.defer("body", *(f"lesson__{part}" for part in Lesson.PARTS))


def images_of(texts: Iterable[str]) -> list[LessonImage]:
    """Return the existing images that these texts show, in order.

    It takes one query, or none if the texts show no image.
    """
    names = images_in(*texts)
    found = LessonImage.objects.in_bulk(names, field_name="name") if names else {}
    return [found[name] for name in names if name in found]


def pictures_in(texts: Iterable[str]) -> Pictures:
    """Return the pictures needed to render the texts."""
    return {
        image.name: Picture(image.get_absolute_url(), image.alt, image.width, image.height)
        for image in images_of(texts)
    }


def image_for(user: Any, *, name: str, digest: str) -> LessonImage | None:
    """Return the image at a URL if this user may see it; `is_public`: whether everybody may.

    Everybody sees the images of published content, except for questions that only exams ask. Images
    of drafts and of such questions are seen by their authors, by students who were asked with them,
    and by the teachers of these students' classes.
    """
    published = [_published_showing(name), *extensions.published_rows_showing(name)]
    found = (
        LessonImage.objects.annotate(is_public=reduce(or_, map(Exists, published)))
        .filter(name=name, digest=digest)
        .first()
    )
    if found is None or found.is_public:
        return found
    writes = user.is_staff and user.has_perm("lessons.view_lesson")
    if writes and images_readable_by(user).filter(pk=found.pk).exists():
        return found
    return found if any(shown.exists() for shown in extensions.rows_shown_to(user, name)) else None


def images_readable_by(user: Any) -> QuerySet[LessonImage]:
    """Return the images in texts that this author may read, and those that no text shows.

    Images that occur only in other people's private texts are left out.
    """
    images = LessonImage.objects.all()
    if user.is_superuser:
        return images
    of_lesson = {"lesson": OuterRef("pk")}
    sections = Section.objects.filter(body__contains=IMAGE, **of_lesson)
    words = Word.objects.filter(meaning__contains=IMAGE, **of_lesson)
    parts = reduce(or_, (Q((f"{part}__contains", IMAGE)) for part in Lesson.PARTS))
    showing = Lesson.objects.filter(parts | Exists(sections) | Exists(words))
    readable, hidden = texts_by_reader(showing, user, prefetch=("sections", "words"))
    for more_readable, more_hidden in extensions.texts(user):
        readable += more_readable
        hidden += more_hidden
    return images.exclude(name__in=set(images_in(*hidden)) - set(images_in(*readable)))


def texts_by_reader(rows: Any, user: Any, prefetch: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the texts of the rows that a user may read, and the texts of all others."""
    visible = rows.model._default_manager.visible_to(user).filter(pk=OuterRef("pk"))
    readable: list[str] = []
    hidden: list[str] = []
    for row in rows.annotate(is_visible=Exists(visible)).prefetch_related(*prefetch):
        (readable if row.is_visible else hidden).extend(row.texts())
    return readable, hidden


def _published_showing(name: str) -> QuerySet[Lesson]:
    of_lesson = {"lesson": OuterRef("pk")}
    sections = Section.objects.filter(names_image("body", name), **of_lesson)
    words = Word.objects.filter(names_image("meaning", name), **of_lesson)
    parts = reduce(or_, (names_image(part, name) for part in Lesson.PARTS))
    return Lesson.objects.filter(parts | Exists(sections) | Exists(words), published=True)


def names_image(field: str, name: str) -> Q:
    """Return the condition that the text in this field shows exactly the image of this name."""
    # A substring is found fast; the regular expression then checks only those rows.
    return Q((f"{field}__contains", f"{IMAGE}{name}")) & Q(
        (f"{field}__regex", rf"{IMAGE}{name}([^-\w]|$)")
    )


def lessons_showing(image: LessonImage) -> list[Lesson]:
    """Return the lessons with a text that shows this image."""
    lessons = Lesson.objects.prefetch_related("sections", "words")
    return [lesson for lesson in lessons if image.name in images_in(*lesson.texts())]


def may_change_image(user: Any, image: LessonImage) -> bool:
    """Return whether the user may edit every lesson that shows this image."""
    shown_in = [lesson.pk for lesson in lessons_showing(image)]
    return Lesson.objects.editable_by(user).filter(pk__in=shown_in).count() == len(shown_in)
