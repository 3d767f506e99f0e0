"""Everything that an answer depends on is on the page as data, even if the statement has it."""

import pytest

from quizzes.items.skills import Skill
from quizzes.practice.services import practise_skill
from tests.quizzes.reading import Page
from tests.world import replace_wording


@pytest.fixture
def page_of(client, student, db):
    """Return a function that opens a new item of a family; `change` alters what it shows first."""
    client.force_login(student)

    def page(family, change=None):
        practice = practise_skill(student=student, skill=Skill.parse(f"family:{family}"))
        item = practice.items.get()
        if change:
            change(item.shown)
            replace_wording(item, item.shown)
        return item, Page(client.get(f"/practice/{practice.pk}/{item.position}/"))

    return page


def given_on(page):
    return {data["data-given"]: data["value"] for data in page.all("data") if "data-given" in data}


def test_numbers_and_words_that_stand_alone_are_data(page_of):
    item, page = page_of("sliding_window")
    assert given_on(page) == {"back": "1", "ahead": "0", "word": item.variant.words["word"][0]}


def test_a_matrix_is_known_by_the_name_that_the_statement_calls_it(page_of):
    item, page = page_of("projection")
    words = item.variant.words
    tables = {table["data-given"] for table in page.all("table") if "data-given" in table}
    assert tables == {"X", f"W_{words['first'][0]}", f"W_{words['second'][0]}"}
    assert given_on(page) == {"letter": words["letter"][0]}


def test_what_was_asked_before_shows_what_it_showed(page_of):
    def as_it_was(shown):
        shown["givens"] = [given for given in shown["givens"] if given["labels"]]

    item, page = page_of("sliding_window", as_it_was)
    assert given_on(page) == {}
    assert item.variant.words["word"][0] in page.text
