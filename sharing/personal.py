"""What sharing holds of a person: what was shared with them, and what they shared."""

from typing import Any

from django.contrib.auth.models import AbstractBaseUser

from foundation.personal_data import Holding
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


# The shares stay, and name nobody then: what they owned is the administrators'.
HOLDING = Holding(
    shares_held_of,
    kept={
        f"{model._meta.label}.{name}": "whose it was, without a name"
        for model in share_models()
        for name in ("user", "by")
    },
)
