"""Services that post and withdraw messages and set preferences."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Q, QuerySet
from django.utils import timezone

from outbox.kinds import get_kind
from outbox.models import Message, Preference
from outbox.notifier import sending_notifier

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
    """Queue a message to be sent once it is due and the caller's transaction has committed.

    Args:
        kind: the key of a registered kind.
        payload: the context of its templates, as JSON values with finished texts.
        key: a message with a key already in use, sent or not, is not posted again. The key is
            also what `withdraw` takes.

    Raises:
        UnknownKind: no app has registered it.
    """
    post_all(kind=kind, notes=[Note(to=to.pk, payload=payload, due=due, key=key)])


@dataclass(frozen=True, kw_only=True)
class Note:
    """A message for `post_all`; `to` is the recipient's primary key."""

    to: int
    payload: Mapping[str, Any] = field(default_factory=dict)
    due: datetime | None = None
    key: str = ""


def post_all(*, kind: str, notes: Iterable[Note]) -> None:
    """Post many messages of one kind as `post` does, in a few statements.

    Raises:
        UnknownKind: no app has registered it.
    """
    get_kind(kind)
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
        sending_notifier.wake_after_commit()


def withdraw(*, key: str) -> bool:
    """Drop a waiting message whose reason is gone. Return whether it was still waiting.

    A message that is being sent at this moment may still arrive, and then counts as sent.
    """
    waiting = Message.objects.filter(key=key, state=State.WAITING)
    return bool(key) and bool(waiting.update(state=State.DROPPED))


def send_again(*, messages: QuerySet[Message]) -> int:
    """Queue the failed ones among these messages again. Return their number.

    Their error stays recorded until they are sent. The caller wakes the worker.
    """
    return messages.filter(state=State.FAILED).update(
        state=State.WAITING, tries=0, claimed_by="", claimed_until=None
    )


def drop(*, messages: QuerySet[Message]) -> int:
    """Drop the failed and waiting ones among these messages. Return their number."""
    return messages.filter(state__in=[State.FAILED, State.WAITING]).update(state=State.DROPPED)


def set_preference(*, person: AbstractBaseUser, kind: str, how: str) -> None:
    """Set when the person receives messages of a kind, waiting ones included.

    Args:
        kind: "" for every kind that has no preference of its own.
        how: "" to take back the preference of a kind.

    Raises:
        UnknownKind: no app has registered it.
        ValueError: the kind cannot be switched off, or goes into no digest.
    """
    if how and how not in available_preferences(kind):
        raise ValueError(how)
    if how:
        Preference.objects.update_or_create(person_id=person.pk, kind=kind, defaults={"how": how})
    else:
        Preference.objects.filter(person_id=person.pk, kind=kind).delete()
    # Only messages that wait for the next digest; failed ones wait for their next try.
    waiting = Message.objects.filter(to_id=person.pk, state=State.WAITING, tries=0)
    (waiting.filter(kind=kind) if kind else waiting).update(claimed_until=None)
    sending_notifier.wake_after_commit()


def available_preferences(kind: str) -> list[str]:
    """Return the preferences that can be chosen for a kind; fewer than two leave no choice.

    For all kinds, "", every preference can: each kind takes it as far as it allows.
    """
    how = Preference.How
    if not kind:
        return [str(each) for each in how]
    found = get_kind(kind)
    offered = {how.AT_ONCE: True, how.DAILY: found.digest, how.OFF: found.may_be_switched_off}
    return [str(each) for each, is_offered in offered.items() if is_offered]


def mark_notifications_as_seen(*, person: AbstractBaseUser, until: datetime) -> None:
    """Store until when a person has seen their notifications; an earlier time changes nothing."""
    people = get_user_model().objects.filter(pk=person.pk)
    earlier = Q(notifications_seen=None) | Q(notifications_seen__lt=until)
    people.filter(earlier).update(notifications_seen=until)


def delete_personal_data(*, student: AbstractBaseUser) -> None:
    """Delete a student's messages and preferences, in the caller's transaction."""
    Message.objects.filter(to_id=student.pk).delete()
    Preference.objects.filter(person_id=student.pk).delete()
