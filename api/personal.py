"""The API's personal data: the tokens that people have created."""

from typing import Any

from django.contrib.auth.models import AbstractBaseUser

from api.queries import tokens_owned_by
from api.services import revoke_token
from foundation.personal_data import PersonalData


def export_personal_data(student: AbstractBaseUser) -> dict[str, Any]:
    """Return a person's tokens as plain data, without the secrets' hashes."""
    columns = ("name", "scope", "course__title", "made_at", "expires_at", "used_at")
    return {"tokens": list(tokens_owned_by(student).values(*columns))}


def delete_personal_data(*, student: AbstractBaseUser) -> None:
    for token in tokens_owned_by(student):
        revoke_token(token=token)


HOLDING = PersonalData(
    export_personal_data, delete_personal_data, forgotten=frozenset({"api.Token.owner"})
)
