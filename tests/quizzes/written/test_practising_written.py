"""Pages that link skills: what a student can't practise any more is on none of them."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from quizzes.delivery.queries.practicable import closed_problems, practicable_problems
from quizzes.errors import NotOpen
from quizzes.items.skills import FAMILY, Skill
from quizzes.models import Sitting, Slot, WrittenProblem, WrittenProblemShare
from quizzes.practice.queries.skill_records import skill_records
from quizzes.practice.services import (
    practise_mistakes,
    practise_quiz,
    practise_skill,
    replace_variant,
)
from quizzes.written.services.writing import withdraw_version
from tests.each import each
from tests.quizzes.written.rows import SCORES, publish_row
from tests.world import (
    check_and_mark,
    make_instructor_user,
    make_lesson,
    make_quiz,
    make_user,
    right_fields,
    take_quiz,
    wrong_fields,
)

pytestmark = pytest.mark.django_db

KEY = "own_scores"
TITLE = "Scores of a query"
PAGE = f"/practice/family/{KEY}/"


@pytest.fixture
def open_to_all(ines):
    return publish_row(owner=ines, site=True)


@pytest.fixture
def taught(open_to_all):
    """A lesson that teaches the problem, which is open to all."""
    lesson = make_lesson("one", "scores", order=1)
    lesson.sections.update(families=KEY)
    return lesson


@pytest.fixture
def exam(ines):
    """A quiz that asks the problem, which nobody else may practise."""
    publish_row(owner=ines)
    return make_quiz("written", {"family": KEY, "family_version": 1})


def close():
    WrittenProblemShare.objects.filter(user=None).delete()


def text_of(client, page):
    response = client.get(page)
    assert response.status_code == 200, page
    return response.content.decode()


def test_a_section_has_the_exercise_of_a_problem_that_is_open(taught, client):
    page = text_of(client, "/lessons/one/")
    assert PAGE in page
    assert "/exercises/one/scores/" in page
    assert TITLE in text_of(client, "/formulas/")
    assert client.get("/exercises/one/scores/").status_code == 200


def test_a_section_loses_the_exercise_of_a_problem_that_is_closed(taught, client):
    text_of(client, "/lessons/one/")  # which is kept
    close()
    page = text_of(client, "/lessons/one/")
    assert PAGE not in page
    assert "/exercises/" not in page
    assert TITLE not in text_of(client, "/formulas/")
    assert client.get("/exercises/one/scores/").status_code == 404
    assert "/exercises/" not in text_of(client, "/practice/")


def test_a_sections_exercise_is_of_the_newest_version(taught, client, ines):
    text_of(client, "/exercises/one/scores/")
    publish_row(SCORES.replace("Work out the scores", "Calculate the scores"), version=2)
    assert "Calculate the scores" in text_of(client, "/exercises/one/scores/")
    assert "Calculate the scores" in text_of(client, "/lessons/one/")


def test_practice_goes_on_with_the_newest_version(open_to_all, student, ines):
    attempt = practise_skill(student=student, skill=Skill(FAMILY, KEY))
    assert attempt.items.get().variant.version == 1
    publish_row(SCORES.replace("T(tokens) = 3, 2", "T(tokens) = 2"), version=2)
    new = replace_variant(attempt=attempt, position=1)
    assert (new.variant.version, new.variant.options["tokens"]) == (2, 2)


def test_practice_of_a_quiz_stays_with_the_version_of_its_slot(exam, student):
    attempt = practise_quiz(student=student, quiz=exam)
    publish_row(SCORES.replace("T(tokens) = 3, 2", "T(tokens) = 2"), version=2)
    new = replace_variant(attempt=attempt, position=1)
    assert (new.variant.version, new.variant.options["tokens"]) == (1, 3)
    assert new.slot == exam.slots.get()


def test_practice_of_a_quiz_does_not_leave_a_withdrawn_version(exam, student, ines):
    attempt = practise_quiz(student=student, quiz=exam)
    publish_row(version=2)
    withdraw_version(problem=WrittenProblem.every.get(key=KEY, version=1), by=ines)
    with pytest.raises(NotOpen, match="withdrawn"):
        replace_variant(attempt=attempt, position=1)


def test_who_loses_a_problem_gets_no_more_numbers(open_to_all, student, client, as_student):
    attempt = practise_skill(student=student, skill=Skill(FAMILY, KEY))
    page = f"/practice/{attempt.pk}/1/"
    assert PAGE in text_of(client, page)
    close()
    assert PAGE not in text_of(client, page)
    with pytest.raises(NotOpen):
        replace_variant(attempt=attempt, position=1)


def test_mistakes_stay_in_the_notebook_without_a_link(open_to_all, student, client, as_student):
    attempt = practise_skill(student=student, skill=Skill(FAMILY, KEY))
    item = attempt.items.get()
    check_and_mark(item, unscaled(item))
    assert PAGE in text_of(client, "/learning/mistakes/")
    assert [str(record.skill) for record in skill_records(student, attempt.started_at)]
    close()
    page = text_of(client, "/learning/mistakes/")
    assert TITLE in page
    assert PAGE not in page
    assert not skill_records(student, attempt.started_at)
    for other in ("/", "/practice/", "/today/"):
        assert PAGE not in client.get(other, follow=True).content.decode(), other


def unscaled(item):
    """Return the draft of the solution whose scores were not divided by a root."""
    root = len(item.variant.givens["q"]) ** 0.5
    fields = right_fields(item)
    scores = {field: value for field, value in fields.items() if field.startswith("scores")}
    return fields | {field: f"{float(value) * root:.3f}" for field, value in scores.items()}


def test_results_link_the_practice_of_whose_quiz_asks_it(exam, student, client, as_student):
    attempt = take_quiz(student, exam, wrong_fields)
    page = attempt.get_absolute_url() + "results/"
    assert PAGE in text_of(client, page)
    assert practise_mistakes(attempt=attempt)
    again = take_quiz(student, exam, wrong_fields)
    Slot.objects.filter(quiz=exam).update(family="dot_score", family_version=None)
    assert PAGE not in text_of(client, page)
    with pytest.raises(NotOpen):
        practise_mistakes(attempt=again)


@each("opens", [None, "2020-01-01T00:00Z"])
def test_a_quiz_that_has_opened_opens_its_problems(exam, student, opens):
    Sitting.objects.update(opens_at=opens)
    assert practicable_problems(student) == {KEY}


def test_a_quiz_that_has_not_opened_opens_nothing(exam, student):
    Sitting.objects.update(opens_at="2100-01-01T00:00Z")
    assert practicable_problems(student) == frozenset()
    assert closed_problems(student, [KEY, "dot_score"]) == {KEY}


def test_another_instructor_practises_what_they_may_read(exam, ines):
    other = make_instructor_user("other")
    Sitting.objects.update(open_to_all=False)
    assert practicable_problems(other) == frozenset()
    WrittenProblemShare.objects.create(key=KEY, user=other, access="read")
    assert practicable_problems(other) == {KEY}


def test_the_queries_do_not_grow_with_the_problems(ines):
    student = make_user("grows")
    counts = []
    for number in range(1, 5):
        key = f"own_scores_{number}"
        publish_row(key=key, owner=ines)
        quiz = make_quiz(f"quiz-{number}", {"family": key, "family_version": 1})
        quiz.sittings.update(open_to_all=number % 2)
        practicable_problems(student)  # read once
        with CaptureQueriesContext(connection) as made:
            practicable_problems(student)
        counts.append(len(made))
    assert counts[-1] == counts[1] <= 4, counts
