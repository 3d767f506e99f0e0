"""Links that switch letters off without a login: signed, so that nobody makes one up."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.conf import settings
from django.core import signing
from django.urls import reverse


class BadToken(ValueError):
    """It was not made here, or under a key that the site does not have any more."""


@dataclass(frozen=True)
class Unsubscribing:
    """Whoever has it may switch off these kinds for this person."""

    person: int
    kinds: tuple[str, ...]

    @property
    def address(self) -> str:
        token = _signer().sign(f"{self.person}~{','.join(self.kinds)}")
        return settings.SITE_URL + reverse("outbox:off", args=[token])

    @classmethod
    def of(cls, person: int, kinds: Iterable[str]) -> "Unsubscribing":
        return cls(person, tuple(sorted(set(kinds))))

    @classmethod
    def read(cls, token: str) -> "Unsubscribing":
        try:
            person, _, kinds = _signer().unsign(token).partition("~")
        except signing.BadSignature:
            raise BadToken from None
        return cls(int(person), tuple(kinds.split(",")))


def _signer() -> signing.Signer:
    return signing.Signer(salt="outbox.unsubscribing")  # with the keys of now
