"""No page of a student reveals an answer before the release, and practice does neither."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from lessons.models import Lesson
from quizzes.delivery.services.taking import start_attempt
from quizzes.errors import NotOpen
from quizzes.items.skills import Skill
from quizzes.marking.services import grade_waiting
from quizzes.models import Attempt, ConceptQuestion, Item, Quiz, Sitting, Submission
from quizzes.practice.services import check_item, practise_quiz, practise_skill
from tests.quizzes.reading import Page
from tests.world import (
    Threads,
    found_in,
    make_quiz,
    right_fields,
    save_answer,
    submit_and_mark,
    take_quiz,
)

EXPLANATION = "An explanation of"


@pytest.fixture(autouse=True)
def unrung(silent_notifier, as_student):
    """Nobody is woken, and the student is logged in."""


@pytest.fixture(
    params=[
        {"release": Sitting.Release.BY_HAND},
        {"release": Sitting.Release.AFTER_CLOSE, "closes_at": timezone.now() + timedelta(days=1)},
    ],
    ids=["by hand", "after the close"],
)
def hidden(request, quiz, student):
    """An attempt marked all right, at a quiz with a lesson, with results not released."""
    lesson = Lesson.objects.create(slug="one", title="One", published=True)
    lesson.sections.create(slug="first", title="First", families="cosine, softmax_row")
    Quiz.objects.update(lesson=lesson)
    Sitting.objects.update(**request.param)
    attempt = take_quiz(student, quiz)
    assert attempt.score == attempt.out_of
    return attempt


def pages(attempt):
    return [
        *("/", "/learning/", "/practice/", "/practice/family/cosine/", "/lessons/one/"),
        *("/quizzes/foundations/", "/attempts/", "/attempts/?state=received&order=best"),
        f"/attempts/{attempt.pk}/results/",
    ]


def test_no_page_tells_a_mark_or_a_solution_before_the_release(client, hidden):
    solved = Item.objects.filter(attempt=hidden, variant__family="softmax_row").first()
    weight = f"{solved.variant.solution['weights'][0]:.3f}"
    for path in pages(hidden):
        answer = client.get(path)
        assert answer.status_code == 200, path
        page = Page(answer)
        for telling in ("100%", "6 of 6", "passed", EXPLANATION, weight):
            assert telling not in page.text, (path, telling)
        assert not page.all("svg", role="img"), path


def test_the_same_pages_tell_it_after_the_release(client, hidden):
    Sitting.objects.update(release=Sitting.Release.AT_ONCE)
    showing = [path for path in pages(hidden) if "100%" in Page(client.get(path)).text]
    assert {"/learning/", "/lessons/one/"} < set(showing)


def test_the_status_tells_no_mark(client, hidden):
    body = json.loads(client.get(f"/attempts/{hidden.pk}/status/").content)
    assert set(body) == {"state", "seconds_left"}
    assert body["state"] == "received"


@pytest.fixture
def practised(quiz, student):
    """A practice item of a topic whose other questions an exam can no longer ask."""
    item = practise_skill(student=student, skill=Skill("topic", "keys")).items.get()
    others = ConceptQuestion.objects.filter(topic="keys").exclude(pk=item.question_id)
    others.update(published=False)
    return item


def test_practice_does_not_check_what_a_running_exam_asks(client, practised, quiz, student):
    exam = start_attempt(student=student, quiz=quiz)
    assert exam.items.filter(question=practised.question).exists()
    save_answer(practised, right_fields(practised))
    with pytest.raises(NotOpen, match="once that quiz has been marked"):
        check_item(attempt=practised.attempt, position=1)
    page = Page(client.post(f"/practice/{practised.attempt_id}/1/", {"check": ""}, follow=True))
    assert "You can check it once that quiz has been marked" in page.text
    assert not Submission.objects.filter(item=practised).exists()


def test_practice_hides_what_it_said_while_an_exam_asks_it(client, practised, quiz, student):
    save_answer(practised, right_fields(practised))
    check_item(attempt=practised.attempt, position=1)
    grade_waiting()
    paths = (f"/practice/{practised.attempt_id}/1/", "/practice/topic/keys/")
    assert all("right" in Page(client.get(path)).text for path in paths)
    exam = start_attempt(student=student, quiz=quiz)
    for path in paths:
        assert found_in(Page(client.get(path)).text, EXPLANATION, "right") == []
    submit_and_mark(exam)
    assert EXPLANATION in Page(client.get(paths[0])).text


def test_practising_the_quiz_itself_leaves_out_its_hidden_questions(hidden, quiz, student):
    practice = practise_quiz(student=student, quiz=quiz)
    assert practice.items.count() == 4
    assert not practice.items.exclude(question=None).exists()


@pytest.fixture
def open_quiz(db):
    """A quiz on one topic of the hidden quiz, which shows its results at once."""
    return make_quiz("open", {"topic": "keys"})


def test_what_a_quiz_with_later_results_may_ask_is_shown_to_nobody(
    client, quiz, open_quiz, other_student
):
    Sitting.objects.filter(quiz=quiz).update(release=Sitting.Release.BY_HAND)
    with pytest.raises(NotOpen, match="no questions left"):
        practise_skill(student=other_student, skill=Skill("topic", "keys"))
    attempt = take_quiz(other_student, open_quiz)
    client.force_login(other_student)
    results = f"/attempts/{attempt.pk}/results/"
    text = Page(client.get(results)).text
    assert found_in(text, EXPLANATION, "Feedback to") == []
    assert "Another quiz asks this question too" in text
    Sitting.objects.filter(quiz=quiz).update(released=True)
    assert EXPLANATION in Page(client.get(results)).text


def test_an_exam_prefers_what_has_not_been_explained(quiz, open_quiz, student):
    practice = practise_skill(student=student, skill=Skill("topic", "keys"))
    item = practice.items.get()
    save_answer(item, right_fields(item))
    check_item(attempt=practice, position=1)
    for _ in range(2):
        attempt = start_attempt(student=student, quiz=open_quiz)
        assert attempt.items.get().question != item.question
        # It was asked but not explained, so it still comes first.
        attempt.delete()


def test_practice_never_shows_what_is_reserved_for_exams(client, quiz, student):
    item = practise_skill(student=student, skill=Skill("topic", "keys")).items.get()
    save_answer(item, right_fields(item))
    check_item(attempt=item.attempt, position=1)
    grade_waiting()
    ConceptQuestion.objects.filter(topic="keys").update(reserved=True)
    assert client.get("/practice/topic/keys/").status_code == 404
    assert EXPLANATION not in Page(client.get(f"/practice/{item.attempt_id}/1/")).text
    assert "/practice/topic/keys/" not in Page(client.get("/practice/")).html
    item.attempt.delete()
    assert practise_quiz(student=student, quiz=quiz).items.filter(question=None).count() == 4
    assert not Item.objects.filter(question__topic="keys").exists()
    assert start_attempt(student=student, quiz=quiz).items.filter(question__topic="keys").exists()


@pytest.mark.service
@pytest.mark.django_db(transaction=True)
def test_a_start_and_a_practice_at_once_do_not_ask_one_student_the_same(questions, student):
    exam = make_quiz("exam", {"topic": "keys"})

    def begin(kind):
        if kind == "exam":
            return start_attempt(student=student, quiz=exam)
        return practise_skill(student=student, skill=Skill("topic", "keys"))

    for _ in range(10):
        with Threads(2) as pool:
            list(pool.map(begin, ("exam", "practice")))
        asked = Item.objects.values_list("question", flat=True)
        assert len(asked) == len(set(asked)) == 2
        Attempt.objects.all().delete()
