"""Parts of other packages that config/ overrides still exist, and are called in the same way.

A package may change these at will. Here the upgrade names the part to look at, long before a worker
stops hearing messages because of it.
"""

import inspect
from importlib.metadata import version
from typing import Any

import psycopg
import pytest
from celery import bootsteps
from celery.worker import state
from celery.worker.consumer import Consumer, Tasks
from django.core.cache.backends.db import DatabaseCache
from gunicorn.http.unreader import Unreader
from gunicorn.workers.gthread import TConn, ThreadWorker
from kombu.asynchronous.timer import Timer
from kombu.transport import redis
from whitenoise.storage import CompressedManifestStaticFilesStorage

CALLED = [
    ("config/celery/heartbeat.py", bootsteps.StartStopStep, "start", "(self, parent)"),
    ("config/celery/heartbeat.py", bootsteps.StartStopStep, "stop", "(self, parent)"),
    (
        "config/celery/heartbeat.py",
        Timer,
        "call_repeatedly",
        "(self, secs, fun, args=(), kwargs=None, priority=0)",
    ),
    ("config/celery/heartbeat.py", Timer, "cancel", "(self, tref)"),
    ("config/web_worker.py", ThreadWorker, "enqueue_req", "(self, conn)"),
    ("config/web_worker.py", ThreadWorker, "finish_request", "(self, conn, fs)"),
    ("config/web_worker.py", ThreadWorker, "murder_pending", "(self)"),
    ("config/web_worker.py", ThreadWorker, "on_pending_socket_readable", "(self, conn, client)"),
    ("config/web_worker.py", ThreadWorker, "handle_request", "(self, req, conn)"),
    ("config/web_worker.py", ThreadWorker, "_keepalive_after", "(self, conn, keepalive)"),
    ("config/web_worker.py", TConn, "init", "(self)"),
    ("config/web_worker.py", Unreader, "take_buffered", "(self)"),
    ("config/web_worker.py", Unreader, "unread", "(self, data)"),
    (
        "config/static_files.py",
        CompressedManifestStaticFilesStorage,
        "post_process",
        "(self, *args, **kwargs)",
    ),
    (
        "config/static_files.py",
        CompressedManifestStaticFilesStorage,
        "create_compressor",
        "(self, **kwargs)",
    ),
]


def advice(file: str, owner: Any, name: str) -> str:
    package = owner.__module__.split(".")[0]
    return (
        f"{file} builds on {owner.__module__}.{owner.__name__}.{name}, which {package} "
        f"{version(package)} has not, or not in that way. Read what took its place before the "
        f"bound in pyproject.toml is raised."
    )


@pytest.mark.parametrize(("file", "owner", "name", "signature"), CALLED)
def test_a_method_has_its_name_and_parameters(
    file: str, owner: type, name: str, signature: str
) -> None:
    method = getattr(owner, name, None)
    assert method is not None, advice(file, owner, name)
    assert str(inspect.signature(method)) == signature, advice(file, owner, name)


def test_the_cache_and_the_connection_are_made_where_we_wrap_them() -> None:
    assert "_base_set" in vars(DatabaseCache), advice("config/cache.py", DatabaseCache, "_base_set")
    hint = advice("config/postgresql/base.py", psycopg.Connection, "wait(timeout)")
    assert "timeout" in inspect.signature(psycopg.Connection.wait).parameters, hint


def test_sentinels_are_asked_in_the_way_that_we_say() -> None:
    hint = advice("config/celery/address.py", redis.SentinelChannel, "from_transport_options")
    options = set(redis.SentinelChannel.from_transport_options)
    assert options >= {"master_name", "sentinel_kwargs"}, hint


def test_a_step_of_our_own_can_wait_for_messages_to_be_taken() -> None:
    hint = advice("config/celery/heartbeat.py", Consumer.Blueprint, "default_steps")
    assert f"{Tasks.__module__}:Tasks" in Consumer.Blueprint.default_steps, hint


def test_a_worker_says_when_it_is_told_to_end() -> None:
    flags = {"should_stop", "should_terminate"}
    assert flags <= vars(state).keys(), "config/celery/watch.py asks for these"
