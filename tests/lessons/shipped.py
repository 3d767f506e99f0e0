"""The lessons that ship, read for tests of the numbers they state."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import yaml

from lessons.authoring.files import LessonFile, parse_lesson
from lessons.real_model.maps import attention_map
from tests.lessons.conftest import CONTENT

# Fenced blocks, and the addresses of links, where numbers are not the author's.
_FENCE = re.compile(r"^```.*?^```$|(?<=\])\([^()\s]+\)", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Shipped:
    """A lesson's file, its sections by slug, and its prose outside widgets and addresses."""

    text: str
    lesson: LessonFile
    bodies: dict[str, str]
    prose: str

    @property
    def decimals_stated(self) -> set[str]:
        """Return every decimal number of the prose."""
        return set(re.findall(r"\d+\.\d+", self.prose))

    @property
    def minutes_of_reading(self) -> float:
        """Return minutes at 200 words each; tables, formulas and figures take extra time."""
        return len(re.findall(r"[A-Za-z’']{2,}", self.prose)) / 200


def in_yaml(file: Path) -> dict:
    """Return the content of a file of questions or of a quiz."""
    return yaml.load(file.read_text(encoding="utf-8"), yaml.CSafeLoader)


@cache
def shipped(slug: str) -> Shipped:
    """Return the lesson of this slug in content/."""
    text = (CONTENT / "lessons" / f"{slug}.md").read_text(encoding="utf-8")
    lesson = parse_lesson(text)
    bodies = {section.slug: section.body for section in lesson.sections}
    return Shipped(text, lesson, bodies, _FENCE.sub("", "\n".join(bodies.values())))


def rounded(value: float, like: str) -> str:
    """Return the value with as many decimals as the text has."""
    return f"{float(value):.{len(like.partition('.')[2])}f}"


def wrong_numbers(shipped: Shipped, stated: Iterable, given: set[str], ties=0.0) -> list[str]:
    """Return numbers that a lesson states and nobody computed, or that come out otherwise.

    `given` has the numbers that the text takes from its own tables or makes up for an example. A
    value within `ties` of the middle between two texts may be either.
    """
    decimals, pairs = shipped.decimals_stated, list(stated)
    wrong = {
        text
        for text, value in pairs
        if text not in decimals
        or text not in (rounded(value - ties, text), rounded(value + ties, text))
    }
    return sorted(wrong | decimals - given - {text for text, _value in pairs})


def looks(source: str, layer: int, head: int, word: str) -> dict[str, float]:
    """Return a word's weights for the other words in a head of the real model."""
    stored = attention_map(source)
    weights = next(h.weights for h in stored.heads if (h.layer, h.head) == (layer, head))
    return dict(zip(stored.tokens, weights[stored.tokens.index(word)], strict=True))


def distance(a, b) -> float:
    return float(np.linalg.norm(np.subtract(a, b)))


def slope(weight: float) -> float:
    """Return the slope of a softmax at this weight."""
    return weight * (1 - weight)


def as_written(rows) -> str:
    """Return a matrix as YAML in a lesson writes it."""
    return str([[int(x) if x == int(x) else x for x in map(float, row)] for row in rows])
