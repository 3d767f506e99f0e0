"""Unsubscribe links: signed, so that they need no login and cannot be forged."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.conf import settings
from django.core import signing
from django.urls import reverse


class InvalidToken(ValueError):
    """Raised for a token that was forged, or signed with a key the site no longer has."""


@dataclass(frozen=True)
class UnsubscribeLink:
    """Permission to switch off these kinds for this person, carried by a link."""

    person: int
    kinds: tuple[str, ...]

    @property
    def address(self) -> str:
        token = _signer().sign(f"{self.person}~{','.join(self.kinds)}")
        return settings.SITE_URL + reverse("outbox:off", args=[token])

    @classmethod
    def of(cls, person: int, kinds: Iterable[str]) -> "UnsubscribeLink":
        return cls(person, tuple(sorted(set(kinds))))

    @classmethod
    def read(cls, token: str) -> "UnsubscribeLink":
        try:
            person, _, kinds = _signer().unsign(token).partition("~")
        except signing.BadSignature:
            raise InvalidToken from None
        return cls(int(person), tuple(kinds.split(",")))


def _signer() -> signing.Signer:
    return signing.Signer(salt="outbox.unsubscribing")  # with the current keys
