"""The headers of every response, and the addresses that belong to no app."""

import pytest
from django.db import connection
from django.http import HttpRequest
from django.test import Client
from django.urls import path

from tests.conftest import DEPLOYED


@pytest.mark.django_db
def test_only_the_admin_may_evaluate_scripts(client: Client, admin_client: Client) -> None:
    for page in ("/", "/accounts/login/"):
        policy = client.get(page).headers["Content-Security-Policy"]
        assert "unsafe" not in policy
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
    assert "'unsafe-eval'" in admin_client.get("/admin/").headers["Content-Security-Policy"]


@pytest.mark.django_db
def test_the_admin_is_entered_by_the_log_in_that_counts_attempts(client: Client) -> None:
    answer = client.get("/admin/login/?next=/admin/")
    assert (answer.status_code, answer.url) == (302, "/accounts/login/?next=%2Fadmin%2F")


@pytest.mark.django_db
@pytest.mark.skipif(DEPLOYED, reason="read-only is a switch of SQLite's")
def test_a_database_that_takes_nothing_in_gets_a_503(admin_client: Client) -> None:
    admin_client.raise_request_exception = False
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA query_only = 1")
        try:
            answer = admin_client.post("/admin/auth/group/add/", {"name": "new"})
        finally:
            cursor.execute("PRAGMA query_only = 0")
    assert answer.status_code == 503
    assert "couldn’t be saved" in answer.content.decode()
    assert answer.headers["Retry-After"]


@pytest.mark.urls(__name__)
def test_other_faults_stay_a_500() -> None:
    answer = Client(raise_request_exception=False).get("/")
    assert answer.status_code == 500
    assert "is our fault" in answer.content.decode()


def fail(_: HttpRequest) -> None:
    raise ZeroDivisionError


urlpatterns = [path("", fail)]
handler500 = "config.errors.server_error"
