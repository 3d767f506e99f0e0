"""A student's home: what to go on with, what is open, how skills go, what comes next."""

from datetime import timedelta

import pytest
from django.utils import timezone

from lessons.models import Lesson, Section
from quizzes.models import Sitting
from quizzes.services.grading import grade_waiting
from quizzes.services.practising import check_item, practise_skill
from quizzes.services.taking import Save, start_attempt, submit_attempt
from quizzes.skills import Skill

from .answering import answer_everything, right_fields, wrong_fields
from .reading import Page

URL = "/learning/"


@pytest.fixture(autouse=True)
def logged_in(client, student):
    client.force_login(student)


def links(client, inside=None):
    return [link.get("href") for link in Page(client.get(URL)).all("a", inside="main")]


def take(student, quiz, fields):
    attempt = start_attempt(student=student, quiz=quiz)
    answer_everything(attempt, fields)
    submit_attempt(attempt=attempt)
    grade_waiting()


def test_a_visitor_is_asked_to_log_in(client):
    client.logout()
    assert client.get(URL).url.startswith("/accounts/login/")


def test_with_nothing_at_all_it_says_so(client, db):
    assert "Hello" in Page(client.get(URL)).text


def test_a_running_attempt_comes_first(client, student, quiz):
    attempt = start_attempt(student=student, quiz=quiz)
    assert links(client)[0] == f"/attempts/{attempt.pk}/"


def test_the_weakest_skill_is_suggested(client, student, quiz):
    take(student, quiz, wrong_fields)
    assert links(client)[0].startswith("/practice/")
    assert "weakest skill so far: 0 %" in Page(client.get(URL)).text


def test_then_the_next_section_then_the_quiz_not_yet_taken(client, student, quiz):
    lesson = Lesson.objects.create(slug="one", title="One", published=True)
    Section.objects.create(lesson=lesson, slug="first", title="First")
    assert links(client)[0] == "/lessons/one/#first"
    lesson.delete()
    assert links(client)[0] == "/quizzes/foundations/"


def test_when_all_is_mastered_nothing_is_suggested(client, student, quiz):
    take(student, quiz, right_fields)
    assert "You have read and mastered everything" in Page(client.get(URL)).text


def test_skills_have_a_curve_that_speaks(client, student, quiz):
    take(student, quiz, right_fields)
    curves = Page(client.get(URL)).all("svg", role="img")
    assert "100 %, 100 %" in [curve["aria-label"] for curve in curves]


def test_quizzes_show_when_they_are_due_and_what_counts(client, student, quiz):
    quiz.own_sitting.attempts_allowed = 3
    quiz.own_sitting.closes_at = timezone.now().replace(microsecond=0) + timedelta(days=1)
    quiz.own_sitting.save()
    take(student, quiz, right_fields)
    page = Page(client.get(URL))
    assert page.all("time", datetime=quiz.own_sitting.closes_at.isoformat())
    assert "100 %, passed" in page.text


def test_a_quiz_that_closed_without_this_student_is_not_shown(client, student, quiz):
    Sitting.objects.update(closes_at=timezone.now())
    assert "/quizzes/foundations/" not in links(client)


def test_practice_that_was_begun_is_offered_again(client, student, questions):
    practice = practise_skill(student=student, skill=Skill("family", "cosine"))
    assert f"/practice/{practice.pk}/" not in links(client)
    check_item(attempt=practice, position=1, save=Save({"cosine-0-0": "1"}, 0, "token"))
    assert f"/practice/{practice.pk}/" in links(client)


def test_it_reads_as_little_however_much_there_is(
    client, student, quiz, django_assert_max_num_queries
):
    for _ in range(2):
        take(student, quiz, right_fields)
    with django_assert_max_num_queries(15):
        client.get(URL)
