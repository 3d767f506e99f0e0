"""The lessons that ship, read for tests of the numbers they state."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import yaml

from lessons.authoring.files import LessonFile, parse_lesson
from tests.lessons.conftest import CONTENT

_FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Shipped:
    """A lesson's file, its sections by their slugs, and what it says outside its widgets."""

    text: str
    lesson: LessonFile
    bodies: dict[str, str]
    prose: str

    @property
    def decimals_stated(self) -> set[str]:
        """Every decimal number of the prose."""
        return set(re.findall(r"\d+\.\d+", self.prose))

    @property
    def minutes_of_reading(self) -> float:
        """At 200 words a minute; tables, formulas and figures take their time besides."""
        return len(re.findall(r"[A-Za-z’']{2,}", self.prose)) / 200


def in_yaml(file: Path) -> dict:
    """What a file of questions or of a quiz says."""
    return yaml.load(file.read_text(encoding="utf-8"), yaml.CSafeLoader)


@cache
def shipped(slug: str) -> Shipped:
    """The lesson of this slug in content/."""
    text = (CONTENT / "lessons" / f"{slug}.md").read_text(encoding="utf-8")
    lesson = parse_lesson(text)
    bodies = {section.slug: section.body for section in lesson.sections}
    return Shipped(text, lesson, bodies, _FENCE.sub("", "\n".join(bodies.values())))


def rounded(value: float, like: str) -> str:
    """The value with as many decimals as the text has."""
    return f"{float(value):.{len(like.partition('.')[2])}f}"


def wrong_numbers(shipped: Shipped, stated: Iterable, given: set[str], ties=0.0) -> list[str]:
    """Return what a lesson states and nobody computed, or what comes out otherwise.

    `given` is what the text takes from its own tables or makes up for an example. What comes so
    near to the middle of two texts may be either.
    """
    said, pairs = shipped.decimals_stated, list(stated)
    wrong = {
        text
        for text, value in pairs
        if text not in said
        or text not in (rounded(value - ties, text), rounded(value + ties, text))
    }
    return sorted(wrong | said - given - {text for text, _value in pairs})


def distance(a, b) -> float:
    return float(np.linalg.norm(np.subtract(a, b)))


def slope(weight: float) -> float:
    """The slope of a softmax, where a weight is this large."""
    return weight * (1 - weight)


def as_written(rows) -> str:
    """A matrix as YAML in a lesson writes it."""
    return str([[int(x) if x == int(x) else x for x in map(float, row)] for row in rows])
