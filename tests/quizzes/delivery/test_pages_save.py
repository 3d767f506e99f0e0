"""Answers to the page's script: receipts, conflicts, and refusals in JSON."""

import json
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from quizzes.models import GRACE, Answer, Attempt
from tests.each import each
from tests.world import save_answer

pytestmark = pytest.mark.usefixtures("as_student")

SOFTMAX = 3


@pytest.fixture
def url(attempt):
    return f"/attempts/{attempt.pk}/items/{SOFTMAX}/draft/"


def send(client, url, text="0.5", *, revision=0, token="t1"):
    body = {"revision": revision, "token": token, "fields": {"weights-0-0": text}}
    return client.post(url, body, content_type="application/json")


def stored(attempt):
    return attempt.items.get(position=SOFTMAX).draft.get("weights-0-0")


def test_a_save_gets_a_receipt(client, attempt, url):
    answer = send(client, url, "0,5")
    receipt = answer.json()
    assert (answer.status_code, receipt["revision"], receipt["token"]) == (200, 1, "t1")
    assert receipt["state"] == "partly"
    assert 0 < receipt["seconds_left"] <= 23 * 60
    assert receipt["saved_at"]
    (note,) = receipt["notes"]
    assert (note["input"], note["read_as"]) == ("item-3-weights-0-0", "0.5")
    assert stored(attempt) == "0,5"


def test_an_unreadable_number_gets_an_error_at_once(client, attempt, url):
    receipt = send(client, url, "1/0").json()
    assert receipt["state"] == "unreadable"
    assert receipt["notes"][0]["note"] == "This divides by zero."


@pytest.mark.service
def test_the_same_save_again_gets_the_same_receipt(client, attempt, url):
    first, again = send(client, url).json(), send(client, url).json()
    timeless = {"seconds_left": None}
    assert first | timeless == again | timeless


def test_other_content_under_the_same_token_gets_409_with_what_is_stored(client, attempt, url):
    send(client, url, "first")
    for revision in (0, 1):
        answer = send(client, url, "second", revision=revision)
        assert answer.status_code == 409
        assert answer.json()["stored"]["fields"]["weights-0-0"] == "first"
    assert stored(attempt) == "first"


@pytest.mark.service
def test_an_older_save_gets_409_with_what_is_stored(client, attempt, url):
    send(client, url, "new", token="other")
    answer = send(client, url, "old")
    assert answer.status_code == 409
    newer = answer.json()["stored"]
    assert newer["fields"] == {"weights-0-0": "new", "weights-0-1": ""}
    assert (newer["revision"], newer["token"]) == (1, "other")
    assert stored(attempt) == "new"


def test_after_submitting_a_save_gets_409_and_the_way_to_the_results(client, attempt, url):
    send(client, url, "1")
    client.post(f"/attempts/{attempt.pk}/submit/")
    answer = send(client, url, "late", revision=1, token="t2")
    assert answer.status_code == 409
    assert answer.json()["results"] == f"/attempts/{attempt.pk}/results/"
    assert Answer.objects.get(item__position=SOFTMAX).raw["weights"] == ["1", ""]


def test_within_the_grace_a_save_still_counts_and_after_it_none(client, attempt, url):
    Attempt.objects.update(deadline=timezone.now() - GRACE / 2)
    answer = send(client, url)
    assert (answer.status_code, answer.json()["seconds_left"]) == (200, 0)
    Attempt.objects.update(deadline=timezone.now() - GRACE - timedelta(milliseconds=1))
    assert send(client, url, "late", revision=1, token="t2").status_code == 409
    assert stored(attempt) == "0.5"


def test_an_extension_takes_effect_within_one_save(client, attempt, url):
    Attempt.objects.update(deadline=timezone.now() + timedelta(hours=2))
    assert send(client, url).json()["seconds_left"] > 7000


