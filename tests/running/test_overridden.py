"""What config/ overrides in other packages is still there, and called in the same way.

A package may change these at will; here the upgrade says which one to look at, long before a
worker goes deaf of it.
"""

import inspect
from importlib.metadata import version
from typing import Any

import psycopg
import pytest
from celery import bootsteps
from celery.app.defaults import NAMESPACES
from celery.concurrency.asynpool import AsynPool
from celery.worker import state
from celery.worker.consumer import Consumer, Gossip, Heart, Mingle, Tasks
from django.core.cache.backends.db import DatabaseCache
from gunicorn.http.unreader import Unreader
from gunicorn.workers.gthread import TConn, ThreadWorker
from kombu import transport as kombu_transport
from kombu.asynchronous.timer import Timer
from kombu.transport import redis, virtual
from whitenoise.storage import CompressedManifestStaticFilesStorage

from config.celery import transport
from config.celery.consumer import SILENT
from config.celery.settings import worker_consumer

CALLED = [
    ("config/celery/transport.py", redis.QoS, "ack", "(self, delivery_tag)"),
    ("config/celery/transport.py", virtual.QoS, "ack", "(self, delivery_tag)"),
    ("config/celery/transport.py", redis.Channel, "_brpop_read", "(self, **options)"),
    ("config/celery/transport.py", redis.SentinelChannel, "_brpop_read", "(self, **options)"),
    ("config/celery/transport.py", redis.SentinelTransport, "_deliver", "(self, message, queue)"),
    ("config/celery/transport.py", virtual.Transport, "_deliver", "(self, message, queue)"),
    ("config/celery/pool.py", AsynPool, "_event_process_exit", "(self, hub, proc)"),
    ("config/celery/heartbeat.py", virtual.QoS, "can_consume", "(self)"),
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
    told = advice("config/postgresql/base.py", psycopg.Connection, "wait(timeout)")
    assert "timeout" in inspect.signature(psycopg.Connection.wait).parameters, told


@pytest.mark.parametrize(
    ("owner", "name", "kind"),
    [
        (redis.Channel, "QoS", virtual.QoS),
        (redis.SentinelChannel, "QoS", virtual.QoS),
        (redis.Transport, "Channel", virtual.Channel),
        (redis.SentinelTransport, "Channel", virtual.Channel),
    ],
)
def test_a_class_is_taken_from_its_attribute(owner: type, name: str, kind: type) -> None:
    found = getattr(owner, name, object)
    assert issubclass(found, kind), advice("config/celery/transport.py", owner, name)


@pytest.mark.parametrize(
    ("scheme", "ours"),
    [
        ("redis", transport.Transport),
        ("rediss", transport.Transport),
        ("sentinel", transport.SentinelTransport),
    ],
)
def test_addresses_of_redis_lead_to_our_transport(scheme: str, ours: type) -> None:
    found = kombu_transport.resolve_transport(scheme)
    assert found is ours, (
        f"{scheme}:// leads to {found}: kombu {version('kombu')} no longer asks "
        "TRANSPORT_ALIASES, in which config/celery/transport.py puts itself."
    )


def test_sentinels_are_asked_in_the_way_that_we_say() -> None:
    told = advice("config/celery/address.py", redis.SentinelChannel, "from_transport_options")
    options = set(redis.SentinelChannel.from_transport_options)
    assert options >= {"master_name", "sentinel_kwargs"}, told


@pytest.mark.parametrize(
    ("step", "option"),
    [(Heart, "without_heartbeat"), (Gossip, "without_gossip"), (Mingle, "without_mingle")],
)
def test_a_worker_s_talk_can_be_switched_off(step: type, option: str) -> None:
    told = advice("config/celery/consumer.py", step, option)
    assert option in SILENT
    assert option in inspect.signature(step.__init__).parameters, told


def test_a_worker_takes_its_consumer_and_the_options_from_us() -> None:
    told = advice("config/celery/consumer.py", Consumer, "__init__(worker_options)")
    assert "worker_options" in inspect.signature(Consumer.__init__).parameters, told
    assert "consumer" in NAMESPACES["worker"], (
        f"Celery {version('celery')} has no setting worker_consumer any more; "
        f"config/celery/settings.py names {worker_consumer} in it."
    )


def test_a_step_of_our_own_can_wait_for_messages_to_be_taken() -> None:
    told = advice("config/celery/heartbeat.py", Consumer.Blueprint, "default_steps")
    assert f"{Tasks.__module__}:Tasks" in Consumer.Blueprint.default_steps, told
    assert hasattr(state, "reserved_requests"), told
