"""A learner's own sentence: queued as a row, read by the real model in a real worker."""

import time
from datetime import timedelta

import numpy as np
import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from config.celery.settings import HARD_LIMIT
from lessons.models import Sentence
from lessons.real_model import encoder
from lessons.rendering import render_markdown
from lessons.sentences import services, tasks, views
from tests.processes import wait_until
from tests.world import missing_in, refresh

TIRED = "The animal did not cross the street because it was too tired"


@pytest.fixture
def client():
    """A client that sends no token: pages that are the same for everybody have none to give."""
    return Client(enforce_csrf_checks=True)


@pytest.fixture
def with_model(db, monkeypatch):
    """A site that seems to have a model; no worker is involved."""
    cache.clear()
    monkeypatch.setattr(views, "is_installed", lambda: True)
    monkeypatch.setattr(tasks.reading_notifier, "wake", lambda: None)


def as_script(client, url, **data):
    headers = {"Accept": "application/json"}
    answer = client.post(url, data, headers=headers) if data else client.get(url, headers=headers)
    return answer.json()


# With a worker and a model


@pytest.mark.service
@pytest.mark.django_db(transaction=True)
class TestRead:
    @pytest.fixture(autouse=True)
    def forget_limits(self):
        cache.clear()

    def read(self, client, text: str) -> dict:
        answer = as_script(client, "/sentences/", text=text)
        return wait_until(
            lambda: (done := as_script(client, answer["url"]))["state"] != "waiting" and done
        )

    def test_a_worker_reads_it_as_the_core_does(self, worker, client):
        shown = self.read(client, TIRED)
        assert shown["state"] == "read"
        assert "Layer 3, head 1" in shown["html"]
        reading, row = encoder.read(TIRED), Sentence.objects.get()
        assert row.result["tokens"] == list(reading.tokens)
        for head in row.result["heads"]:
            theirs = reading.weights[head["layer"]][head["head"]]
            assert np.abs(theirs - head["weights"]).max() < 1e-4

    def test_the_same_sentence_is_answered_at_once(self, worker, client):
        first = self.read(client, TIRED)
        again = as_script(client, "/sentences/", text=f"  {TIRED.replace(' ', '  ')} ")
        assert again == first
        assert Sentence.objects.get().tries == 1

    def test_a_sentence_of_too_many_pieces_gets_an_error(self, worker, client):
        shown = self.read(client, "Antidisestablishmentarianism " * 6)
        assert shown["state"] == "too long"
        pieces = len(encoder.read("Antidisestablishmentarianism " * 6).tokens) - 2
        assert f"splits this into {pieces} pieces" in shown["html"]

    def test_what_a_killed_worker_had_claimed_is_read_in_the_end(self, worker, client):
        row = services.request_reading(text=TIRED)
        Sentence.objects.update(claimed_until=timezone.now() + timedelta(seconds=2), tries=1)
        tasks.sweep.delay()
        time.sleep(2)
        tasks.sweep.delay()
        wait_until(lambda: Sentence.objects.filter(pk=row.pk, state="read").exists())


# Pages


def test_without_a_model_the_page_and_the_widget_say_so(db, client, monkeypatch):
    monkeypatch.setattr(encoder, "PACKAGE", "no-such-package")
    expected = "This site has no model installed"
    assert expected in client.get("/sentences/").text
    assert expected in client.post("/sentences/", {"text": TIRED}).text
    assert "no model installed" in as_script(client, "/sentences/", text=TIRED)["html"]
    widget = render_markdown("```live_sentence\nstart: Hello world\n```")
    assert expected in widget
    assert "<button" not in widget
    assert not Sentence.objects.exists()


def test_a_form_without_a_script_leads_to_the_page_of_the_sentence(with_model, client):
    answer = client.post("/sentences/", {"text": TIRED}, follow=True)
    assert answer.redirect_chain == [(Sentence.objects.get().get_absolute_url(), 302)]
    assert "usually takes less than a second" in answer.text
    assert 'http-equiv="refresh"' in answer.text
    assert f'value="{TIRED}"' in answer.text


