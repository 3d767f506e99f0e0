"""Second factors of accounts: checking, removing and re-sealing them."""

from typing import Any

from allauth.account.authentication import get_authentication_records
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.db import transaction
from django.http import HttpRequest

from accounts.models import User
from accounts.sealing import UnreadableSecret, seal, unseal

# Recovery codes alone do not count: allauth creates them along with the first of these.
FACTORS = [Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN]
SEALED_FIELDS = {Authenticator.Type.TOTP: "secret", Authenticator.Type.RECOVERY_CODES: "seed"}


def has_second_factor(user: Any) -> bool:
    """Return whether the user logs in with an authenticator app or a passkey."""
    return is_mfa_enabled(user, FACTORS)


def is_second_factor_due(request: HttpRequest) -> bool:
    """Return whether this session still lacks the second factor that a role requires.

    A session older than the factor, or outliving it, lacks it. config/second_factor.py decides for
    whom and where this matters.
    """
    if not settings.STAFF_MFA:
        return False
    records = get_authentication_records(request, request.user)
    return not (any(r["method"] == "mfa" for r in records) and has_second_factor(request.user))


@transaction.atomic
def remove_second_factor(*, user: User) -> int:
    """Delete a user's second factors, recovery codes included. Return the number of rows."""
    removed, _ = Authenticator.objects.filter(user=user).delete()
    return removed


@transaction.atomic
def reseal_all() -> tuple[int, int]:
    """Seal all secrets under the current SECRET_KEY. Return the numbers sealed and unreadable."""
    sealed = lost = 0
    for each in Authenticator.objects.select_for_update().filter(type__in=SEALED_FIELDS):
        place = SEALED_FIELDS[Authenticator.Type(each.type)]
        try:
            each.data[place] = seal(unseal(each.data[place]))
        except UnreadableSecret:
            lost += 1
            continue
        each.save(update_fields=["data"])
        sealed += 1
    return sealed, lost
