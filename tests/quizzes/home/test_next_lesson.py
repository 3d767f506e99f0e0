"""One rule for the next lesson: home, the list of lessons, results and a lesson's end agree."""

import pytest

from lessons.pages.services import mark_as_read
from tests.fixtures import WHOLE
from tests.quizzes.reading import Page
from tests.world import make_lesson, take_quiz, wrong_fields

ASKS = WHOLE

pytestmark = pytest.mark.usefixtures("as_student")


@pytest.fixture
def lessons(quiz):
    """Three lessons, the quiz at the end of the first."""
    made = [make_lesson(name, "first", order=at) for at, name in enumerate(("a", "b", "c"), 1)]
    quiz.lesson = made[0]
    quiz.save()
    return made


def first_link(client, address):
    return Page(client.get(address)).all("a", inside="main")[0]["href"]


def places(client, attempt):
    """Return the lesson that each page says is next."""
    page = Page(client.get(f"/attempts/{attempt.pk}/results/"))
    results = [a["href"] for a in page.all("a", inside="main") if a["href"].startswith("/lessons")]
    end = Page(client.get("/lessons/a/")).all("a", rel="next")
    return {
        "home": first_link(client, "/learning/"),
        "lessons": first_link(client, "/"),
        "results": next(iter(results), None),
        "end of lesson": end[0]["href"],
    }


def test_once_its_quiz_is_passed_an_unread_lesson_is_done_everywhere(
    client, student, lessons, quiz
):
    attempt = take_quiz(student, quiz)
    assert set(places(client, attempt).values()) == {"/lessons/b/"}


def test_a_lesson_whose_quiz_is_not_passed_is_still_next(client, student, lessons, quiz):
    take_quiz(student, quiz, wrong_fields)
    assert first_link(client, "/") == "/lessons/a/"


def test_a_lesson_that_was_begun_comes_before_the_first_one_not_done(
    client, student, lessons, quiz
):
    lessons[2].sections.create(slug="second", title="Second", order=2)
    mark_as_read(student=student, section=lessons[2].sections.get(slug="first"))
    found = places(client, take_quiz(student, quiz))
    del found["end of lesson"]  # by the order of the lessons
    assert set(found.values()) == {"/lessons/c/#second"}
