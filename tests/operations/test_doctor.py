"""`manage.py doctor` describes what is wrong in sentences, and exits accordingly."""

from datetime import timedelta
from unittest.mock import Mock

import pytest
from django.core.cache import caches
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from operations import checks, findings, pulse, tasks
from outbox.models import Message
from tests.operations.conftest import WITH_TOKEN
from tests.outbox.conftest import run_mail_server
from tests.processes import wait_until
from tests.world import found_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def configured(settings, tmp_path):
    """A site whose settings and mail server are right."""
    settings.DEBUG = settings.SOFTMARK_DEMO = False
    settings.SECRET_KEY = "x" * 64
    settings.STATIC_ROOT = tmp_path
    (tmp_path / "staticfiles.json").write_text("{}")
    settings.SITE_URL = "https://learn.example.org"
    settings.ALLOWED_HOSTS = ["learn.example.org", "testserver"]
    settings.DEFAULT_FROM_EMAIL = "Softmark <learn@example.org>"
    with run_mail_server(settings):
        yield


def doctor_output(capsys):
    with pytest.raises(SystemExit) as end:
        call_command("doctor")
    assert end.value.code == 1
    return capsys.readouterr().out


@pytest.fixture
def running(configured, empty_broker, worker):
    """A configured site with a worker that has had a message from beat."""
    tasks.beat.delay()
    wait_until(lambda: pulse.last_pulse(pulse.BEAT), what="the pulse")


@pytest.mark.service
def test_all_is_well(running, token, capsys):
    call_command("doctor")
    output = capsys.readouterr().out
    assert "All is well." in output
    assert "WRONG" not in output
    answer = Client().get("/readyz?strict", headers=WITH_TOKEN)
    assert (answer.status_code, answer.json()["status"]) == (200, "ok")
    parts = [check.key for check in checks.CHECKS]
    assert list(answer.json()["checks"]) == parts
    metrics = Client().get("/metrics", headers=WITH_TOKEN).text
    assert all(f'\nsoftmark_well{{check="{part}"}} 1.0' in metrics for part in parts)


@pytest.mark.service
def test_a_setting_that_may_be_meant_so_calls_nobody(running, token, settings, capsys):
    settings.MAILERS = {"default": {}}
    answer = Client().get("/readyz?strict", headers=WITH_TOKEN)
    assert (answer.status_code, answer.json()["status"]) == (200, "ok")
    assert not answer.json()["checks"]["mail"]["ok"]
    assert "SOFTMARK_EMAIL_URL" in doctor_output(capsys)


@pytest.mark.parametrize(
    ("name", "value", "advice"),
    [
        ("DEBUG", True, "SOFTMARK_DEBUG=0"),
        ("SECRET_KEY", "short", "SOFTMARK_SECRET_KEY"),
        ("SOFTMARK_DEMO", True, "SOFTMARK_DEMO=0"),
        ("MAILERS", {"default": {}}, "SOFTMARK_EMAIL_URL"),
        ("DEFAULT_FROM_EMAIL", "Softmark <softmark@localhost>", "SOFTMARK_EMAIL_FROM"),
    ],
)
def test_a_setting_that_is_wrong_is_named(
    configured, no_broker, settings, capsys, name, value, advice
):
    assert advice not in doctor_output(capsys)
    setattr(settings, name, value)
    assert advice in doctor_output(capsys)


def test_a_full_disk_is_reported(configured, no_broker, capsys, monkeypatch):
    assert "Free some space" not in doctor_output(capsys)
    monkeypatch.setattr(findings, "MIN_DISK_BYTES", 1 << 62)
    assert "Free some space" in doctor_output(capsys)


def test_checks_that_only_wait_for_a_missing_database_are_not_reported(
    configured, no_broker, capsys, database_away
):
    output = doctor_output(capsys)
    assert "The database isn't responding" in output
    assert found_in(output, "hunter2", "submissions") == []


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"minutes": 30}, "Messages that should have been sent by now: 1"),
        ({"minutes": 30, "tries": 2, "rests": 60}, "Messages that should have been sent by now: 1"),
    ],
)
def test_messages_that_are_not_sent_are_reported(
    configured, no_broker, capsys, django_user_model, message, expected
):
    assert expected not in doctor_output(capsys)
    post_message(django_user_model, **message)
    caches["local"].clear()
    assert expected in doctor_output(capsys)


@pytest.mark.parametrize(
    "message", [{"state": "sent"}, {"minutes": 1}, {"minutes": 30, "rests": 9}]
)
def test_messages_that_were_sent_or_wait_for_a_digest_are_no_trouble(django_user_model, message):
    post_message(django_user_model, **message)
    assert findings.letters().is_ok


def post_message(people, state="waiting", minutes=0, rests=0, tries=0):
    now = timezone.now()
    Message.objects.create(
        to=people.objects.create_user("ada@example.org"),
        kind="tests.news",
        state=state,
        due=now - timedelta(minutes=minutes),
        tries=tries,
        claimed_until=now + timedelta(minutes=rests) if rests else None,
    )


def test_what_fails_while_it_is_looked_at_is_a_finding(monkeypatch):
    part = Mock(side_effect=ZeroDivisionError, __name__="part")
    monkeypatch.setattr(checks, "CHECKS", (checks.Check(part),))
    [(_, found)] = checks.run_checks()
    assert not found.is_ok
    assert "ZeroDivisionError" in found.summary
