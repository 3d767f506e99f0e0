"""Reading what was done, newest first, by an index each."""

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
    """The events of all that is given, with their people; not those at `until` itself."""
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


def last_changed(target: Model) -> tuple[AbstractBaseUser | None, datetime] | None:
    """Return who changed a thing last, and when; None where nobody did."""
    event = events(target=target).filter(verb__endswith="changed").first()
    return event and (event.actor, event.at)


def page(
    found: QuerySet[Event], *, after: Event | None = None, size: int = 50
) -> tuple[list[Event], bool]:
    """So many of them after that one, or the first; and are there more?

    However far back it lies, a page costs what the first one does.
    """
    if after is not None:
        found = found.filter(Q(at__lt=after.at) | Q(at=after.at, pk__lt=after.pk))
        found = found.filter(at__lte=after.at)  # where the index begins
    rows = list(found[: size + 1])
    return rows[:size], len(rows) > size
