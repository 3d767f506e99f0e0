"""Reading what people want to be told of, and what must not be said yet."""

from collections.abc import Iterable

from django.contrib.auth.models import AbstractBaseUser

from outbox.kinds import Kind, kinds
from outbox.models import Message, Preference
from outbox.services import choices


def wanted(people: Iterable[int]) -> dict[tuple[int, str], str]:
    """How these people, by their numbers, want each kind, where they have said so."""
    rows = Preference.objects.filter(person__in=people)
    return {(person, kind): how for person, kind, how in rows.values_list("person", "kind", "how")}


def too_early(messages: Iterable[Message]) -> set[int]:
    """Those of these messages that must not be said yet, by their keys."""
    by_kind: dict[str, list[Message]] = {}
    for message in messages:
        by_kind.setdefault(message.kind, []).append(message)
    found: set[int] = set()
    for kind in kinds():
        if kind.wait and kind.key in by_kind:
            found.update(kind.wait(by_kind[kind.key]))
    return found


def choosable() -> list[Kind]:
    """The kinds of which a person can choose how to have them."""
    return [kind for kind in kinds() if len(choices(kind.key)) > 1]


def chosen(person: AbstractBaseUser) -> dict[str, str]:
    """How a person has each of these kinds."""
    said = wanted([person.pk])
    at_once = str(Preference.How.AT_ONCE)
    return {kind.key: said.get((person.pk, kind.key), at_once) for kind in choosable()}
