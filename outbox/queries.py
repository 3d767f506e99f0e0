"""Queries for preferences, and for messages that have to wait."""

from collections.abc import Iterable
from datetime import timedelta

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import QuerySet
from django.utils import timezone

from outbox.kinds import Kind, get_kind, kinds
from outbox.models import Message, Preference
from outbox.services import available_preferences

SHOWN_FOR = timedelta(days=60)


class Preferences(dict[tuple[int, str], str]):
    """Stored preferences by (person's key, kind); "" is every kind that has none of its own."""

    def how(self, person: int, kind: str) -> str:
        """Return how the person receives a kind."""
        if own := self.get((person, kind)):
            return own
        if kind and get_kind(kind).starts_off:
            return str(Preference.How.OFF)
        return self.get((person, ""), str(Preference.How.AT_ONCE))


def stored_preferences(people: Iterable[int]) -> Preferences:
    """Return the stored preferences of these people."""
    rows = Preference.objects.filter(person__in=people).values_list("person", "kind", "how")
    return Preferences({(person, kind): how for person, kind, how in rows})


def delayed_messages(messages: Iterable[Message]) -> set[int]:
    """Return the keys of the messages that must not be sent yet."""
    by_kind: dict[str, list[Message]] = {}
    for message in messages:
        by_kind.setdefault(message.kind, []).append(message)
    found: set[int] = set()
    for kind in kinds():
        if kind.keys_to_delay and kind.key in by_kind:
            found.update(kind.keys_to_delay(by_kind[kind.key]))
    return found


def choosable_kinds(person: AbstractBaseUser) -> list[Kind]:
    """Return the kinds for which a person can choose when to receive them, or not at all."""
    return [
        kind
        for kind in kinds()
        if len(available_preferences(kind.key)) > 1 and (not kind.is_for or kind.is_for(person))
    ]


def people_who_asked_for(kind: str) -> QuerySet[Preference, int]:
    """Return the keys of the people who chose a kind that starts off."""
    chosen = Preference.objects.filter(kind=kind).exclude(how=Preference.How.OFF)
    return chosen.values_list("person", flat=True)


def notifications_of(person: AbstractBaseUser) -> QuerySet[Message]:
    """Return what the person may read on the site, newest first, however they want their emails.

    Letters of other senders are about logging in, and belong into the mailbox alone.
    """
    now = timezone.now()
    found = Message.objects.filter(
        to_id=person.pk,
        kind__in=[kind.key for kind in kinds() if kind.sender == "letter"],
        due__lte=now,
        due__gt=now - SHOWN_FOR,
    ).exclude(state=Message.State.DROPPED)
    delayed = delayed_messages(found.exclude(state=Message.State.SENT))
    return found.exclude(pk__in=delayed).select_related("to").order_by("-due", "-pk")
