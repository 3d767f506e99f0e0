"""Services that record events."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import connection
from django.db.models import Model
from django.db.transaction import TransactionManagementError
from django.utils import timezone

from audit import verbs
from audit.models import Event

_made_up: ContextVar[datetime | None] = ContextVar("made_up", default=None)


@contextmanager
def record_as_of(moment: datetime) -> Iterator[None]:
    """Date the events recorded inside the block to `moment`, for the made-up past of a demo.

    Never use it for something that somebody really did.
    """
    token = _made_up.set(moment)
    try:
        yield
    finally:
        _made_up.reset(token)


def record(
    *,
    actor: AbstractBaseUser | AnonymousUser | None,
    verb: str,
    target: Model | None,
    person: AbstractBaseUser | None = None,
    scope: str = "",
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    reason: str = "",
) -> Event:
    """Append one event in the transaction of the action, so that both are committed or neither.

    An event can never be changed, so its texts must not contain names of people: pass the
    affected one as `person`, and choose a target whose own text names nobody.

    Args:
        actor: the user who acted; None for the site itself.
        verb: a registered verb.
        target: the object that was acted on. A user as target is also the event's person.
        scope: the group of events it belongs to, for example "course:12".
        before, after: the old and the new values: JSON values, datetimes and decimals.
        reason: the reason as the actor typed it.

    Raises:
        UnknownVerb: no app has registered the verb.
        TransactionManagementError: there is no transaction.
    """
    deed = NewEvent(verb, target, person.pk if person else None, before, after, reason)
    event = _event(actor, scope, deed)
    event.save()
    return event


@dataclass(frozen=True)
class NewEvent:
    """An event for `record_all`; `person` is the primary key of the person affected."""

    verb: str
    target: Model | None
    person: int | None = None
    before: Mapping[str, Any] | None = None
    after: Mapping[str, Any] | None = None
    reason: str = ""


def record_all(*, actor: AbstractBaseUser | None, scope: str, deeds: Iterable[NewEvent]) -> None:
    """Append many events as `record` does, in a few statements.

    Raises:
        UnknownVerb, TransactionManagementError: see `record`.
    """
    events = [_event(actor, scope, deed) for deed in deeds]
    Event.objects.bulk_create(events, batch_size=500)


def _event(actor: AbstractBaseUser | AnonymousUser | None, scope: str, deed: NewEvent) -> Event:
    verbs.check_registered(deed.verb)
    if not connection.in_atomic_block:
        raise TransactionManagementError("An event belongs into the transaction of its deed.")
    event = Event(
        at=_made_up.get() or timezone.now(),
        actor_id=actor.pk if actor else None,
        verb=deed.verb,
        scope=scope,
        person_id=deed.person,
        before=dict(deed.before or {}),
        after=dict(deed.after or {}),
        reason=deed.reason[: Event._meta.get_field("reason").max_length],
    )
    target = deed.target
    if target is not None:
        event.target_type, event.target_id = target._meta.label_lower, str(target.pk)
        if isinstance(target, get_user_model()):
            event.person_id = deed.person or target.pk
        else:
            event.target_words = str(target)[: Event._meta.get_field("target_words").max_length]
    return event
