"""What the API holds of a person: the tokens they have made."""

from typing import Any

from django.contrib.auth.models import AbstractBaseUser

from api.queries import tokens_of
from api.services import revoke_token
from foundation.personal_data import Holding


def told_of(student: AbstractBaseUser) -> dict[str, Any]:
    """The tokens somebody has made, but nothing of what opens with them."""
    columns = ("name", "scope", "course__title", "made_at", "expires_at", "used_at")
    return {"tokens": list(tokens_of(student).values(*columns))}


def forget(*, student: AbstractBaseUser) -> None:
    for token in tokens_of(student):
        revoke_token(token=token)


HOLDING = Holding(told_of, forget, forgotten=frozenset({"api.Token.owner"}))
