"""People who do not exist: accounts that have confirmed their addresses, and nobody's to log in."""

from collections.abc import Iterable
from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import make_password


def add_people(named: Iterable[tuple[str, str]]) -> list[Any]:
    """Add an account for each address and name."""
    model, password = get_user_model(), make_password(None)
    made = model.objects.bulk_create(
        model(email=address, name=name, password=password) for address, name in named
    )
    EmailAddress.objects.bulk_create(
        EmailAddress(user=user, email=user.email, verified=True, primary=True) for user in made
    )
    return made
