"""Registry of message kinds and senders, filled by apps when they are ready."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from django.utils.functional import Promise


class UnknownKind(ValueError):
    """Raised for a kind that no app has registered."""


class Refused(Exception):
    """Raised by a sender when the server will never accept the message, so retrying is useless."""


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of message.

    Args:
        key: for example "app.thing".
        title: its name on the settings page.
        template: for letters. The subject is in <template>_subject.txt, the text in
            <template>_message.txt. Their context is the payload, `person` and `site`.
        digest: whether several messages to one person may go into one letter.
        may_be_switched_off: whether the recipient may switch it off.
        starts_off: whether only those who ask for it receive it, each morning, whatever they chose
            for all kinds.
        is_for: whether this person may choose it; None is everybody.
        sender: the key of its sender.
        current_payloads: for content that can change before sending. Given messages of this kind,
            it returns their current payloads by primary key. A message it leaves out has lost its
            reason and is dropped.
        keys_to_delay: for content that may have to wait. Given messages of this kind, it returns
            the primary keys of those that must not be sent yet. They are checked again later, and
            shown to nobody meanwhile.
    """

    key: str
    title: str | Promise
    template: str = ""
    digest: bool = False
    may_be_switched_off: bool = True
    starts_off: bool = False
    is_for: Callable[[Any], bool] | None = None
    sender: str = "letter"
    current_payloads: Callable[[Sequence[Any]], Mapping[int, Mapping[str, Any]]] | None = None
    keys_to_delay: Callable[[Sequence[Any]], Collection[int]] | None = None


@dataclass(frozen=True)
class RenderedMessage:
    """A message as it is sent, and as it is kept afterwards."""

    message: Any
    subject: str
    text: str


class Sender(Protocol):
    """Interface of a sender; the worker opens it for a batch and closes it afterwards.

    A message is sent at least once: if a worker dies between sending and recording, it is sent
    again, and the receiver should be able to recognise the duplicate by the row's key.
    """

    def open(self) -> None:
        """Connect, unless connected already. Raise an exception if the server is away."""

    def write(self, message: Any) -> RenderedMessage:
        """Return the message as it is to be sent. Raise an exception if it cannot be rendered."""

    def send(self, together: Sequence[RenderedMessage]) -> tuple[str, RenderedMessage]:
        """Send these messages to one person together. Return the address and what was sent.

        Raises:
            Refused: the server will never accept it.
            Exception: sending may succeed later.
        """

    def close(self) -> None:
        """Disconnect; never raises."""


_kinds: dict[str, Kind] = {}
_senders: dict[str, Callable[[], Sender]] = {}


def register(kind: Kind) -> None:
    """Register a kind."""
    _kinds[kind.key] = kind


def register_sender(key: str, sender: Callable[[], Sender]) -> None:
    """Register a factory of senders."""
    _senders[key] = sender


def get_kind(key: str) -> Kind:
    """Return the kind with this key.

    Raises:
        UnknownKind: no app has registered it.
    """
    try:
        return _kinds[key]
    except KeyError:
        raise UnknownKind(key) from None


def kinds() -> Iterator[Kind]:
    """Return all kinds in the order of their keys."""
    return (_kinds[key] for key in sorted(_kinds))


def get_sender_factory(kind: Kind) -> Callable[[], Sender]:
    """Return the factory of the kind's sender."""
    return _senders[kind.sender]
