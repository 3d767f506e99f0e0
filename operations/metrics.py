"""Metrics for Prometheus at `/metrics`, for clients with the token or an allowed address.

Counts of web processes are added up (deploy/gunicorn.conf.py names a folder for them). Numbers from
the database are read at each request.
"""

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import suppress
from ipaddress import ip_address
from typing import Any

from django.conf import settings
from django.db import DatabaseError, IntegrityError
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.http import HttpRequest
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

from operations.checks import run_checks
from quizzes.marking.vitals import count_grades_written

PATH = "/metrics"
CONTENT_TYPE = CONTENT_TYPE_LATEST
SAVE = "quizzes:save"
# The Prometheus name and description of each number that findings measure.
MEASURED_METRICS = {
    ("database", "up"): ("database_up", "Does the database answer?"),
    ("queue", "waiting"): ("submissions_waiting", "Submissions that wait to be marked."),
    ("queue", "oldest_seconds"): ("oldest_waiting_seconds", "How long the oldest has waited."),
    ("attention", "count"): (
        "submissions_needing_attention",
        "Submissions that could not be marked.",
    ),
    ("letters", "failed"): ("messages_failed", "Messages that could not be sent."),
    ("letters", "overdue"): ("messages_overdue", "Messages that should have been sent by now."),
    ("stock", "ready"): ("stock_ready", "Variants that are ready for quizzes."),
    ("stock", "wanted"): ("stock_wanted", "Variants that should be ready."),
    ("disk", "free_bytes"): ("disk_free_bytes", "What is free where files are kept."),
    ("clock", "seconds"): ("clock_off_seconds", "How far another machine's clock is off."),
    ("worker", "seconds"): ("pulse_age_seconds", "How old the last message from beat is."),
}

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
    """Return whether a client may read the metrics: by the token, or from an allowed address.

    The address counts only without a proxy, because proxies forward requests from anywhere.
    """
    token = settings.METRICS_TOKEN
    header = request.headers.get("Authorization", "")
    if token and secrets.compare_digest(header.encode(), f"Bearer {token}".encode()):
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


def metrics_as_text() -> bytes:
    """Return all metrics in Prometheus's text format."""
    counted: CollectorRegistry = REGISTRY
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        counted = CollectorRegistry()
        MultiProcessCollector(counted)
    stored = CollectorRegistry()
    stored.register(FindingsCollector())
    return generate_latest(counted) + generate_latest(stored)


class FindingsCollector:
    """A collector of the doctor's findings and the number of grades.

    A check that depends on a failed part yields nothing.
    """

    def collect(self) -> Iterator[Metric]:
        about = "Whether a check of the doctor passes."
        well = GaugeMetricFamily("softmark_well", about, labels=["check"])
        for check, found in run_checks():
            well.add_metric([check.key], found.is_ok)
            for measured, value in found.numbers.items():
                name, about = MEASURED_METRICS[check.key, measured]
                yield GaugeMetricFamily(f"softmark_{name}", about, value=value)
        yield well
        with suppress(DatabaseError):
            about = "Grades ever written."
            yield GaugeMetricFamily("softmark_grades_written", about, value=count_grades_written())


def count_errors(connection: BaseDatabaseWrapper, **_: Any) -> None:
    """Count failed statements on this connection, except for violated constraints."""

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
