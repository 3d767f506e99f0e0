"""The review of a student's attempt, as an instructor reads it."""

import pytest
from django.urls import reverse

from accounts.roles import make_instructor
from quizzes.models import Attempt, Sitting, Submission
from quizzes.services.grading import grade_waiting
from quizzes.services.practising import practise_quiz
from quizzes.services.taking import start_attempt, submit_attempt

from .answering import answer_everything
from .reading import Page


@pytest.fixture
def attempt(quiz, student):
    """Marked, with everything right."""
    attempt = start_attempt(student=student, quiz=quiz)
    answer_everything(attempt)
    submit_attempt(attempt=attempt)
    grade_waiting()
    return attempt


@pytest.fixture
def url(attempt):
    return f"/attempts/{attempt.pk}/review/"


@pytest.fixture
def instructor(django_user_model, client):
    teacher = django_user_model.objects.create_user("teacher@example.org", "secret")
    make_instructor(teacher)
    client.force_login(teacher)
    return teacher


def in_the_admin(attempt):
    return reverse("admin:quizzes_attempt_change", args=[attempt.pk])


def test_the_admin_leads_an_instructor_to_a_students_review(client, instructor, attempt, url):
    way = reverse("admin:quizzes_attempt_review", args=[attempt.pk])
    assert Page(client.get(in_the_admin(attempt))).all("a", href=way)
    assert client.get(way).url == url


def test_it_is_what_the_student_sees_and_says_whose_it_is(client, instructor, attempt, url):
    page = Page(client.get(url))
    assert "15 of 15 points" in page.text
    assert "The review for Sam (student@example.org)" in page.text
    assert "not released" not in page.text
    assert page.all("section", id="item-15")
    assert page.all("a", href=in_the_admin(attempt))


def test_before_release_an_instructor_sees_it_and_is_told(client, instructor, attempt, url):
    Sitting.objects.update(release=Sitting.Release.BY_HAND)
    page = Page(client.get(url))
    assert "15 of 15 points" in page.text
    assert "Results are not released yet" in page.text


def test_it_leads_to_no_page_of_the_students_own(client, instructor, attempt, url, quiz, student):
    start_attempt(student=student, quiz=quiz)
    own = [link for link in Page(client.get(url)).all("a") if "/results/" in link.get("href", "")]
    assert not own


def test_it_is_only_read(client, instructor, url):
    assert client.post(url).status_code == 405


@pytest.mark.parametrize("who", ["owner", "other student", "reader of nothing", "no longer staff"])
def test_nobody_else_finds_it(client, django_user_model, student, other_student, url, who):
    user = {"owner": student, "other student": other_student}.get(who)
    if user is None:
        user = django_user_model.objects.create_user("r@example.org", "secret", is_staff=True)
    if who == "no longer staff":
        make_instructor(user)
        user.is_staff = False
        user.save()
    client.force_login(user)
    assert client.get(url).status_code == 404


def test_who_is_not_logged_in_is_led_there_and_back(client, url):
    assert client.get(url).url == f"/accounts/login/?next={url}"


@pytest.mark.parametrize("state", ["waiting", "attention"])
def test_what_is_not_marked_has_no_review(client, instructor, attempt, url, state):
    Submission.objects.update(state=state)
    Attempt.objects.update(score=None)
    assert client.get(url).status_code == 404
    assert "/review/" not in client.get(in_the_admin(attempt)).content.decode()


def test_what_is_open_or_practice_has_no_review(client, instructor, quiz, student):
    practice = practise_quiz(student=student, quiz=quiz)
    for attempt in (practice, start_attempt(student=student, quiz=quiz)):
        assert client.get(f"/attempts/{attempt.pk}/review/").status_code == 404
        assert "/review/" not in client.get(in_the_admin(attempt)).content.decode()


@pytest.mark.parametrize("pk", [0, 10**30])
def test_the_review_of_no_attempt_is_not_found(client, instructor, pk):
    assert client.get(f"/attempts/{pk}/review/").status_code == 404
