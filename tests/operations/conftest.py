"""Fixtures of all tests of operations."""

import time
from collections.abc import Callable
from datetime import timedelta
from unittest.mock import Mock

import pytest
from celery import current_app
from django.core.cache import caches
from django.db import DatabaseError, connection
from django.utils import timezone

from operations import findings, pulse
from quizzes.models import Attempt, Submission
from scripts.servers import HOST, free_port
from tests.world import make_user

TOKEN = "a-token-for-prometheus"
WITH_TOKEN = {"Authorization": f"Bearer {TOKEN}"}


def make_person():
    return make_user(f"ada-{time.monotonic_ns()}")


def make_submission(state="waiting", seconds=90):
    """Create a submission of practice that came so many seconds ago."""
    attempt = Attempt.objects.create(student=make_person(), mode="practice", skill="family:cosine")
    then = timezone.now() - timedelta(seconds=seconds)
    return Submission.objects.create(attempt=attempt, received_at=then, state=state)


@pytest.fixture(autouse=True)
def clear_findings() -> Callable[[], None]:
    """Clear, and return a function that clears, the local cache of findings."""
    caches["local"].clear()
    return caches["local"].clear


@pytest.fixture
def token(settings):
    settings.METRICS_TOKEN = TOKEN


@pytest.fixture
def database_away(monkeypatch):
    """Make the database unreachable."""
    error = DatabaseError("host=db password=hunter2")
    monkeypatch.setattr(connection, "cursor", Mock(side_effect=error))


@pytest.fixture
def no_broker(settings):
    """Point the settings at a port where no broker listens."""
    assert current_app.conf.broker_url  # Celery keeps for good what it reads first
    settings.REDIS_URL = f"redis://{HOST}:{free_port()}"


@pytest.fixture
def empty_broker(broker):
    """A broker without the messages and pulses of other tests."""
    with pulse.broker() as client:
        client.delete("softmark", "softmark:refused")
        client.delete("softmark:pulse:beat", "softmark:pulse:doctor")


@pytest.fixture
def no_worker(empty_broker, monkeypatch):
    """A broker without a worker; the doctor hardly waits for one."""
    monkeypatch.setattr(findings, "SECONDS_FOR_A_WORKER", 0.2)
