"""Practice of problems that instructors wrote: open to all, or to those whose quiz asks them."""

import pytest

from quizzes.delivery.queries.practicable import practicable_problems
from quizzes.items.skills import FAMILY, Skill
from quizzes.models import Quiz, Slot, WrittenProblemShare
from quizzes.practice.services import practise_skill
from tests.quizzes.written.rows import publish_row

PAGE = "/practice/family/own_scores/"


@pytest.fixture
def private(ines):
    return publish_row(owner=ines)


def ask(quiz, key="own_scores"):
    Slot.objects.filter(quiz=quiz, position=1).update(family=key, family_version=1, topic="")


def test_a_problem_of_one_instructor_is_nobody_elses_to_practise(private, client, as_student):
    assert client.get(PAGE).status_code == 404
    assert client.post(PAGE).status_code == 404
    assert "own_scores" not in client.get("/practice/").content.decode()


def test_a_guest_practises_it_no_more_than_a_student(private, client):
    assert client.get(PAGE).status_code == 404


def test_its_author_may_practise_it(private, ines, client):
    client.force_login(ines)
    assert client.get(PAGE).status_code == 200


def test_what_is_shared_with_every_instructor_is_open_and_listed(ines, student, client, as_student):
    publish_row(owner=ines, site=True)
    assert client.get(PAGE).status_code == 200
    assert "Scores of a query" in client.get("/practice/").content.decode()
    attempt = practise_skill(student=student, skill=Skill(FAMILY, "own_scores"))
    assert attempt.items.get().variant.kind.startswith("own_scores/1/")


def test_whose_quiz_asks_it_may_practise_it_until_it_is_no_longer_asked(
    private, quiz, client, as_student
):
    ask(quiz)
    assert quiz.published
    assert client.get(PAGE).status_code == 200
    quiz.sittings.update(open_to_all=False)
    assert client.get(PAGE).status_code == 404


def test_a_draft_quiz_opens_nothing(private, quiz, student):
    ask(quiz)
    Quiz.objects.update(published=False)
    assert practicable_problems(student) == frozenset()


def test_no_query_is_made_where_there_is_no_such_problem(student, django_assert_num_queries):
    practicable_problems(student)
    with django_assert_num_queries(0):
        assert practicable_problems(student) == frozenset()


def test_who_loses_access_keeps_pages_that_work(ines, student, client, as_student):
    publish_row(owner=ines, site=True)
    attempt = practise_skill(student=student, skill=Skill(FAMILY, "own_scores"))
    WrittenProblemShare.objects.filter(user=None).delete()
    assert client.get(f"/practice/{attempt.pk}/1/").status_code == 200
    for page in ("/", "/practice/", "/today/", "/learning/mistakes/", "/formulas/"):
        assert client.get(page, follow=True).status_code == 200, page
