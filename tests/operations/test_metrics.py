"""Metrics: the counts, their sums over processes, and who may read them."""

import os
import re
import urllib.error
import urllib.request
from contextlib import suppress
from ipaddress import ip_network

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connection
from django.test import Client

from config.environment import networks
from tests.operations.conftest import TOKEN, WITH_TOKEN
from tests.operations.serving import web_server
from tests.processes import wait_until


def value(text, name):
    """Return the value of the line with this name, or 0."""
    found = re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE)
    return float(found[1]) if found else 0.0


def metrics(client=None):
    return (client or Client()).get("/metrics", headers=WITH_TOKEN).text


@pytest.mark.django_db
@pytest.mark.parametrize("named", [None, TOKEN])
def test_nobody_may_read_it_but_who_has_the_token(client, settings, named):
    settings.METRICS_TOKEN = named or ""
    for header in ("", "Bearer ", "Bearer wrong", TOKEN, "Bearer ünfug"):
        assert client.get("/metrics", headers={"Authorization": header}).status_code == 404


@pytest.mark.django_db
def test_an_address_counts_only_where_nothing_is_forwarded(client, settings):
    settings.METRICS_FROM = [ip_network("127.0.0.0/8")]
    assert client.get("/metrics").status_code == 200
    assert client.get("/metrics", REMOTE_ADDR="10.0.0.7").status_code == 404
    assert client.get("/metrics", headers={"X-Forwarded-For": "127.0.0.1"}).status_code == 404


def test_a_network_that_is_none_stops_the_start(monkeypatch):
    monkeypatch.setenv("SOFTMARK_METRICS_FROM", "10.0.0.0/8, here")
    with pytest.raises(ImproperlyConfigured, match="SOFTMARK_METRICS_FROM"):
        networks("SOFTMARK_METRICS_FROM", "")


@pytest.mark.django_db
def test_requests_are_counted_by_view_and_status_and_timed(client, token):
    name = 'softmark_requests_total{status="200",view="lessons:catalogue"}'
    timed = 'softmark_request_seconds_count{view="lessons:catalogue"}'
    before = metrics()
    client.get("/")
    after = metrics()
    assert value(after, name) == value(before, name) + 1
    assert value(after, timed) == value(before, timed) + 1


@pytest.mark.django_db
def test_addresses_that_somebody_makes_up_make_no_new_line(client, token):
    for number in range(3):
        client.get(f"/made-up-{number}/")
    assert "made-up" not in metrics()
    assert 'status="404",view=""' in metrics()


@pytest.mark.django_db
def test_waiting_work_and_ready_stock_are_reported(client, token):
    text = metrics()
    for name in (
        *("submissions_waiting", "oldest_waiting_seconds", "submissions_needing_attention"),
        *("grades_written", "stock_ready", "stock_wanted", "messages_failed", "messages_overdue"),
    ):
        assert f"\nsoftmark_{name} 0" in text
    assert "\nsoftmark_database_up 1" in text
    assert "@" not in text


@pytest.mark.django_db
def test_statements_that_fail_are_counted(token):
    before = metrics()
    with suppress(DatabaseError), connection.cursor() as cursor:
        cursor.execute("SELECT * FROM there_is_no_such_table")
    if connection.vendor == "sqlite":  # on PostgreSQL the test's own transaction is broken now
        name = 'softmark_database_errors_total{error="OperationalError"}'
        assert value(metrics(), name) == value(before, name) + 1


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_counts_are_added_up_over_all_processes(group, tmp_path):
    asked = 12
    variables = {"SOFTMARK_METRICS_TOKEN": TOKEN, "WEB_CONCURRENCY": "2", "TMPDIR": str(tmp_path)}
    with web_server(group, tmp_path, **variables) as (url, _process):
        for _ in range(asked):
            urllib.request.urlopen(f"{url}/accounts/login/").read()
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(f"{url}/metrics")
        assert refused.value.code == 404
        request = urllib.request.Request(f"{url}/metrics", headers=WITH_TOKEN)
        texts = [urllib.request.urlopen(request).read().decode() for _ in range(4)]
    lines = [
        re.findall(r'requests_total\{status="200",view="account_login"\} (\S+)', each)
        for each in texts
    ]
    assert lines == [[f"{asked:.1f}"]] * 4
    assert wait_until(lambda: os.listdir(tmp_path))
