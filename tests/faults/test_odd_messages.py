"""An odd message may end a worker; another one starts then, and nothing is lost."""

import base64
import json
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.contrib.auth import get_user_model

from scripts.bootstrap import ROOT
from scripts.processes import Group, Service
from tests.conftest import patient_client, worker_of_tests
from tests.faults.one_question import make_quiz
from tests.faults.test_servers import all_are_marked, hand_in, nothing_is_lost_or_doubled
from tests.processes import Process, wait_until

pytestmark = pytest.mark.django_db(transaction=True)

TASK = "quizzes.tasks.sweep"
NOTHING_FOLLOWS = dict.fromkeys(("callbacks", "errbacks", "chain", "chord"))


def body(value: Any) -> str:
    return base64.b64encode(json.dumps(value).encode()).decode()


def good() -> dict[str, Any]:
    """Return a wake-up message as Celery sends it."""
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


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


FEW = ("null", "a date that is a number", "no delivery tag")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("names", "count"),
    [
        pytest.param(FEW, 2, id="a few, and two workers", marks=pytest.mark.service),
        pytest.param(ODD, 1, id="all", marks=pytest.mark.slow),
    ],
)
def test_what_waits_is_marked_within_half_a_minute(
    group: Group, broker: Process | None, stack: ExitStack, names: Collection[str], count: int
) -> None:
    quiz, student = make_quiz(), get_user_model().objects.create_user("student@example.org")
    workers = [stack.enter_context(supervised(group, f"odd {each}")) for each in range(count)]

    def all_is_marked() -> bool:
        for worker in workers:
            worker.look_after()
        return all_are_marked()

    with patient_client(settings.REDIS_URL) as client:
        for name in names:
            client.lpush("softmark", ODD[name]())
            hand_in(quiz, student, 1)
            wait_until(all_is_marked, 30, f"a mark after {name}")
            # A worker that is gathering marks it without having read the message.
            wait_until(lambda: all_is_marked() and not client.llen("softmark"), 60, "a reading")
        assert not client.hlen("unacked")
    nothing_is_lost_or_doubled(len(names))


@contextmanager
def supervised(group: Group, name: str) -> Iterator[Service]:
    """Run a worker that is restarted whenever it ends, as on a server."""
    worker = worker_of_tests(group, name, 2, SOFTMARK_SWEEP_SECONDS="5")
    ready = Path(settings.DATA) / f"{name}.heartbeat"
    worker.environment["SOFTMARK_HEARTBEAT"] = str(ready)
    options = {"env": worker.environment, "cwd": ROOT}
    service = Service(name, worker.command, group=group, log=worker.log, ready=ready, **options)
    try:
        yield service
    finally:
        service.stop()
        service.process.wait(60)
