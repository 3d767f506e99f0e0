"""Who may see what: an attempt is its student's own."""

import pytest
from django.contrib.auth import get_user_model

from quizzes.delivery.services.taking import start_attempt, submit_attempt
from quizzes.models import Attempt

PAGES = ["", "submit/", "results/", "status/"]


@pytest.fixture(params=["open", "submitted"])
def attempt(request, quiz, student):
    attempt = start_attempt(student=student, quiz=quiz)
    if request.param == "submitted":
        submit_attempt(attempt=attempt)
        attempt.refresh_from_db()
    return attempt


@pytest.mark.parametrize("url", ["/learning/", "/attempts/", "/practice/", "/quizzes/foundations/"])
def test_what_can_be_read_can_be_asked_for_its_head(client, quiz, student, url):
    client.force_login(student)
    assert client.head(url).status_code == 200


@pytest.mark.parametrize("button", ["start", "practise"])
def test_a_button_that_is_reloaded_leads_back_to_its_quiz(client, quiz, button):
    answer = client.get(f"/quizzes/foundations/{button}/")
    assert answer.url == "/quizzes/foundations/"


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("role", ["student", "instructor", "admin"])
def test_somebody_elses_attempt_is_not_found(client, attempt, page, method, role):
    staff = role != "student"
    user = get_user_model().objects.create_user(
        f"{role}2@example.org", "secret", is_staff=staff, is_superuser=role == "admin"
    )
    client.force_login(user)
    answer = getattr(client, method)(f"/attempts/{attempt.pk}/{page}")
    assert answer.status_code in (404, 405)
    assert Attempt.objects.get().state == attempt.state


@pytest.mark.parametrize("page", ["", "submit/", "results/"])
def test_who_is_not_logged_in_is_led_there_and_back(client, attempt, page):
    path = f"/attempts/{attempt.pk}/{page}"
    answer = client.get(path)
    assert (answer.status_code, answer.url) == (302, f"/accounts/login/?next={path}")


def test_my_attempts_need_a_log_in(client, db):
    assert client.get("/attempts/").url == "/accounts/login/?next=/attempts/"


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("pk", [0, 10**30])
def test_an_attempt_that_does_not_exist_is_not_found(client, student, page, pk):
    client.force_login(student)
    assert client.get(f"/attempts/{pk}/{page}").status_code == 404
