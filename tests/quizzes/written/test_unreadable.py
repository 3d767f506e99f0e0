"""A published version whose text this release can't read: nothing is lost, and it's named."""

import pytest

from operations import findings
from quizzes import problems
from quizzes.delivery.services.taking import start_attempt, submit_attempt
from quizzes.marking.services import MAX_TRIES, grade_waiting, queue_again
from quizzes.models import Grade, Submission, WrittenProblem
from tests.quizzes.written.published import forget_problems
from tests.quizzes.written.rows import SCORES
from tests.world import answer_everything, make_user, take_quiz

pytestmark = pytest.mark.django_db

KEY = "own_scores"


def start_with(text):
    """Store this text, which a process of another release reads anew."""
    WrittenProblem.every.filter(key=KEY).update(text=text)
    forget_problems()


def upgrade():
    start_with("title: Scores\nx: no draw of this release(3)\ny = 2 * x")


def submitted(student, exam):
    attempt = start_attempt(student=student, quiz=exam)
    answer_everything(attempt)
    return submit_attempt(attempt=attempt)


def test_waiting_answers_need_attention_and_others_are_marked(exam, quiz, student):
    lost, marked = submitted(student, exam), submitted(make_user("other"), quiz)
    upgrade()
    for _try in range(MAX_TRIES + 2):
        grade_waiting()
        Submission.objects.filter(state="waiting").update(claimed_until=None, claimed_by="")
    states = {each.attempt_id: each.state for each in Submission.objects.all()}
    assert states[marked.attempt_id] == "graded"
    assert states[lost.attempt_id] == "attention"
    assert "cannot be read" in Submission.objects.get(pk=lost.pk).trouble
    start_with(SCORES)
    queue_again(submissions=Submission.objects.all())
    grade_waiting()
    assert Submission.objects.get(pk=lost.pk).state == "graded"


def test_stored_marks_stay_and_pages_show_what_is_stored(exam, student, client, as_student):
    attempt = take_quiz(student, exam)
    before = list(Grade.objects.values_list("points", "verdict"))
    upgrade()
    page = client.get(f"{attempt.get_absolute_url()}results/")
    assert page.status_code == 200
    assert "Work out the scores" in page.content.decode()
    assert f"/practice/family/{KEY}/" not in page.content.decode()
    assert list(Grade.objects.values_list("points", "verdict")) == before
    for path in ("/", "/practice/", "/learning/mistakes/", "/today/", "/formulas/"):
        assert client.get(path, follow=True).status_code == 200, path
    assert client.get(f"/practice/family/{KEY}/").status_code == 404


def test_it_is_in_no_list(exam, student, client):
    upgrade()
    assert KEY not in client.get("/practice/").content.decode()
    assert problems.family_title(KEY) == KEY


def test_the_doctor_names_it_with_what_to_do(exam):
    assert findings.problems().is_ok
    upgrade()
    found = findings.problems()
    assert f"{KEY} (version 1)" in found.summary
    assert "Go back to the release" in found.advice


def test_a_text_that_cannot_be_read_is_read_once(exam, django_assert_num_queries):
    upgrade()
    assert problems.known_family(KEY, 1) is None
    with django_assert_num_queries(0):
        assert problems.known_family(KEY, 1) is None
