"""What is broken for real is named by the doctor, by readiness and by the metrics."""

import sqlite3
from contextlib import closing
from io import StringIO
from ipaddress import ip_network

import pytest
from aiosmtpd.controller import Controller
from allauth.mfa.models import Authenticator
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import connection
from django.test import Client

from accounts.sealing import seal
from operations import findings
from tests.outbox.conftest import PostOffice, free_port, mailers


@pytest.fixture
def read_only(transactional_db, tmp_path):
    """The site's database, which takes no writes until the test is over."""
    if connection.vendor != "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("SET default_transaction_read_only = on")
        yield
        with connection.cursor() as cursor:
            cursor.execute("SET default_transaction_read_only = off")
        return
    connection.ensure_connection()
    own, told = connection.connection, connection.settings_dict
    with closing(sqlite3.connect(tmp_path / "copy.sqlite3")) as copy:
        own.backup(copy)
        copy.execute("PRAGMA journal_mode = WAL")
        # By its address, for a tester may be root, whom no file's rights stop.
        name = f"file:{tmp_path}/copy.sqlite3?mode=ro"
        connection.settings_dict = told | {"NAME": name}
        connection.connection = None
        yield
        connection.connection.close()
    connection.connection, connection.settings_dict = own, told


def no_static_files(settings, tmp_path):
    settings.STATIC_ROOT = tmp_path


def other_hosts(settings, tmp_path):
    settings.SITE_URL = "https://learn.example.org"
    settings.ALLOWED_HOSTS = ["learn.example.com"]


def another_key(settings, tmp_path):
    person = get_user_model().objects.create_user("ada@example.org")
    data = {"secret": seal("a secret")}
    Authenticator.objects.create(user=person, type=Authenticator.Type.TOTP, data=data)
    settings.SECRET_KEY = "y" * 64


class Refuses:
    async def handle_MAIL(self, server, session, envelope, address, options):  # noqa: N802
        return "550 Who are you?"


@pytest.fixture
def refusing_server():
    controller = Controller(Refuses(), hostname="127.0.0.1", port=free_port())
    controller.start()
    yield controller.port
    controller.stop()


def no_mail_server(settings, tmp_path):
    settings.MAILERS = mailers(free_port())


@pytest.mark.django_db
def test_a_mail_server_that_refuses_our_sender_is_named(settings, refusing_server):
    settings.METRICS_FROM = [ip_network("127.0.0.0/8")]
    settings.MAILERS = mailers(refusing_server)
    assert "it answers 550 to our sender" in doctor()
    assert not Client().get("/readyz?strict").json()["checks"]["mail_server"]["ok"]
    assert "mail_server" not in Client().get("/readyz").json()["checks"]


@pytest.mark.django_db
def test_a_mail_server_that_takes_letters_is_well(settings):
    office = PostOffice()
    office.start(port=free_port())
    settings.MAILERS = mailers(office.port)
    found = findings.mail_server()
    office.stop()
    assert found.is_well
    assert not office.taken


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("fault", "part", "advice"),
    [
        (no_static_files, "static_files", "manage.py collectstatic"),
        (other_hosts, "hosts", "SOFTMARK_ALLOWED_HOSTS"),
        (no_mail_server, "mail_server", "manage.py sendtestemail"),
        (another_key, "sealed", "SOFTMARK_OLD_SECRET_KEYS"),
    ],
)
def test_it_is_named_everywhere(settings, tmp_path, monkeypatch, fault, part, advice):
    settings.DEBUG = False
    settings.METRICS_TOKEN = "a-token-for-prometheus"
    monkeypatch.setattr("operations.findings.broker", lambda: 1 / 0)
    fault(settings, tmp_path)
    given = {"Authorization": f"Bearer {settings.METRICS_TOKEN}"}
    metrics = Client().get("/metrics", headers=given).content.decode()
    assert f"\nsoftmark_{part}_well 0" in metrics
    answer = Client().get("/readyz?strict", headers=given)
    assert (answer.status_code, answer.json()["checks"][part]["ok"]) == (503, False)
    assert Client().get("/readyz").status_code == 200
    assert advice in doctor()


def doctor() -> str:
    """Return what the doctor prints."""
    printed = StringIO()
    with pytest.raises(SystemExit):
        call_command("doctor", stdout=printed)
    return printed.getvalue()


@pytest.mark.service
def test_a_database_that_takes_no_writes_is_named_everywhere(read_only, settings, monkeypatch):
    settings.METRICS_TOKEN = "a-token-for-prometheus"
    monkeypatch.setattr("operations.findings.broker", lambda: 1 / 0)
    answer = Client().get("/readyz")
    assert (answer.status_code, answer.json()["status"]) == (503, "unready")
    told = doctor()
    assert "The database can only be read" in told
    assert "Make it writable" in told
    given = {"Authorization": f"Bearer {settings.METRICS_TOKEN}"}
    metrics = Client().get("/metrics", headers=given).content.decode()
    assert "\nsoftmark_database_up 1" in metrics
    assert "\nsoftmark_database_writable 0" in metrics