def test_what_was_read_is_shown_and_escaped(with_model, client):
    row = services.request_reading(text="<b>bold</b> words")
    head = {"layer": 3, "head": 1, "weights": [[0.5, 0.5], [0.25, 0.75]]}
    Sentence.objects.update(state="read", result={"tokens": ["[CLS]", "<b>"], "heads": [head]})
    page = client.get(row.get_absolute_url()).text
    assert "“&lt;b&gt;” looks most at: &lt;b&gt; 0.750, [CLS] 0.250." in page
    assert "<b>" not in page


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Enter a sentence first"),
        (" \0 ", "Enter a sentence first"),
        ("word " * 25, "It can read at most 24"),
        ("x" * 201, "It can read at most 24"),
    ],
)
def test_unreadable_text_gets_an_error_and_is_kept(with_model, client, text, message):
    answer = client.post("/sentences/", {"text": text})
    assert answer.status_code == 400
    assert message in answer.text
    assert text.replace("\0", "")[:40].strip() in answer.text
    assert as_script(client, "/sentences/", text=text)["state"] == "refused"
    assert not Sentence.objects.exists()


def test_too_many_sentences_are_refused_but_known_ones_are_answered(with_model, client, settings):
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "ask_for_sentence": "3/m/ip"}
    known = services.request_reading(text=TIRED)
    Sentence.objects.update(state="read", result={"tokens": ["a", "b"], "heads": []})
    answers = [client.post("/sentences/", {"text": f"Sentence {number}"}) for number in range(4)]
    assert [answer.status_code for answer in answers] == [302] * 3 + [429]
    answer = client.post("/sentences/", {"text": "One more sentence"})
    assert missing_in(answer.text, "Wait a minute", 'value="One more sentence"') == []
    assert client.post("/sentences/", {"text": TIRED}).url == known.get_absolute_url()


def test_a_form_of_another_site_is_turned_away(with_model, client):
    answer = client.post("/sentences/", {"text": TIRED}, headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 400
    assert not Sentence.objects.exists()


def test_an_address_of_no_sentence_is_not_found(with_model, client):
    assert client.get("/sentences/0123/").status_code == 404


# Rows


def test_two_askers_share_a_row(db):
    one, other = (services.request_reading(text=text) for text in ("Same  words", " Same words"))
    assert one == other


def test_what_failed_is_tried_again_when_somebody_asks(db):
    row = services.request_reading(text=TIRED)
    Sentence.objects.update(state="failed", tries=4)
    assert services.request_reading(text=TIRED).state == "waiting"
    assert refresh(row).tries == 0


def test_old_sentences_are_forgotten(db):
    services.request_reading(text="old")
    Sentence.objects.update(asked_at=timezone.now() - services.KEPT_FOR - timedelta(minutes=1))
    kept = services.request_reading(text="new")
    services.forget_old()
    assert list(Sentence.objects.all()) == [kept]


def test_a_result_is_written_once(db):
    row = services.request_reading(text=TIRED)
    Sentence.objects.update(state="read", result={"tokens": ["a"], "heads": []})
    services._write(row, Sentence.State.FAILED, {})
    assert refresh(row).state == "read"


class TestTries:
    """Tries of a sentence while the model fails, without the model."""

    @pytest.fixture
    def row(self, db, monkeypatch):
        monkeypatch.setattr(encoder, "is_installed", lambda: True)
        monkeypatch.setattr(encoder, "read", self.fails)
        return services.request_reading(text=TIRED)

    @staticmethod
    def fails(text, *, most):
        raise OSError("out of memory")

    def read_again(self, row):
        """Expire the claim and have a worker read the row. Return its state."""
        Sentence.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))
        services.read_waiting()
        row.refresh_from_db()
        return row.state

    def test_after_three_tries_a_sentence_cannot_be_read(self, row):
        assert [self.read_again(row) for _ in range(4)] == ["waiting"] * 3 + ["failed"]

    def test_between_two_tries_the_claim_outlives_the_task_by_a_little(self, row):
        before = timezone.now()
        assert services.read_waiting() is False
        assert refresh(row).tries == 1
        claimed_for = row.claimed_until - before
        assert timedelta(seconds=HARD_LIMIT) < claimed_for < timedelta(seconds=2 * HARD_LIMIT)
