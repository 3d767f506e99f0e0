"""Queries for events, newest first; each list has an index of its own."""

from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Model, Q, QuerySet

from audit.models import Event


def events(
    *,
    scope: str | None = None,
    verb: str | None = None,
    actor: AbstractBaseUser | None = None,
    person: AbstractBaseUser | None = None,
    target: Model | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> QuerySet[Event]:
    """Return the events that match all given filters, with their people; `until` is exclusive."""
    wanted = {
        "scope": scope,
        "verb": verb,
        "actor": actor,
        "person": person,
        "at__gte": since,
        "at__lt": until,
    }
    if target is not None:
        wanted |= {"target_type": target._meta.label_lower, "target_id": str(target.pk)}
    found = Event.objects.filter(**{name: value for name, value in wanted.items() if value})
    return found.select_related("actor", "person").order_by("-at", "-pk")


def last_change(target: Model) -> tuple[AbstractBaseUser | None, datetime] | None:
    """Return who last changed the target, and when; None where nobody did."""
    event = events(target=target).filter(verb__endswith="changed").first()
    return event and (event.actor, event.at)


def event_page(
    found: QuerySet[Event], *, after: Event | None = None, size: int = 50
) -> tuple[list[Event], bool]:
    """Return a page of events, from the newest or from behind `after`, and whether there are more.

    A page costs the same however far back it lies.
    """
    if after is not None:
        found = found.filter(Q(at__lt=after.at) | Q(at=after.at, pk__lt=after.pk))
        found = found.filter(at__lte=after.at)  # where the index begins
    rows = list(found[: size + 1])
    return rows[:size], len(rows) > size
