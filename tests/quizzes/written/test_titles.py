"""The title of a problem stays what it was when nobody may be asked the problem any more."""

import pytest
from django.urls import reverse

from classes.gradebook.presenters import tables
from classes.gradebook.queries import QuestionResult
from quizzes import problems
from quizzes.analysis.presenters.questions import question_titles
from quizzes.analysis.queries import Question
from quizzes.models import WrittenProblem
from quizzes.regrades.presenters import scope_choices_of_item
from quizzes.reports.presenters.desk import question_title
from quizzes.written.services.writing import withdraw_version
from tests.quizzes.written.rows import SCORES, publish_row
from tests.world import take_quiz

pytestmark = pytest.mark.django_db

KEY, TITLE = "own_scores", "Scores of a query"


def second():
    return publish_row(SCORES.replace(TITLE, "Scores, corrected"), version=2)


def withdraw_all(ines):
    for row in WrittenProblem.every.filter(withdrawn_at=None):
        withdraw_version(problem=row, by=ines)


@pytest.fixture(autouse=True)
def _commits_at_once(django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        yield


def test_a_withdrawn_problem_keeps_its_title(exam, ines):
    withdraw_all(ines)
    assert not problems.is_family(KEY)
    assert problems.family_title(KEY) == TITLE
    assert "softmax" in problems.family_summary(KEY)


def test_the_newest_of_the_withdrawn_versions_names_it(exam, ines):
    second()
    withdraw_all(ines)
    assert problems.family_title(KEY) == "Scores, corrected"


def test_a_draft_does_not_name_it(exam, ines):
    withdraw_all(ines)
    WrittenProblem.every.update(newest=False)
    WrittenProblem.every.create(key=KEY, version=2, text="", title="Draft")
    assert problems.family_title(KEY) == TITLE


def test_results_and_practice_show_the_title_of_a_withdrawn_problem(
    exam, ines, student, client, as_student
):
    attempt = take_quiz(student, exam)
    withdraw_all(ines)
    for path in (reverse("quizzes:results", args=[attempt.pk]), "/practice/"):
        page = client.get(path).content.decode()
        assert f">{KEY}" not in page, path
    assert TITLE in client.get(reverse("quizzes:results", args=[attempt.pk])).content.decode()


def test_results_show_the_title_of_the_version_asked(exam, student, client, as_student):
    attempt = take_quiz(student, exam)
    second()
    page = client.get(reverse("quizzes:results", args=[attempt.pk])).content.decode()
    assert TITLE in page
    assert "Scores, corrected" not in page


def test_regrades_and_reports_name_the_version_asked(exam, student):
    item = take_quiz(student, exam).items.get()
    second()
    titles = [choice.title for choice in scope_choices_of_item(item)]
    assert TITLE in titles
    assert "Scores, corrected" not in titles
    assert question_title(item.variant.kind, None) == TITLE


def test_statistics_and_gradebooks_name_the_version_asked(exam, student):
    kind = take_quiz(student, exam).items.get().variant.kind
    second()
    asked = Question(None, kind, 1)
    assert question_titles([asked], {asked: {}}, {}) == {asked: TITLE}
    mark = QuestionResult(1.0, "right", kind, "")
    assert tables.question_titles([{1: mark}], {}) == {1: TITLE}
