"""What is broken for real is named by the doctor, by readiness and by the metrics."""

import sqlite3
from contextlib import closing
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client


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
