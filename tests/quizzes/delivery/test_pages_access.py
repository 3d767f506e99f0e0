"""Access: an attempt is its student's own."""

from itertools import product

import pytest

from quizzes.delivery.services.taking import submit_attempt
from quizzes.models import Attempt
from tests.each import each
from tests.world import make_user, refresh

PAGES = ["", "submit/", "results/", "status/"]


@pytest.fixture(params=["open", "submitted"])
def any_attempt(request, attempt):
    if request.param == "submitted":
        submit_attempt(attempt=attempt)
    return refresh(attempt)


@each("url", ["/learning/", "/attempts/", "/practice/", "/quizzes/foundations/"])
def test_what_can_be_read_can_be_asked_for_its_head(client, quiz, url, as_student):
    assert client.head(url).status_code == 200


@each("button", ["start", "practise"])
def test_a_button_that_is_reloaded_leads_back_to_its_quiz(client, quiz, button):
    assert client.get(f"/quizzes/foundations/{button}/").url == "/quizzes/foundations/"


def test_somebody_elses_attempt_is_not_found(client, any_attempt, subtests):
    for role in ("student", "instructor", "admin"):
        user = make_user(f"{role}2", is_staff=role != "student", is_superuser=role == "admin")
        for method, page in product(("get", "post"), PAGES):
            with subtests.test(page=page, method=method, role=role):
                client.force_login(user)
                answer = getattr(client, method)(f"/attempts/{any_attempt.pk}/{page}")
                assert answer.status_code in (404, 405)
                assert Attempt.objects.get().state == any_attempt.state


def test_who_is_not_logged_in_is_led_there_and_back(client, any_attempt):
    own = f"/attempts/{any_attempt.pk}/"
    for path in ("/attempts/", own, f"{own}submit/", f"{own}results/"):
        answer = client.get(path)
        assert (answer.status_code, answer.url) == (302, f"/accounts/login/?next={path}")


@each("pk, page", product([0, 10**30], PAGES))
def test_an_attempt_that_does_not_exist_is_not_found(client, page, pk, as_student):
    assert client.get(f"/attempts/{pk}/{page}").status_code == 404
