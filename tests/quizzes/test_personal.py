"""The personal file reveals no more of a secret question than pages do."""

import pytest

from quizzes.delivery.services.taking import start_attempt
from quizzes.models import ConceptQuestion
from quizzes.personal import export_personal_data
from tests.world import right_fields, take_quiz, wrong_fields

pytestmark = pytest.mark.django_db


@pytest.fixture
def one_question(questions):
    """Every attempt is asked the same question of each topic but "values"."""
    ConceptQuestion.objects.filter(key__endswith="-2").exclude(topic="values").update(
        published=False
    )


def all_but_questions(fields):
    """Return a function that answers numeric items rightly, questions by `fields`."""
    return lambda item: fields(item) if item.question else right_fields(item)


def test_while_an_open_attempt_asks_a_question_its_mark_is_in_no_part_of_the_file(
    one_question, quiz, student, other_student
):
    exports = []
    for somebody, fields in ((student, right_fields), (other_student, wrong_fields)):
        take_quiz(somebody, quiz, all_but_questions(fields))
        start_attempt(student=somebody, quiz=quiz)  # it asks them again
        (attempt, _open) = export_personal_data(somebody)["attempts"]
        assert (attempt["score"], attempt["out_of"]) == (4, 4)
        asked = [item for item in attempt["items"] if "prompt" in item["asked"]]
        assert len(asked) == 2
        assert not any(answer["grades"] for item in asked for answer in item["answers"])
        exports.append([item["answers"] for item in attempt["items"] if item not in asked])
    assert all(answer["grades"] for each in exports[0] for answer in each)


def test_once_no_exam_asks_it_any_more_the_file_has_everything(one_question, quiz, student):
    take_quiz(student, quiz, all_but_questions(wrong_fields))
    (attempt,) = export_personal_data(student)["attempts"]
    assert (attempt["score"], attempt["out_of"]) == (4, 6)
    assert all(answer["grades"] for item in attempt["items"] for answer in item["answers"])
