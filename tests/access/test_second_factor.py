"""Access for staff whose second factor is due.

`test_every_address.py` has who is asked for it, and where.
"""

import json

import pytest
from allauth.mfa.models import Authenticator

from quizzes.marking.services import grade_waiting
from tests.access.walking import AGAIN, SETUP, give
from tests.conftest import FormClient
from tests.world import missing_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def enforced(settings):
    settings.STAFF_MFA = True


def somebody(user, factor):
    client = FormClient(raise_request_exception=False)
    client.force_login(user)
    if factor != "none":
        Authenticator.objects.create(user=user, type="totp", data={"secret": "x"})
    if factor == "passed":
        give(client, user)
    return client


def is_led(answer, ways=(SETUP, *AGAIN)):
    return answer.status_code == 302 and answer["Location"].partition("?")[0] in ways


def test_an_administrator_reads_no_review_with_a_password_alone(objects, people, enforced):
    grade_waiting()
    review = f"/attempts/{objects['submitted']}/review/"
    assert is_led(somebody(people["administrator"], "none").get(review), (SETUP,))
    assert somebody(people["administrator"], "passed").get(review).status_code == 200


def test_a_page_that_is_for_everybody_shows_staff_what_a_student_sees(objects, people, enforced):
    from lessons.models import Lesson

    Lesson.objects.update(published=False)
    assert is_led(somebody(people["administrator"], "none").get("/lessons/one/"))
    assert somebody(people["administrator"], "passed").get("/lessons/one/").status_code == 200


def test_what_was_posted_is_kept_until_the_second_factor_is_given(objects, people, enforced):
    client = somebody(people["owner"], "none")
    path = f"/teach/{objects['course']}/people/add/?from=here"
    sent = {"text": 'ada@example.org\r\n"Bo" <bo@example.org>', "password1": "secret horse"}
    assert is_led(client.post(path, sent), (SETUP,))
    assert client.session["second_factor_left"]["path"] == path
    Authenticator.objects.create(user=people["owner"], type="totp", data={"secret": "x"})
    give(client, people["owner"])
    page = client.get(path).content.decode()
    assert missing_in(page, f'action="{path}"', "&quot;Bo&quot; &lt;bo@example.org&gt;") == []
    assert "secret horse" not in page + json.dumps(dict(client.session))
    client.post(path, sent)
    assert "second_factor_left" not in client.session


def test_a_post_too_long_to_keep_is_reported_as_lost(objects, people, enforced):
    client = somebody(people["owner"], "not given")
    path = f"/teach/{objects['course']}/people/add/"
    client.post(path, {"text": "a" * 70_000})
    give(client, people["owner"])
    assert len(json.dumps(dict(client.session))) < 2_000
    assert "it included a file or was too long" in client.get(path).content.decode()
    assert "it included a file or was too long" not in client.get(path).content.decode()


def test_a_poll_of_an_open_page_is_not_returned_to(objects, people, enforced):
    client = somebody(people["owner"], "none")
    client.get("/teach/")
    client.get("/teach/tokens/", headers={"Sec-Fetch-Mode": "cors"})
    assert client.session["second_factor_left"]["path"] == "/teach/"
