"""Services that make and revoke tokens, and record their use."""

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from api.models import Token
from api.queries import classes_available_for_token, tokens_owned_by
from audit.services import record
from classes.models import Course
from foundation.tokens import draw, hash_token

# Identifies a leaked token to people and secret scanners; logs redact it.
PREFIX = "softmark_"
MAX_TOKENS = 20
MAX_DAYS = 366
# The last use is written no more often, because clients send many requests in a row.
USE_RECORDED_EVERY = timedelta(minutes=10)
VERBS = {
    "api.token.made": gettext_lazy("created an API token"),
    "api.token.revoked": gettext_lazy("revoked an API token"),
}


class TokenRefused(ValueError):
    """A refusal to make a token; its text is a sentence for the user."""


@transaction.atomic
def create_token(
    *, owner: Any, name: str, scope: str, course: Course | None, days: int
) -> tuple[Token, str]:
    """Make a token for all classes that its owner teaches, or for one of them.

    Return it with its secret, which is shown only once: only a hash is stored.

    Raises:
        TokenRefused: the owner teaches no such class, or has too many tokens.
    """
    taught = classes_available_for_token(owner)
    if not (taught.filter(pk=course.pk) if course else taught).exists():
        raise TokenRefused(_("You can only create a token for classes you teach."))
    if tokens_owned_by(owner).count() >= MAX_TOKENS:
        raise TokenRefused(_("You’ve reached the limit on tokens. Revoke one you no longer use."))
    now = timezone.now()
    secret = PREFIX + draw()
    token = Token.objects.create(
        owner=owner,
        name=name,
        secret=hash_token(secret),
        scope=scope,
        course=course,
        made_at=now,
        expires_at=now + timedelta(days=min(days, MAX_DAYS)),
    )
    after = {"scope": token.scope, "class": course and course.pk, "expires_at": token.expires_at}
    _record_event("made", token, after=after)
    return token, secret


@transaction.atomic
def revoke_token(*, token: Token) -> None:
    """Delete a token. Do nothing if it is already gone."""
    found = Token.objects.select_for_update().filter(pk=token.pk).first()
    if found is not None:
        _record_event("revoked", found, before={"used_at": found.used_at})
        found.delete()


@transaction.atomic
def revoke_all_tokens(*, owner: Any) -> None:
    """Revoke all tokens of an account."""
    for token in tokens_owned_by(owner):
        revoke_token(token=token)


def record_use(*, token: Token, now: datetime) -> None:
    """Record that a token was used, unless that was recorded a short while ago."""
    if token.used_at is None or now - token.used_at > USE_RECORDED_EVERY:
        Token.objects.filter(pk=token.pk, used_at=token.used_at).update(used_at=now)


def _record_event(deed: str, token: Token, **values: Any) -> None:
    scope = token.course.scope if token.course else ""
    record(actor=token.owner, verb=f"api.token.{deed}", target=token, scope=scope, **values)
