"""A read-only, locked or frozen database: a clear 503 soon, and never a false “saved”."""

import os
import signal
import socket
import sys
from contextlib import contextmanager, suppress
from http.client import HTTPException
from urllib.request import urlopen

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.test import Client

from quizzes.models import Attempt
from tests.conftest import environment
from tests.page_script import SCRIPT, Browser
from tests.processes import Process

pytestmark = [pytest.mark.service, pytest.mark.django_db(transaction=True)]


@contextmanager
def read_only():
    if connection.vendor == "sqlite":
        on, off = "PRAGMA query_only = 1", "PRAGMA query_only = 0"
    else:
        on, off = "SET default_transaction_read_only = on", "RESET default_transaction_read_only"
    with connection.cursor() as cursor:
        cursor.execute(on)
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute(off)


def test_a_database_that_takes_nothing_in_answers_503_everywhere(attempt, student, quiz, client):
    client.raise_request_exception = False
    client.force_login(student)
    page = f"/attempts/{attempt.pk}/"
    save = {"revision": 0, "token": "t", "fields": {"weights-0-0": "1"}}
    stranger = Client(raise_request_exception=False)
    login = {"login": student.email, "password": "secret"}
    with read_only():
        answers = {
            "save": client.post(f"{page}items/3/draft/", save, "application/json", headers=SCRIPT),
            "flag": client.post(f"{page}items/3/flag/", {"flagged": "true"}, headers=SCRIPT),
            "submit": client.post(f"{page}submit/"),
            "log in": stranger.post("/accounts/login/", login),
            "read": client.get(page),
        }
    codes = {name: answer.status_code for name, answer in answers.items()}
    assert codes == dict.fromkeys(answers, 503) | {"read": 200}
    for name in ("save", "flag"):
        assert "couldn’t be saved" in answers[name].json()["error"]
        assert answers[name].headers["Retry-After"]
    assert "couldn’t be saved" in answers["submit"].text


def test_a_database_that_takes_nothing_in_starts_nothing(quiz, as_student, client):
    client.raise_request_exception = False
    with read_only():
        assert client.post(f"/quizzes/{quiz.slug}/start/").status_code == 503
    assert not Attempt.objects.exists()


@pytest.fixture
def web(group, tmp_path):
    """The address of the web server with one thread."""
    with socket.create_server(("127.0.0.1", 0)) as trial:
        address = f"127.0.0.1:{trial.getsockname()[1]}"
    command = [sys.executable, "-m", "gunicorn", "config.wsgi", f"--bind={address}"]
    command += ["--workers=1", "--worker-class=gthread", "--threads=1", "--no-control-socket"]

    def answers():
        with suppress(OSError, HTTPException):
            return urlopen(f"http://{address}/healthz", timeout=5).status == 200

    deployed = environment(
        SOFTMARK_DEBUG="0",
        SOFTMARK_HTTPS="0",
        SOFTMARK_SECRET_KEY=settings.SECRET_KEY,
        SOFTMARK_ALLOWED_HOSTS="127.0.0.1",
    )
    with Process(command, group, tmp_path / "web.log", deployed, answers):
        yield f"http://{address}"


@pytest.mark.slow
def test_a_row_that_is_locked_holds_a_web_thread_for_seconds(web, attempt, student):
    browser = Browser.of(student)

    def save(n):
        body = {"revision": 0, "token": f"t{n}", "fields": {"weights-0-0": "1"}}
        return browser.ask(f"{web}/attempts/{attempt.pk}/items/3/draft/", body)

    with transaction.atomic():
        Attempt.objects.select_for_update().get(pk=attempt.pk)
        status, text, took = save(0)
    assert (status, "be saved" in text) == (503, True)
    assert took < 10  # on a busy machine
    assert save(9)[0] == 200


def freeze_others():
    """Freeze the server processes of all other connections. Return their pids."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() "
            "AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
        pids = [pid for (pid,) in cursor.fetchall()]
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    return pids


def test_a_frozen_connection_holds_a_web_thread_for_seconds(web, attempt, student):
    if connection.vendor == "sqlite":
        pytest.skip("SQLite is no server")
    browser, page = Browser.of(student), f"{web}/attempts/{attempt.pk}/status/"
    assert browser.ask(page)[0] == 200  # its connection is open now
    try:
        pids = freeze_others()
    except OSError:
        pytest.skip("this database runs elsewhere")
    try:
        status, _, took = browser.ask(page)
        assert (status, took < 12) == (200, True)  # over a new connection
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)
