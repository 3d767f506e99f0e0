"""What every test of operations begins with."""

import pytest
from django.core.cache import caches


@pytest.fixture(autouse=True)
def _look_anew():
    """What a process believes for a while was found by another test."""
    caches["local"].clear()
