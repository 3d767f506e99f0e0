"""Whatever stands in the queue, a worker lives and hears the next doorbell."""

import base64
import json
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
from celery import current_app
from celery.worker import state
from django.conf import settings

from config.celery import heartbeat
from config.celery.message import LOGGED, made_anew
from tests.conftest import patient_client
from tests.processes import Process, wait_until

TASK = "quizzes.tasks.sweep"
NOTHING_FOLLOWS = dict.fromkeys(("callbacks", "errbacks", "chain", "chord"))


def body(value: Any) -> str:
    return base64.b64encode(json.dumps(value).encode()).decode()


def good() -> dict[str, Any]:
    """A doorbell as Celery sends it."""
    return {
        "body": body([[], {}, NOTHING_FOLLOWS]),
        "content-encoding": "utf-8",
        "content-type": "application/json",
        "headers": {"lang": "py", "task": TASK, "id": str(uuid4()), "timelimit": [None, None]},
        "properties": {
            "body_encoding": "base64",
            "delivery_mode": 2,
            "delivery_tag": str(uuid4()),
            "delivery_info": {"exchange": "", "routing_key": "softmark"},
        },
    }


def with_(**changes: Any) -> str:
    return json.dumps(good() | {name.replace("_", "-"): value for name, value in changes.items()})


def headers(**changes: Any) -> str:
    message = good()
    message["headers"] |= changes
    return json.dumps(message)


def properties(**changes: Any) -> str:
    message = good()
    message["properties"] |= changes
    return json.dumps(message)


def without(name: str) -> str:
    message = good()
    del message[name]
    return json.dumps(message)


ODD: dict[str, Callable[[], str | bytes]] = {
    "no JSON": lambda: b"\x80\x04}q.",
    "no object": lambda: "[1]",
    "null": lambda: "null",
    "a bomb of depth": lambda: "[" * 200_000,
    "deep headers": lambda: '{"headers":' + "[" * 50_000 + "]" * 50_000 + "}",
    "a type that kombu makes": lambda: '{"__type__": "decimal", "__value__": "x"}',
    "a date that kombu makes": lambda: '{"__type__": "datetime", "__value__": 5}',
    "twenty megabytes": lambda: with_(body="A" * 20_000_000),
    "no properties": lambda: without("properties"),
    "no headers": lambda: without("headers"),
    "headers are a list": lambda: with_(headers=[1]),
    "headers are null": lambda: with_(headers=None),
    "no body": lambda: without("body"),
    "the body is null": lambda: with_(body=None),
    "the body is an object": lambda: with_(body={"a": 1}),
    "the body holds an object": lambda: with_(body=body({"a": 1})),
    "the body holds two things": lambda: with_(body=body([[], {}])),
    "the body is deep": lambda: with_(body=base64.b64encode(b"[" * 3000).decode()),
    "arguments that nothing takes": lambda: with_(body=body([[1], {"a": 2}, NOTHING_FOLLOWS])),
    "a chain of tasks": lambda: with_(
        body=body([[], {}, NOTHING_FOLLOWS | {"chain": [{"task": TASK}]}])
    ),
    "the body is not base64": lambda: with_(body="%%%"),
    "an unknown packing of the body": lambda: properties(body_encoding="rot13"),
    "a content type of pickles": lambda: with_(content_type="application/x-python-serialize"),
    "a content type that is a list": lambda: with_(content_type=[1]),
    "a list for a task": lambda: headers(task=[1]),
    "a list for an id": lambda: headers(id=[1]),
    "no id": lambda: headers(id=None),
    "a limit of time that is a text": lambda: headers(timelimit="soon"),
    "one limit of time": lambda: headers(timelimit=[1]),
    "a date that is a number": lambda: headers(expires=12),
    "a date that is a word": lambda: headers(eta="soon"),
    "a task in a thousand years": lambda: headers(eta="3026-01-01T00:00:00+00:00"),
    "retries without end": lambda: headers(retries="x", stamps=[1], stamped_headers=5),
    "no delivery tag": lambda: properties(delivery_tag=None),
    "a list for a delivery tag": lambda: properties(delivery_tag=[1]),
    "nowhere to be put back": lambda: properties(delivery_info=None),
    "an exchange that is a list": lambda: properties(
        delivery_info={"exchange": [1], "routing_key": {}}
    ),
}


@pytest.mark.service
@pytest.mark.parametrize("odd", ODD)
def test_a_worker_hears_what_comes_after(worker: Process, odd: str) -> None:
    with patient_client(settings.REDIS_URL) as client:
        client.lpush("softmark", ODD[odd]())
        client.ping()  # the broker has handed it on, and has time for a doorbell
    task = current_app.send_task(TASK)
    done = f"{TASK}[{task.id}] succeeded"
    try:
        wait_until(lambda: done in worker.log.read_text(), what=f"a doorbell after {odd}")
    except AssertionError:
        worker.kill()  # so that the others begin with one that hears
        raise
    assert worker.alive


@pytest.mark.service
def test_nothing_odd_is_left_with_the_broker(worker: Process) -> None:
    with current_app.connection_for_write() as connection:
        client = connection.default_channel.client
        # What a killed worker held is put back after the visibility timeout, and then read.
        wait_until(lambda: not client.llen("softmark") and not client.hlen("unacked"), 60)


def test_only_a_task_its_id_its_end_and_who_rang_are_read() -> None:
    message = good()
    message["headers"] |= {"expires": "2030-01-01T00:00:00+00:00", "reply_to": "me", "retries": 9}
    rang = {"request_id": "a-request"}
    message["headers"][LOGGED] = rang | {"user_id": 7}

    made = made_anew(message, "softmark")

    read = {name: message["headers"][name] for name in ("task", "id", "expires")}
    assert made["headers"] == read | {LOGGED: rang}
    assert made["properties"]["delivery_tag"] != message["properties"]["delivery_tag"]


class TestHearing:
    """Of a worker that counts more messages as in progress than it works on."""

    @staticmethod
    def worker(*, has_room: bool) -> Any:
        qos = SimpleNamespace(can_consume=lambda: has_room)
        return SimpleNamespace(task_consumer=SimpleNamespace(channel=SimpleNamespace(qos=qos)))

    def test_one_with_room_hears(self) -> None:
        assert heartbeat.hears(self.worker(has_room=True))

    def test_one_at_work_hears(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(state, "reserved_requests", {object()})
        assert heartbeat.hears(self.worker(has_room=False))

    def test_one_without_either_is_deaf(self) -> None:
        assert not heartbeat.hears(self.worker(has_room=False))


@pytest.mark.service
def test_a_worker_that_hears_touches_its_file(worker: Process) -> None:
    file = Path(settings.DATA) / "heartbeat"
    began = time.time()
    wait_until(lambda: file.exists() and file.stat().st_mtime > began, what="a heartbeat")
