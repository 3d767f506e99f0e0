"""Accounts of made-up people, whose addresses are confirmed and who cannot log in."""

from collections.abc import Iterable
from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import make_password


def create_people(named: Iterable[tuple[str, str]]) -> list[Any]:
    """Create an account for each (address, name) pair."""
    model, password = get_user_model(), make_password(None)
    made = model.objects.bulk_create(
        model(email=address, name=name, password=password) for address, name in named
    )
    EmailAddress.objects.bulk_create(
        EmailAddress(user=user, email=user.email, verified=True, primary=True) for user in made
    )
    return made
