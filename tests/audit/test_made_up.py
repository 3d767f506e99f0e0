"""Generated events of the past have past times; real ones keep theirs."""

from datetime import timedelta

import pytest
from django.utils import timezone

from audit import verbs
from audit.models import Event
from audit.services import record, record_as_of

pytestmark = pytest.mark.django_db


def test_what_is_recorded_meanwhile_was_done_then_and_nothing_later(monkeypatch):
    monkeypatch.setattr(verbs, "_words", {})
    verbs.register("tests.done", "did it")
    long_ago = timezone.now() - timedelta(days=9)
    with record_as_of(long_ago):
        record(actor=None, verb="tests.done", target=None)
    record(actor=None, verb="tests.done", target=None)
    now, then = Event.objects.values_list("at", flat=True)
    assert then == long_ago
    assert now > timezone.now() - timedelta(minutes=1)
