"""Posting messages, taking them back, and what people want to be told of."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import QuerySet
from django.utils import timezone

from outbox.bell import sending_bell
from outbox.kinds import kind_of
from outbox.models import Message, Preference

State = Message.State
BATCH = 500


def post(
    *,
    kind: str,
    to: AbstractBaseUser,
    payload: Mapping[str, Any],
    due: datetime | None = None,
    key: str = "",
) -> None:
    """Have a message sent, now or when it is due, once the caller's transaction has committed.

    Args:
        kind: the key of one that is registered.
        payload: what its templates need, in what fits into JSON; texts as they are to be read.
        key: what is posted again under it, sent already or not, is posted once. It is also what
            the message is withdrawn by.

    Raises:
        UnknownKind: no app has registered it.
    """
    post_all(kind=kind, notes=[Note(to=to.pk, payload=payload, due=due, key=key)])


@dataclass(frozen=True, kw_only=True)
class Note:
    """One of many messages that are posted at once: to whom, by their number, and what it tells."""

    to: int
    payload: Mapping[str, Any] = field(default_factory=dict)
    due: datetime | None = None
    key: str = ""


def post_all(*, kind: str, notes: Iterable[Note]) -> None:
    """Post a message of one kind to each of many, as `post` does, by few statements.

    Raises:
        UnknownKind: no app has registered it.
    """
    kind_of(kind)
    now = timezone.now()
    messages = [
        Message(
            kind=kind, to_id=note.to, payload=dict(note.payload), due=note.due or now, key=note.key
        )
        for note in notes
    ]
    keyed = any(message.key for message in messages)
    Message.objects.bulk_create(messages, batch_size=BATCH, ignore_conflicts=keyed)
    if any(message.due <= timezone.now() for message in messages):
        sending_bell.ring_after_commit()


def withdraw(*, key: str) -> bool:
    """Let a message not be sent whose reason is gone; was it still waiting?

    One that is on its way at this very moment may arrive nevertheless, and then counts as sent.
    """
    waiting = Message.objects.filter(key=key, state=State.WAITING)
    return bool(key) and bool(waiting.update(state=State.DROPPED))


def send_again(*, messages: QuerySet[Message]) -> int:
    """Let those of them that failed wait once more; return how many do.

    Their trouble stays told until they are sent. The caller rings the bell.
    """
    return messages.filter(state=State.FAILED).update(
        state=State.WAITING, tries=0, claimed_by="", claimed_until=None
    )


def drop(*, messages: QuerySet[Message]) -> int:
    """Give up those of them that failed or wait; return how many."""
    return messages.filter(state__in=[State.FAILED, State.WAITING]).update(state=State.DROPPED)


def choose(*, person: AbstractBaseUser, kind: str, how: str) -> None:
    """Have messages of a kind from now on as the person wants, those that wait included.

    Raises:
        UnknownKind: no app has registered it.
        ValueError: it may not be switched off, or goes into no digest.
    """
    if how not in choices(kind):
        raise ValueError(how)
    Preference.objects.update_or_create(person_id=person.pk, kind=kind, defaults={"how": how})
    # What rests until the next digest; what failed rests for another reason.
    Message.objects.filter(to_id=person.pk, kind=kind, state=State.WAITING, tries=0).update(
        claimed_until=None
    )
    sending_bell.ring_after_commit()


def choices(kind: str) -> list[str]:
    """How messages of this kind can be had; fewer than two are no choice."""
    found = kind_of(kind)
    how = Preference.How
    offered = {how.AT_ONCE: True, how.DAILY: found.digest, how.OFF: found.may_be_switched_off}
    return [str(each) for each, is_offered in offered.items() if is_offered]


def forget_person(*, student: AbstractBaseUser) -> None:
    """Delete what was sent to a person and what they wanted, in the caller's transaction."""
    Message.objects.filter(to_id=student.pk).delete()
    Preference.objects.filter(person_id=student.pk).delete()
