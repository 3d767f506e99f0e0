"""Personal data in shares: rows shared with a person and by them."""

from typing import Any

from django.contrib.auth.models import AbstractBaseUser

from foundation.personal_data import PersonalData
from sharing.services import share_models


def export_personal_data(person: AbstractBaseUser) -> dict[str, Any]:
    """Return the shares with a person and by them, for the file with their data."""
    return {
        key: [
            {"what": share.row_name, "access": share.access, "since": share.since}
            for model in share_models()
            for share in model.objects.filter(**{named: person}).order_by("pk")
        ]
        for key, named in (("shared_with_you", "user"), ("shared_by_you", "by"))
    }


# The shares stay, without a name: only administrators then manage what the person owned.
HOLDING = PersonalData(
    export_personal_data,
    kept={
        f"{model._meta.label}.{name}": "whose it was, without a name"
        for model in share_models()
        for name in ("user", "by")
    },
)
