"""The page of results as `url`, instead of the attempt's."""

import pytest


@pytest.fixture
def url(url):
    return f"{url}results/"
