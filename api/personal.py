"""The API's personal data: the tokens that people have created."""

from typing import Any

from django.contrib.auth.models import AbstractBaseUser

from api.queries import tokens_of
from api.services import revoke_token
from foundation.personal_data import Holding


def told_of(student: AbstractBaseUser) -> dict[str, Any]:
    """Return a person's tokens as plain data, without the secrets' hashes."""
    columns = ("name", "scope", "course__title", "made_at", "expires_at", "used_at")
    return {"tokens": list(tokens_of(student).values(*columns))}


def forget(*, student: AbstractBaseUser) -> None:
    for token in tokens_of(student):
        revoke_token(token=token)


HOLDING = Holding(told_of, forget, forgotten=frozenset({"api.Token.owner"}))
