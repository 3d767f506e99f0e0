"""Remembering what is done."""

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
def as_if_done_at(moment: datetime) -> Iterator[None]:
    """Let what is recorded meanwhile have been done then: for a past that is made up, as a demo's.

    Nothing that somebody really did may be recorded so.
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
    """Append one event, in the transaction of the deed itself: they last together, or neither.

    No event can be changed later, so names of people go into none of the texts: say by `person` to
    whom it was done, and choose a target whose own text names nobody.

    Args:
        actor: who did it; None: the site by itself.
        verb: one that is registered.
        target: what it was done to. A user as target is the person.
        scope: what it belongs to, as "course:12".
        before: what was, and `after` what is: values that fit into JSON, and times and decimals.
        reason: as the actor typed it.

    Raises:
        UnknownVerb: no app has registered it.
        TransactionManagementError: there is no transaction.
    """
    deed = Deed(verb, target, person.pk if person else None, before, after, reason)
    event = _event(actor, scope, deed)
    event.save()
    return event


@dataclass(frozen=True)
class Deed:
    """One of many that are done at once; `person` is the key of whom it was done to."""

    verb: str
    target: Model | None
    person: int | None = None
    before: Mapping[str, Any] | None = None
    after: Mapping[str, Any] | None = None
    reason: str = ""


def record_all(*, actor: AbstractBaseUser | None, scope: str, deeds: Iterable[Deed]) -> None:
    """As `record`, for as many as there are, in a few statements.

    Raises:
        UnknownVerb, TransactionManagementError: see `record`.
    """
    events = [_event(actor, scope, deed) for deed in deeds]
    Event.objects.bulk_create(events, batch_size=500)


def _event(actor: AbstractBaseUser | AnonymousUser | None, scope: str, deed: Deed) -> Event:
    verbs.check(deed.verb)
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
