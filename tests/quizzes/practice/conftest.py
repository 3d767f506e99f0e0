"""Fixtures for the tests of practice."""

import pytest
from django.core.cache import cache


@pytest.fixture
def no_counts_of_others(db):
    """Forget how often an address has tried something."""
    cache.clear()
