"""Kinds of messages and their senders, registered by the apps that own them when they are ready."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from django.utils.functional import Promise


class UnknownKind(ValueError):
    """No app has registered it."""


class Refused(Exception):
    """The other side will never take it; to try again helps nobody."""


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of message.

    Args:
        key: as app.thing.
        title: what the page of settings calls it.
        template: of a letter: its subject is in <template>_subject.txt, its text in
            <template>_message.txt. Both know what the payload has, `person` and `site`.
        digest: may several to one person become one letter?
        may_be_switched_off: by the person it goes to.
        sender: which one sends it.
        tell: where what is to be said can change until it is sent: what messages of this kind
            tell now, by their key, in the place of what they were posted with. One that is left
            out has lost its reason, and is dropped.
        wait: where what is to be said may have to wait: which of these messages must not be said
            yet, by their keys. They are asked about again, and are told nobody meanwhile.
    """

    key: str
    title: str | Promise
    template: str = ""
    digest: bool = False
    may_be_switched_off: bool = True
    sender: str = "letter"
    tell: Callable[[Sequence[Any]], Mapping[int, Mapping[str, Any]]] | None = None
    wait: Callable[[Sequence[Any]], Collection[int]] | None = None


@dataclass(frozen=True)
class Written:
    """A message as it is sent, and as it can be read afterwards."""

    message: Any
    subject: str
    text: str


class Sender(Protocol):
    """Sends messages of some kinds; opened and closed by whoever sends a batch.

    A row is sent at least once: whoever dies between sending and writing so sends it again, and
    the other side should be able to see by the row's key that it has it.
    """

    def open(self) -> None:
        """Reach the other side; nothing where it is reached already. Raises where it is away."""

    def write(self, message: Any) -> Written:
        """What is to be sent. Raises where that cannot be said."""

    def send(self, together: Sequence[Written]) -> tuple[str, Written]:
        """Send to one person what goes together; to what address, and what was sent.

        Raises:
            Refused: it will never be taken.
            Exception: it may be, later.
        """

    def close(self) -> None:
        """Leave the other side; never raises."""


_kinds: dict[str, Kind] = {}
_senders: dict[str, Callable[[], Sender]] = {}


def register(kind: Kind) -> None:
    """Make known a kind."""
    _kinds[kind.key] = kind


def register_sender(key: str, sender: Callable[[], Sender]) -> None:
    """Make known how a sender is made."""
    _senders[key] = sender


def kind_of(key: str) -> Kind:
    """The kind of this key.

    Raises:
        UnknownKind: nobody has registered it.
    """
    try:
        return _kinds[key]
    except KeyError:
        raise UnknownKind(key) from None


def kinds() -> Iterator[Kind]:
    """Every kind, in the order of their keys."""
    return (_kinds[key] for key in sorted(_kinds))


def sender_of(kind: Kind) -> Callable[[], Sender]:
    """What makes the kind's sender."""
    return _senders[kind.sender]
