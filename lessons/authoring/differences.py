"""Differences between two versions of a lesson, by part, line and word."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher, get_close_matches
from typing import Any

from django.db.models import Field
from django.utils.translation import gettext as _

from lessons.authoring.files import LessonFile
from lessons.models import Lesson

CONTEXT = 2  # unchanged lines shown around changed ones
LIKE = 0.5  # from this similarity on, two lines count as one changed line


# A line of a difference: its sign (+ added, − removed) and its pieces, each changed or not.
type ChangedLine = tuple[str, Sequence[tuple[str, bool]]]


def differences(before: LessonFile, after: LessonFile) -> list[tuple[str, list[ChangedLine]]]:
    """Return the titles and lines of the parts that differ, in the order of the page."""
    old, new = dict(_parts(before)), dict(_parts(after))
    return [
        (title, list(_lines(old.get(title, ""), new.get(title, ""))))
        for title in {**new, **old}
        if old.get(title, "") != new.get(title, "")
    ]


def _parts(lesson: LessonFile) -> Iterator[tuple[str, str]]:
    for name, value in lesson.fields.items():
        field = Lesson._meta.get_field(name)
        label = str(field.verbose_name)
        yield label[:1].upper() + label[1:], _in_words(field, value)
    yield _("Words"), "\n".join(word["term"] for word in lesson.words)
    for word in lesson.words:
        title = _("Word “%s”") % word["term"]
        yield title, "\n".join(filter(None, [word.get("forms"), word["meaning"]]))
    yield _("Sections"), "\n".join(section.title for section in lesson.sections)
    for section in lesson.sections:
        families = ", ".join(section.families)
        head = [f"## {section.title}", *([f"({families})"] if families else [])]
        yield _("Section “%s”") % section.slug, "\n".join([*head, section.body])


def _in_words(field: Field, value: Any) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return str(dict(field.flatchoices).get(value, value))


def _lines(old: str, new: str) -> Iterator[ChangedLine]:
    before, after = old.splitlines(), new.splitlines()
    groups = SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(CONTEXT)
    for number, group in enumerate(groups):
        if number:
            yield "…", []
        for kind, *(a, b, c, d) in group:
            if kind == "equal":
                yield from (("", [(line, False)]) for line in before[a:b])
            else:
                yield from _changed(before[a:b], after[c:d])


def _changed(before: list[str], after: list[str]) -> Iterator[ChangedLine]:
    """Yield removed lines, then added ones; where two are alike, with differing words marked."""
    went = [[(line, False)] for line in before]
    came = [[(line, False)] for line in after]
    left = dict(enumerate(before))
    for number, line in enumerate(after):
        near = get_close_matches(line, left.values(), n=1, cutoff=LIKE)
        if near:
            pair = next(key for key, old in left.items() if old == near[0])
            went[pair], came[number] = _marked(left.pop(pair), line)
    yield from (("−", pieces) for pieces in went)
    yield from (("+", pieces) for pieces in came)


def _marked(old: str, new: str):
    """Return both lines in pieces, each with whether it has changed."""
    a, b = re.findall(r"\s+|\w+|.", old), re.findall(r"\s+|\w+|.", new)
    left, right = [], []
    for kind, i, j, k, m in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        left.append(("".join(a[i:j]), kind != "equal"))
        right.append(("".join(b[k:m]), kind != "equal"))
    return left, right
