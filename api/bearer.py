"""Authentication by the token in a request's Authorization header.

Cookies are ignored, so no web page can make a browser send a request in its user's name.
"""

from contextlib import suppress

from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from ninja.security.http import HttpAuthBase

from accounts import security_log
from api.errors import Trouble
from api.models import Token
from api.queries import token_with
from api.services import note_use
from foundation.database import AWAY
from foundation.rate_limits import is_within

LONGEST = 200


class Bearer(HttpAuthBase):
    """`Authorization: Bearer softmark_…`. Ninja's own class would log unknown tokens."""

    openapi_scheme = "bearer"

    def __call__(self, request: HttpRequest) -> Token:
        kind, _blank, secret = request.headers.get("Authorization", "").partition(" ")
        now = timezone.now()
        sent = secret.strip() if kind.lower() == "bearer" else ""
        token = token_with(sent, now) if 0 < len(sent) <= LONGEST else None
        if token is None:
            raise _refused(request, sent)
        if not is_within(request, "use_api", key=token.secret):
            raise Trouble(
                429, _("This token has made too many requests. Wait a minute, then try again.")
            )
        with suppress(*AWAY), transaction.atomic():  # a read-only database still serves reads
            note_use(token=token, now=now)
        return token


def _refused(request: HttpRequest, sent: str) -> Trouble:
    """Return the error for a missing or invalid token.

    Only invalid tokens count towards the address's limit, and no log line contains one.
    """
    if sent:
        if not is_within(request, "miss_api"):
            return Trouble(
                429, _("Too many invalid tokens from this address. Wait a minute, then try again.")
            )
        security_log.note("API token refused", request=request)
        return Trouble(
            401,
            _(
                "This token is not valid. It may be wrong, expired or revoked, or its owner may"
                " have lost access."
            ),
        )
    return Trouble(401, _("Send a token in the header: Authorization: Bearer softmark_…"))
