"""What sharing holds of a person: what was shared with them, and what they shared."""

from typing import Any

from django.contrib.auth.models import AbstractBaseUser

from foundation.personal_data import Holding, register
from sharing.services import share_models


def shares_held_of(person: AbstractBaseUser) -> dict[str, Any]:
    """Return what is shared with somebody and what they shared, as their file has it."""
    return {
        told: [
            {"what": share.row_name, "access": share.access, "since": share.since}
            for model in share_models()
            for share in model.objects.filter(**{named: person}).order_by("pk")
        ]
        for told, named in (("shared_with_you", "user"), ("shared_by_you", "by"))
    }


def forget(*, student: AbstractBaseUser) -> None:
    """Keep the shares, which then name nobody: what they owned is the administrators'."""


def hold() -> None:
    """Make known what sharing holds of people."""
    tables = [model._meta.label for model in share_models()]
    register(
        Holding(
            handed_out=frozenset(f"{table}.{name}" for table in tables for name in ("user", "by")),
            forgotten=frozenset(),
            kept={
                f"{table}.{name}": "whose it was, without a name"
                for table in tables
                for name in ("user", "by")
            },
            tell=shares_held_of,
            forget=forget,
        )
    )
