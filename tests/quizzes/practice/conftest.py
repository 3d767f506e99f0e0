"""Fixtures of the tests of practice."""

import pytest
from django.core.cache import cache


@pytest.fixture
def no_counts_of_others(db):
    """No requests before the test count towards its rate limits."""
    cache.clear()
