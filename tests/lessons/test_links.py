"""Links between the lessons that ship lead somewhere."""

import re

import pytest

from tests.lessons.conftest import CONTENT
from tests.lessons.shipped import shipped

LESSONS = {file.stem: shipped(file.stem) for file in (CONTENT / "lessons").glob("*.md")}
LINK = re.compile(r"\]\(lesson:(?P<slug>[-\w]+)(?:#(?P<section>[-\w]+))?\)")


@pytest.mark.parametrize("slug", LESSONS)
def test_every_link_leads_to_a_lesson_and_a_section_that_ship(slug):
    links = list(LINK.finditer(LESSONS[slug].text))
    assert links
    for link in links:
        assert link["slug"] in LESSONS, link[0]
        assert not link["section"] or link["section"] in LESSONS[link["slug"]].bodies, link[0]
