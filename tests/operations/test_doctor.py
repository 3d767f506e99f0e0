"""`manage.py doctor` says what is wrong in sentences, and exits accordingly."""

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection
from django.utils import timezone

from operations import findings
from operations.findings import Finding
from operations.management.commands import doctor
from outbox.models import Message

pytestmark = pytest.mark.django_db
WELL = Finding("part", "It is well.")


@pytest.fixture
def site(settings, monkeypatch, tmp_path):
    """A site whose settings are right, with broker, worker and beat as they would be."""
    settings.DEBUG = settings.SOFTMARK_DEMO = False
    settings.SECRET_KEY = "x" * 64
    settings.STATIC_ROOT = tmp_path
    (tmp_path / "staticfiles.json").write_text("{}")
    settings.SITE_URL = "https://learn.example.org"
    settings.ALLOWED_HOSTS = ["learn.example.org"]
    settings.MAILERS = {"default": {"OPTIONS": {}}}
    settings.DEFAULT_FROM_EMAIL = "Softmark <learn@example.org>"
    monkeypatch.setattr(findings, "_mail_trouble", str)
    for part in ("broker", "probe", "beat"):
        monkeypatch.setattr(findings, part, lambda: WELL)


def said(capsys):
    with pytest.raises(SystemExit) as end:
        call_command("doctor")
    assert end.value.code == 1
    return capsys.readouterr().out


def test_all_is_well(site, capsys):
    call_command("doctor")
    told = capsys.readouterr().out
    assert "All is well." in told
    assert "WRONG" not in told


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
def test_a_setting_that_is_wrong_is_named(site, settings, capsys, name, value, advice):
    setattr(settings, name, value)
    assert advice in said(capsys)


def test_a_full_disk_is_told(site, capsys, monkeypatch):
    monkeypatch.setattr(findings, "LEAST_DISK", 1 << 62)
    assert "Free some space" in said(capsys)


def test_a_database_that_lacks_migrations_is_told(site, capsys, monkeypatch):
    class Behind:
        def __init__(self, connection):
            self.loader = self
            self.graph = self

        def leaf_nodes(self):
            return []

        def migration_plan(self, targets):
            return ["one", "two"]

    monkeypatch.setattr(findings, "MigrationExecutor", Behind)
    told = said(capsys)
    assert "is missing 2 migrations" in told
    assert "manage.py migrate" in told


def test_what_only_waits_for_a_database_that_is_away_is_not_told(site, capsys, monkeypatch):
    def fail():
        raise DatabaseError("password=hunter2")

    monkeypatch.setattr(connection, "cursor", fail)
    told = said(capsys)
    assert "The database is not responding" in told
    assert "hunter2" not in told
    assert "submissions" not in told


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ({"state": "failed"}, "1 messages could not be sent"),
        ({"minutes": 30}, "1 messages should have been sent"),
        ({"minutes": 30, "tries": 2, "rests": 60}, "1 messages should have been sent"),
    ],
)
def test_messages_that_are_not_sent_are_told(site, capsys, django_user_model, message, told):
    post(django_user_model, **message)
    assert told in said(capsys)


@pytest.mark.parametrize(
    "message", [{"state": "sent"}, {"minutes": 1}, {"minutes": 30, "rests": 9}]
)
def test_messages_that_were_sent_or_wait_for_a_digest_are_no_trouble(
    site, django_user_model, message
):
    post(django_user_model, **message)
    call_command("doctor")


def post(people, state="waiting", minutes=0, rests=0, tries=0):
    now = timezone.now()
    Message.objects.create(
        to=people.objects.create_user("ada@example.org"),
        kind="tests.news",
        state=state,
        due=now - timedelta(minutes=minutes),
        tries=tries,
        claimed_until=now + timedelta(minutes=rests) if rests else None,
    )


def test_without_a_broker_nothing_is_said_of_workers(site, capsys, monkeypatch):
    monkeypatch.setattr(findings, "broker", lambda: Finding("broker", "Away.", "Start Redis."))
    monkeypatch.setattr(findings, "probe", lambda: pytest.fail("it was asked"))
    assert "Start Redis." in said(capsys)


def test_what_fails_while_it_is_looked_at_is_a_finding(site):
    def part():
        raise ZeroDivisionError

    [found] = findings.looked_at(part)
    assert not found.is_well
    assert "ZeroDivisionError" in found.told
    assert list(doctor.diagnosed())
