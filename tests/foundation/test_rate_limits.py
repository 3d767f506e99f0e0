"""Rate limits."""

import pytest
from django.core.cache import cache
from django.http import HttpRequest
from django.test import RequestFactory

from foundation.rate_limits import is_within


@pytest.fixture(autouse=True)
def rates(db, settings) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"knock": "2/m/ip", "whisper": "1/m/key"}
    cache.clear()


def knocking(method: str) -> HttpRequest:
    return getattr(RequestFactory(), method)("/")


@pytest.mark.parametrize("method", ["get", "post"])
def test_it_counts_whichever_way_it_is_asked(method: str) -> None:
    answers = [is_within(knocking(method), "knock") for _time in range(3)]
    assert answers == [True, True, False]


def test_looking_whether_it_may_be_done_does_not_count() -> None:
    assert all(is_within(knocking("get"), "knock", count=False) for _time in range(3))


def test_one_key_does_not_use_up_what_another_has() -> None:
    assert is_within(knocking("get"), "whisper", key="a")
    assert not is_within(knocking("get"), "whisper", key="a")
    assert is_within(knocking("get"), "whisper", key="b")
