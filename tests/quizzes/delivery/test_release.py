"""Results after the close appear once the last open attempt has ended."""

from datetime import timedelta

import pytest
from django.utils import timezone

from quizzes.delivery.queries.attempts import attempts_at, latest_attempts, sittings_taken
from quizzes.delivery.queries.secrecy import secret_questions
from quizzes.delivery.services.taking import start_attempt, submit_attempt
from quizzes.models import Attempt, ExtraTime, Sitting
from quizzes.practice.queries.skill_records import skill_records
from tests.each import undone
from tests.quizzes.reading import Page
from tests.world import refresh, take_quiz


@pytest.fixture
def closed(quiz, student, other_student):
    """A closed sitting: Sam's attempt is marked, and Olu's goes on with extra time."""
    sitting = quiz.own_sitting
    sitting.release = Sitting.Release.AFTER_CLOSE
    sitting.closes_at = timezone.now() + timedelta(minutes=5)
    sitting.save()
    ExtraTime.objects.create(student=other_student, minutes=10)
    late = start_attempt(student=other_student, quiz=quiz)
    take_quiz(student, quiz)
    passed = timedelta(minutes=6)
    Sitting.objects.update(closes_at=sitting.closes_at - passed)
    Attempt.objects.filter(pk=late.pk).update(deadline=late.deadline - passed)
    sitting.refresh_from_db()
    return sitting


def everybodys_time_is_over():
    Attempt.objects.filter(state="open").update(deadline=timezone.now() - timedelta(seconds=1))


def test_results_wait_for_the_last_open_attempt_and_for_no_practice(closed, other_student):
    assert not closed.shows_results(timezone.now())
    with undone():
        submit_attempt(attempt=Attempt.objects.get(student=other_student))
        assert closed.shows_results(timezone.now())
    everybodys_time_is_over()
    Attempt.objects.create(student=other_student, quiz=closed.quiz, mode="practice")
    assert closed.shows_results(timezone.now())


def test_other_rules_of_release_wait_for_nobody(closed):
    for rule in ({"release": Sitting.Release.AT_ONCE}, {"release": "by_hand", "released": True}):
        Sitting.objects.update(**rule)
        assert refresh(closed).shows_results(timezone.now())


def test_no_page_shows_a_mark_before_the_release_and_all_do_after(
    closed, client, student, as_student
):
    own = Attempt.objects.get(student=student)
    results = f"/attempts/{own.pk}/results/"
    page = Page(client.get(results))
    assert "will appear here once everyone’s time is up" in page.text
    leads_to = ("/quizzes/foundations/", "/practice/", "/learning/")
    assert all(page.all("a", href=href, inside="main") for href in leads_to)
    pages = (results, "/attempts/", "/attempts/?state=graded", "/quizzes/foundations/")
    for expected in (False, True):
        assert [("6 of 6" in Page(client.get(page)).text) for page in pages] == [expected] * 4
        assert ("100%" in Page(client.get("/learning/")).text) is expected
        assert bool(skill_records(student, timezone.now())) is expected
        assert bool(secret_questions(student, timezone.now())) is not expected
        everybodys_time_is_over()


def test_a_list_of_attempts_asks_once_for_all_of_them(
    closed, student, django_assert_max_num_queries
):
    now = timezone.now()
    at = {"quiz": closed.quiz, "sitting": closed}
    for number in range(2, 12):
        Attempt.objects.create(student=student, **at, number=number, state="submitted")
    with django_assert_max_num_queries(3):
        attempts = attempts_at(closed, latest_attempts(student))
        assert len(attempts) == 11
        assert not any(attempt.shows_results(now) for attempt in attempts)
    with django_assert_max_num_queries(6):
        secret_questions(student, timezone.now())
    with django_assert_max_num_queries(2):
        assert not any(each.shows_results(now) for each in sittings_taken(student))
