"""Families that a process keeps: few, and lists of many problems need none of them."""

from functools import lru_cache

import pytest

from quizzes import problems
from quizzes.written import loading
from tests.quizzes.written.rows import SCORES, publish_row

pytestmark = pytest.mark.django_db

KEYS = ["own_scores_1", "own_scores_2", "own_scores_3"]


@pytest.fixture
def read(monkeypatch):
    """The keys that were read, in a process that keeps two families."""
    keys, read_stored = [], problems.read_stored

    def reading(key, *stored):
        keys.append(key)
        return read_stored(key, *stored)

    monkeypatch.setattr(problems, "read_stored", reading)
    monkeypatch.setattr(loading, "_load", lru_cache(2)(loading._load.__wrapped__))
    return keys


@pytest.fixture
def published(ines):
    for key in KEYS:
        publish_row(key=key, owner=ines, site=True)


def test_more_open_problems_than_are_kept_are_read_once_for_a_list(published, read, client):
    for _time in range(2):
        page = client.get("/practice/").content.decode()
        assert page.count("Scores of a query") == len(KEYS)
        assert sorted(read) == KEYS


def test_the_family_that_was_used_longest_ago_makes_room(published, read):
    first, second, third = KEYS
    for key in (first, second, first, third):
        loading.load_family(key, 1)
    read.clear()
    loading.load_family(first, 1)
    assert read == []
    loading.load_family(second, 1)
    assert read == [second]


def test_a_list_shows_the_heads_of_a_version_published_since(published, client):
    assert "Scores of a query" in client.get("/practice/").content.decode()
    later = SCORES.replace("Scores of a query", "Scores, corrected")
    publish_row(later, key=KEYS[0], version=2, site=True)
    page = client.get("/practice/").content.decode()
    assert page.count("Scores, corrected") == 1
    assert page.count("Scores of a query") == len(KEYS) - 1
