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
from api.errors import ApiError
from api.models import Token
from api.queries import valid_token
from api.services import record_use
from foundation.database import DATABASE_UNAVAILABLE
from foundation.rate_limits import is_within

MAX_LENGTH = 200


class BearerToken(HttpAuthBase):
    """`Authorization: Bearer softmark_…`. Ninja's own class would log unknown tokens."""

    openapi_scheme = "bearer"

    def __call__(self, request: HttpRequest) -> Token:
        kind, _blank, secret = request.headers.get("Authorization", "").partition(" ")
        now = timezone.now()
        sent = secret.strip() if kind.lower() == "bearer" else ""
        token = valid_token(sent, now) if 0 < len(sent) <= MAX_LENGTH else None
        if token is None:
            raise _authentication_error(request, sent)
        if not is_within(request, "use_api", key=token.secret):
            raise ApiError(
                429, _("This token has made too many requests. Wait a minute, then try again.")
            )
        with (
            suppress(*DATABASE_UNAVAILABLE),
            transaction.atomic(),
        ):  # a read-only database still serves reads
            record_use(token=token, now=now)
        return token


def _authentication_error(request: HttpRequest, sent: str) -> ApiError:
    """Return the error for a missing or invalid token.

    Only invalid tokens count towards the address's limit, and no log line contains one.
    """
    if sent:
        if not is_within(request, "miss_api"):
            return ApiError(
                429, _("Too many invalid tokens from this address. Wait a minute, then try again.")
            )
        security_log.log_event("API token refused", request=request)
        return ApiError(
            401,
            _(
                "This token isn’t valid. It may be wrong, expired or revoked, or its owner may"
                " have lost access."
            ),
        )
    return ApiError(401, _("Send a token in the header: Authorization: Bearer softmark_…"))
