"""The map from the sources to the lessons leads to existing sections."""

import re
from pathlib import Path

import pytest

from tests.lessons.shipped import shipped

ROOT = Path(__file__).parents[2]
LESSONS = ROOT / "content" / "lessons"


def places():
    """Yield every lesson#section of the map; a #section alone belongs to the lesson before it."""
    for line in (ROOT / "docs" / "sources.md").read_text().splitlines():
        if not line.startswith(("| ", "Taught beyond")):
            continue
        lesson = ""
        for named, section in re.findall(r"([a-z-]+[a-z])?#([a-z][a-z-]*)", line):
            lesson = named or lesson
            yield lesson, section


@pytest.mark.parametrize("lesson", sorted({lesson for lesson, _ in places()}))
def test_every_section_of_the_map_is_there(lesson):
    assert {section for named, section in places() if named == lesson} <= {*shipped(lesson).bodies}


def test_every_lesson_is_on_the_map():
    assert {lesson for lesson, _ in places()} == {file.stem for file in LESSONS.glob("*.md")}
