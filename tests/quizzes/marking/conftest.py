"""The page of results, instead of that of the attempt."""

import pytest


@pytest.fixture
def url(url):
    return f"{url}results/"
