"""Access: an attempt is its student's own."""

from itertools import product

import pytest

from quizzes.delivery.services.taking import start_attempt, submit_attempt
from quizzes.models import Attempt
from tests.world import account

PAGES = ["", "submit/", "results/", "status/"]


@pytest.fixture(params=["open", "submitted"])
def any_attempt(request, quiz, student):
    any_attempt = start_attempt(student=student, quiz=quiz)
    if request.param == "submitted":
        submit_attempt(attempt=any_attempt)
        any_attempt.refresh_from_db()
    return any_attempt


@pytest.mark.parametrize("url", ["/learning/", "/attempts/", "/practice/", "/quizzes/foundations/"])
def test_what_can_be_read_can_be_asked_for_its_head(client, quiz, url, as_student):
    assert client.head(url).status_code == 200


@pytest.mark.parametrize("button", ["start", "practise"])
def test_a_button_that_is_reloaded_leads_back_to_its_quiz(client, quiz, button):
    assert client.get(f"/quizzes/foundations/{button}/").url == "/quizzes/foundations/"


def test_somebody_elses_attempt_is_not_found(client, any_attempt, subtests):
    for role in ("student", "instructor", "admin"):
        user = account(f"{role}2", is_staff=role != "student", is_superuser=role == "admin")
        for method, page in product(("get", "post"), PAGES):
            with subtests.test(page=page, method=method, role=role):
                client.force_login(user)
                answer = getattr(client, method)(f"/attempts/{any_attempt.pk}/{page}")
                assert answer.status_code in (404, 405)
                assert Attempt.objects.get().state == any_attempt.state


@pytest.mark.parametrize("page", ["", "submit/", "results/"])
def test_who_is_not_logged_in_is_led_there_and_back(client, any_attempt, page):
    path = f"/attempts/{any_attempt.pk}/{page}"
    answer = client.get(path)
    assert (answer.status_code, answer.url) == (302, f"/accounts/login/?next={path}")


def test_my_attempts_need_a_log_in(client, db):
    assert client.get("/attempts/").url == "/accounts/login/?next=/attempts/"


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("pk", [0, 10**30])
def test_an_attempt_that_does_not_exist_is_not_found(client, page, pk, as_student):
    assert client.get(f"/attempts/{pk}/{page}").status_code == 404