def test_who_is_logged_out_is_told_to_log_in_again_and_nobody_else_finds_the_attempt(
    client, attempt, url, other_student
):
    client.logout()
    answer = send(client, url)
    assert (answer.status_code, answer.json()) == (401, {"error": "Log in again to continue."})
    client.force_login(other_student)
    assert send(client, url).status_code == 404
    assert stored(attempt) is None


@pytest.mark.parametrize("position", [0, 16, 10**17])
def test_a_question_that_does_not_exist_is_not_found(client, attempt, position):
    answer = send(client, f"/attempts/{attempt.pk}/items/{position}/draft/")
    assert (answer.status_code, answer.json()["error"]) == (404, "Question not found.")


def test_a_save_is_posted_with_its_csrf_token(client, attempt, url, student):
    assert client.get(url).status_code == 405
    without = Client(enforce_csrf_checks=True)
    without.force_login(student)
    assert send(without, url).status_code == 403


GOOD = {"revision": 0, "token": "t", "fields": {"weights-0-0": "1"}}


@each(
    "body",
    [
        *(b"", b"no json", b"\xff\xfe", b"null", b"[]", b"{}", b"[" * 60_000, b'{"a":' * 12_000),
        *(b"9" * 60_000, b"x" * 1_000_000),
        *(
            json.dumps(GOOD | wrong).encode()
            for wrong in [
                {"score": 15},
                *({"revision": number} for number in ("0", True, -1, 10**400, float("nan"))),
                *({"token": token} for token in ("", "t" * 65, "\0", "\ud800", 7)),
                {"fields": None},
                {"fields": {str(n): "" for n in range(500)}},
                *({"fields": {"weights-0-0": text}} for text in (1, [["1"]], "1" * 70_000)),
            ]
        ),
        b'{"revision": 0, "token": "t", "fields": {}, "fields": {"weights-0-0": "1"}}',
    ],
)
def test_what_is_no_save_is_refused_with_a_sentence(client, attempt, url, body):
    answer = client.post(url, body, content_type="application/json")
    assert answer.status_code == 400
    assert answer.json()["error"].endswith(".")
    assert stored(attempt) is None


def test_a_form_in_parts_is_no_save(client, attempt, url):
    """Its token is sought in the body, which has been read by then."""
    assert client.post(url, {"fields": "{}"}).status_code == 400
    assert stored(attempt) is None


@pytest.mark.parametrize("text", ["\0", "\ud800", "9" * 50_000, "<script>", "\u202ex"])
def test_whatever_text_is_typed_costs_its_cell_only(client, attempt, url, text):
    body = json.dumps(GOOD | {"fields": {"weights-0-0": text, "weights-0-1": "1"}})
    answer = client.post(url, body.encode(), content_type="application/json")
    assert (answer.status_code, answer.json()["state"]) == (200, "unreadable")
    assert client.get(f"/attempts/{attempt.pk}/").status_code == 200
    assert attempt.items.get(position=SOFTMAX).draft["weights-0-1"] == "1"


@each(
    "text, state",
    [
        *((unseen, "unanswered") for unseen in ("\u202e", " \u200b\ufeff")),
        ("0\u200b.5\u202c", "partly"),
    ],
)
def test_what_cannot_be_seen_answers_nothing_and_is_dropped_from_a_number(
    client, attempt, url, text, state
):
    answer = client.post(url, GOOD | {"fields": {"weights-0-0": text}}, "application/json").json()
    assert (answer["state"], answer["notes"]) == (state, [])


def test_status_has_the_clock_and_the_state(client, attempt, other_student):
    url = f"/attempts/{attempt.pk}/status/"
    assert client.get(url).json()["state"] == "open"
    save_answer(attempt.items.get(position=SOFTMAX), {"weights-0-0": "1"})
    client.post(f"/attempts/{attempt.pk}/submit/")
    assert client.get(url).json()["state"] == "waiting"
    client.force_login(other_student)
    assert client.get(url).status_code == 404
    client.logout()
    assert client.get(url).status_code == 401
