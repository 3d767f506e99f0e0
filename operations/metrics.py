"""Numbers for Prometheus at `/metrics`, for whoever has the token or an allowed address.

What web processes count is added up over all of them (deploy/gunicorn.conf.py names a folder for
it). What is in the database is read when somebody asks.
"""

import os
import secrets
from collections.abc import Callable, Iterator
from ipaddress import ip_address
from typing import Any

from django.conf import settings
from django.db import DatabaseError, IntegrityError
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.http import HttpRequest
from django.utils import timezone
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    REGISTRY,
    CollectorRegistry,
    Counter,
    Histogram,
    generate_latest,
)
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector

from operations import findings
from outbox import vitals as outbox_vitals
from quizzes.marking import vitals

PATH = "/metrics"
CONTENT_TYPE = CONTENT_TYPE_LATEST
SAVE = "quizzes:save"
NAMED = (findings.static_files, findings.hosts, findings.sealed, findings.mail_server)

_REQUESTS = Counter("softmark_requests", "Requests answered.", ["view", "status"])
_SECONDS = Histogram(
    "softmark_request_seconds",
    "How long answers took.",
    ["view"],
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
_SAVES = Counter("softmark_saves", "Drafts saved by a page's script.")
_DB_ERRORS = Counter("softmark_database_errors", "Statements that failed.", ["error"])


def may_read(request: HttpRequest) -> bool:
    """By a token, or by an address that asks directly: what a proxy forwards is the world's."""
    token = settings.METRICS_TOKEN
    given = request.headers.get("Authorization", "")
    if token and secrets.compare_digest(given.encode(), f"Bearer {token}".encode()):
        return True
    if "X-Forwarded-For" in request.headers:
        return False
    try:
        address = ip_address(request.META.get("REMOTE_ADDR", ""))
    except ValueError:
        return False
    return any(address in network for network in settings.METRICS_FROM)


def count_request(view: str, status: int, seconds: float) -> None:
    _REQUESTS.labels(view, status).inc()
    _SECONDS.labels(view).observe(seconds)
    if view == SAVE and status == 200:
        _SAVES.inc()


def exposed() -> bytes:
    """Everything, in Prometheus's own format."""
    counted: CollectorRegistry = REGISTRY
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        counted = CollectorRegistry()
        MultiProcessCollector(counted)
    stored = CollectorRegistry()
    stored.register(Stored())
    return generate_latest(counted) + generate_latest(stored)


class Stored:
    """What the database tells; nothing of it while that is away."""

    def collect(self) -> Iterator[Metric]:
        try:
            numbers = dict(_stored())
        except DatabaseError:
            numbers = {}
        yield GaugeMetricFamily(
            "softmark_database_up", "Does the database answer?", value=bool(numbers)
        )
        for name, (about, value) in numbers.items():
            yield GaugeMetricFamily(f"softmark_{name}", about, value=value)


def _stored() -> Iterator[tuple[str, tuple[str, float]]]:
    count, oldest = vitals.waiting()
    age = (timezone.now() - oldest).total_seconds() if oldest else 0
    yield "submissions_waiting", ("Submissions that wait to be marked.", count)
    yield "oldest_waiting_seconds", ("How long the oldest of them has waited.", age)
    needing = vitals.needing_attention()
    yield "submissions_needing_attention", ("Submissions that could not be marked.", needing)
    failed, overdue = outbox_vitals.failed(), outbox_vitals.overdue()
    yield "messages_failed", ("Letters and other messages that could not be sent.", failed)
    yield "messages_overdue", ("Those that should have been sent by now.", overdue)
    yield "grades_written", ("Grades ever written.", vitals.grades_written())
    [database] = findings.looked_at(findings.database)
    yield "database_writable", ("Does the database take writes?", database.is_well)
    for found in findings.looked_at(*NAMED):
        yield f"{found.part}_well", (f"Is the doctor content with: {found.part}?", found.is_well)
    stock = findings.stock().numbers
    yield "stock_ready", ("Variants that lie ready for exams.", stock["ready"])
    yield "stock_wanted", ("Variants that are to lie ready.", stock["wanted"])


def count_errors(connection: BaseDatabaseWrapper, **_: Any) -> None:
    """Count what fails on this connection; a row that breaks a constraint is no fault."""

    def watch(execute: Callable, *arguments: Any) -> Any:
        try:
            return execute(*arguments)
        except DatabaseError as error:
            if not isinstance(error, IntegrityError):
                _DB_ERRORS.labels(type(error).__name__).inc()
            raise

    if not any(each.__name__ == watch.__name__ for each in connection.execute_wrappers):
        connection.execute_wrappers.append(watch)


def watch_databases() -> None:
    connection_created.connect(count_errors, dispatch_uid="operations.metrics")
