"""The log: its contents, what never enters it, and lines of tasks with their request's id."""

import io
import json
import logging
import logging.config
import re
from unittest.mock import Mock

import pytest
import structlog
from django.test import Client

from operations.logs import configure, redact
from tests.processes import wait_until


@pytest.fixture
def lines(settings):
    """Return a function that returns the lines of production's log as objects."""
    log = io.StringIO()
    config = configure(plain=False)
    handler = logging.StreamHandler(log)
    formatter = config["formatters"]["line"]
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=formatter["foreign_pre_chain"], processors=formatter["processors"]
        )
    )
    root = logging.getLogger()
    before, root.level = root.level, logging.INFO
    root.addHandler(handler)
    yield lambda: [json.loads(line) for line in log.getvalue().splitlines()]
    root.removeHandler(handler)
    root.setLevel(before)


@pytest.mark.parametrize(
    "secret",
    [
        "no account ada.lovelace+exam@example.org here",
        "GET /accounts/password/reset/key/3-abc-secret123/",
        "GET /accounts/confirm-email/secret123/",
        "GET /search/?q=secret123",
        "Authorization: Bearer secret123",
        "password='secret123'",
        "redis://:secret123@redis:6379/0",
        "postgresql://softmark:secret123@db/softmark",
        "{'sessionid': 'secret123'}",
    ],
)
def test_no_address_and_nothing_that_lets_anybody_in_is_kept(secret):
    assert "ada" not in redact(secret)
    assert "secret123" not in redact(secret)


@pytest.mark.parametrize(
    "text", ["GET /quizzes/attention/ 200", "submission 7 needs attention: tried 5 times", "7 @ 8"]
)
def test_what_is_no_secret_stays(text):
    assert redact(text) == text


def test_another_packages_line_is_an_object_too(lines):
    logging.getLogger("celery.worker").warning("lost %s of %s", "ada@example.org", 3)
    [line] = lines()
    assert line["event"] == "lost …@… of 3"
    assert (line["level"], line["logger"]) == ("warning", "celery.worker")
    assert line["timestamp"].endswith("Z")


def test_an_error_is_one_line_with_its_traceback(lines):
    try:
        raise ValueError("for ada@example.org")
    except ValueError:
        logging.getLogger("quizzes").exception("marking failed")
    [line] = lines()
    assert "ValueError" in line["exception"]
    assert "ada@" not in line["exception"]


@pytest.mark.django_db
def test_a_request_has_one_line_with_its_id_and_no_query(lines, client):
    answer = client.get("/search/?q=ada@example.org")
    [line] = [each for each in lines() if each["event"] == "request_finished"]
    assert (line["request"], line["code"]) == ("GET /search/", 200)
    assert line["request_id"] == answer["X-Request-ID"]
    assert "ada@" not in json.dumps(lines())


@pytest.mark.django_db
def test_strangers_choose_no_id(client):
    assert client.get("/", headers={"X-Request-ID": "mine"})["X-Request-ID"] != "mine"


@pytest.mark.django_db
def test_the_user_is_logged_by_number(lines, admin_client, admin_user):
    admin_client.get("/learning/")
    [line] = [each for each in lines() if each["event"] == "request_finished"]
    assert line["user_id"] == admin_user.pk
    assert admin_user.email not in json.dumps(lines())


@pytest.mark.django_db
def test_a_fault_is_logged_once_with_the_requests_id(lines, monkeypatch):
    listing = "lessons.pages.views.lessons_listed_for"
    monkeypatch.setattr(listing, Mock(side_effect=ZeroDivisionError))
    answer = Client(raise_request_exception=False).get("/")
    errors = [each for each in lines() if "ZeroDivisionError" in each.get("exception", "")]
    assert answer.status_code == 500
    assert len(errors) == 1
    assert errors[0]["request_id"] == answer["X-Request-ID"]


@pytest.mark.service
@pytest.mark.django_db(transaction=True)
def test_the_id_of_a_request_follows_into_the_worker(worker):
    from quizzes import tasks

    with structlog.contextvars.bound_contextvars(request_id="this-very-request"):
        tasks.grade.delay()

    def is_logged():
        lines = re.findall(r".*quizzes\.tasks\.grade.*succeeded.*", worker.log.read_text())
        return any("this-very-request" in line for line in lines)

    wait_until(is_logged, what="the line")


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path",
    [
        *("/accounts/password/reset/key/1-abc-0123/", "/accounts/confirm-email/MQ:1x:y/"),
        *("/letters/off/7~classes.due:x-y_z/", "/calendar/x-y_z.ics", "/join/ABCD0123/"),
        "/certificates/x-y_z/",
    ],
)
def test_no_address_that_lets_in_whoever_has_it_stands_in_the_log(lines, client, path):
    client.get(path)
    logged = json.dumps(lines())
    assert "…" in logged or "\\u2026" in logged
    assert not any(token in logged for token in ("0123", "MQ:", "x-y_z"))
