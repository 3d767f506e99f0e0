"""The notifier: it wakes workers once rows are visible, not all the time, and never fails."""

from types import SimpleNamespace

import pytest
from django.core.cache import caches
from django.db import transaction

from foundation.notifier import Notifier


@pytest.fixture
def heard():
    caches["local"].clear()
    return []


@pytest.fixture
def notifier(heard):
    return bell_of("grade", heard)


def bell_of(name, heard):
    return Notifier(SimpleNamespace(name=name, delay=lambda: heard.append(name)))


def test_waiting_pages_do_not_notify_all_the_time(notifier, heard):
    for _ in range(20):
        notifier.wake_again()
    assert heard == ["grade"]
    notifier.wake()  # new work does, however recently a page did
    assert heard == ["grade", "grade"]


def test_one_notifier_does_not_silence_another(notifier, heard):
    notifier.wake_again()
    bell_of("read", heard).wake_again()
    assert heard == ["grade", "read"]


@pytest.mark.django_db(transaction=True)
def test_it_notifies_once_what_was_written_is_visible(notifier, heard):
    for is_undone in (True, False):
        with transaction.atomic():
            notifier.wake_after_commit()
            transaction.set_rollback(is_undone)
        assert heard == ([] if is_undone else ["grade"])


def test_a_broker_that_fails_is_written_down_and_no_error(caplog):
    def fail():
        raise OSError("nobody listens")

    Notifier(SimpleNamespace(name="grade", delay=fail)).wake()
    assert "nobody listens" in caplog.text
