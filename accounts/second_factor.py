"""The second factor of an account: given or still due, lost, and sealed anew."""

from typing import Any

from allauth.account.authentication import get_authentication_records
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.db import transaction
from django.http import HttpRequest

from accounts.models import User
from accounts.sealing import Unreadable, seal, unseal

# Recovery codes alone are none: allauth makes them along with the first of these.
FACTORS = [Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN]
SEALED = {Authenticator.Type.TOTP: "secret", Authenticator.Type.RECOVERY_CODES: "seed"}


def has_second_factor(user: Any) -> bool:
    """Is there anything besides a password that this person logs in with?"""
    return is_mfa_enabled(user, FACTORS)


def is_second_factor_due(request: HttpRequest) -> bool:
    """Return whether a role still waits for a second factor that is given in this very session.

    A session that is older than the factor, or outlives it, does not do. Whom this binds, and
    where, is decided in config/second_factor.py.
    """
    if not settings.STAFF_MFA:
        return False
    given = get_authentication_records(request, request.user)
    return not (any(r["method"] == "mfa" for r in given) and has_second_factor(request.user))


@transaction.atomic
def remove_second_factor(*, user: User) -> int:
    """Take away what somebody has lost, recovery codes too; of how many kinds or passkeys."""
    removed, _ = Authenticator.objects.filter(user=user).delete()
    return removed


@transaction.atomic
def seal_anew() -> tuple[int, int]:
    """Seal all secrets under today's SECRET_KEY: how many, and how many cannot be read any more."""
    sealed = lost = 0
    for each in Authenticator.objects.select_for_update().filter(type__in=SEALED):
        place = SEALED[Authenticator.Type(each.type)]
        try:
            each.data[place] = seal(unseal(each.data[place]))
        except Unreadable:
            lost += 1
            continue
        each.save(update_fields=["data"])
        sealed += 1
    return sealed, lost
