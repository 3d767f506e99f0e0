"""Remembering what is done."""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import connection
from django.db.models import Model
from django.db.transaction import TransactionManagementError

from audit import verbs
from audit.models import Event


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
    verbs.check(verb)
    if not connection.in_atomic_block:
        raise TransactionManagementError("An event belongs into the transaction of its deed.")
    event = Event(
        actor_id=actor.pk if actor else None,
        verb=verb,
        scope=scope,
        before=dict(before or {}),
        after=dict(after or {}),
        reason=reason[: Event._meta.get_field("reason").max_length],
    )
    if target is not None:
        event.target_type, event.target_id = target._meta.label_lower, str(target.pk)
        if isinstance(target, get_user_model()):
            person = person or target
        else:
            event.target_words = str(target)[: Event._meta.get_field("target_words").max_length]
    event.person_id = person.pk if person else None
    event.save()
    return event
