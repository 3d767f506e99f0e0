"""One bell: it rings once what was written is there, not all the time, and never fails."""

from types import SimpleNamespace

import pytest
from django.core.cache import caches
from django.db import transaction

from foundation.doorbell import Doorbell


@pytest.fixture
def heard():
    caches["local"].clear()
    return []


@pytest.fixture
def bell(heard):
    return bell_of("grade", heard)


def bell_of(name, heard):
    return Doorbell(SimpleNamespace(name=name, delay=lambda: heard.append(name)))


def test_pages_that_wait_do_not_ring_all_the_time(bell, heard):
    for _ in range(20):
        bell.ring_again()
    assert heard == ["grade"]


def test_one_bell_does_not_silence_another(bell, heard):
    bell.ring_again()
    bell_of("read", heard).ring_again()
    assert heard == ["grade", "read"]


def test_whoever_has_something_new_rings_however_lately_a_page_rang(bell, heard):
    bell.ring_again()
    bell.ring()
    assert heard == ["grade", "grade"]


@pytest.mark.django_db(transaction=True)
def test_it_rings_when_what_was_written_can_be_seen(bell, heard):
    with transaction.atomic():
        bell.ring_after_commit()
        assert heard == []
    assert heard == ["grade"]


@pytest.mark.django_db(transaction=True)
def test_what_was_not_written_is_not_rung_for(bell, heard):
    with transaction.atomic():
        bell.ring_after_commit()
        transaction.set_rollback(True)
    assert heard == []


def test_a_broker_that_fails_is_written_down_and_no_error(caplog):
    def fail():
        raise OSError("nobody listens")

    Doorbell(SimpleNamespace(name="grade", delay=fail)).ring()
    assert "nobody listens" in caplog.text
