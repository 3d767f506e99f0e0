"""The site's health for machines: liveness, readiness and measurements."""

from ipaddress import ip_network

import pytest
from django.test import Client

from operations import findings
from tests.operations.conftest import WITH_TOKEN, make_submission

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def monitoring(settings):
    """Allow the test client to read the metrics."""
    settings.METRICS_FROM = [ip_network("127.0.0.0/8")]


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_a_health_check_needs_no_known_host_and_is_not_kept(path):
    answer = Client(headers={"host": "10.0.0.7"}).get(path)
    assert (answer.status_code, answer["Cache-Control"]) == (200, "no-store")


def test_a_process_lives_without_its_database(database_away):
    answer = Client().get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


def test_it_is_unready_without_its_database_and_tells_no_secret(database_away):
    answer = Client().get("/readyz")
    assert (answer.status_code, answer.json()["status"]) == (503, "unready")
    assert b"hunter2" not in answer.content


def test_it_is_cheap(broker, django_assert_max_num_queries):
    Client().get("/readyz")
    with django_assert_max_num_queries(3):
        Client().get("/readyz")


@pytest.mark.parametrize("path", ["/readyz", "/readyz?strict"])
def test_what_was_measured_is_for_whoever_may_read_the_metrics(no_broker, settings, token, path):
    settings.METRICS_FROM = []
    assert Client().get(path).json() == {"status": "degraded"}
    wrong = {"Authorization": "Bearer x"}
    assert Client().get(path, headers=wrong).json() == {"status": "degraded"}
    assert "queue" in Client().get(path, headers=WITH_TOKEN).json()["checks"]


def test_what_waits_for_long_is_reported_by_its_age(no_broker, clear_findings):
    make_submission(seconds=5)
    assert Client().get("/readyz").json()["checks"]["queue"]["ok"]
    clear_findings()
    make_submission()
    check = Client().get("/readyz").json()["checks"]["queue"]
    assert (check["ok"], check["waiting"]) == (False, 2)
    assert 90 <= check["oldest_seconds"] < 100


def test_what_could_not_be_marked_is_counted(no_broker):
    make_submission("attention")
    assert Client().get("/readyz").json()["checks"]["attention"] == {"ok": False, "count": 1}


def test_an_empty_stock_is_reported(no_broker, monkeypatch):
    monkeypatch.setattr(findings, "stock_levels", lambda: (3, 640))
    check = Client().get("/readyz").json()["checks"]["stock"]
    assert check == {"ok": False, "ready": 3, "wanted": 640}
