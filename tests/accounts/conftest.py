"""Accounts, and rate limits that start anew with each test."""

import logging

import pytest
from allauth.account.models import EmailAddress
from django.core.cache import cache

from accounts.models import User


@pytest.fixture(autouse=True)
def _fresh_limits(settings):
    """Count tries in a local cache that is empty at the start of each test."""
    settings.CACHES = settings.CACHES | {
        "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    }
    cache.clear()


@pytest.fixture
def ann(client):
    """A user who is logged in."""
    user = User.objects.create_user("ann@example.org", name="Ann")
    client.force_login(user)
    return user


@pytest.fixture
def security_log(caplog):
    """Return a function that lists the messages of the security log."""
    caplog.set_level(logging.INFO, logger="softmark.security")
    return lambda: [r.getMessage() for r in caplog.records if r.name == "softmark.security"]


@pytest.fixture
def ada():
    user = User.objects.create_user("ada@example.org", "correct horse", name="Ada Lovelace")
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user
