"""Reading what people want to be told of."""

from collections.abc import Iterable

from django.contrib.auth.models import AbstractBaseUser

from outbox.kinds import Kind, kinds
from outbox.models import Preference
from outbox.services import choices


def wanted(people: Iterable[int]) -> dict[tuple[int, str], str]:
    """How these people, by their numbers, want each kind, where they have said so."""
    rows = Preference.objects.filter(person__in=people)
    return {(person, kind): how for person, kind, how in rows.values_list("person", "kind", "how")}


def choosable() -> list[Kind]:
    """The kinds of which a person can choose how to have them."""
    return [kind for kind in kinds() if len(choices(kind.key)) > 1]


def chosen(person: AbstractBaseUser) -> dict[str, str]:
    """How a person has each of these kinds."""
    said = wanted([person.pk])
    at_once = str(Preference.How.AT_ONCE)
    return {kind.key: said.get((person.pk, kind.key), at_once) for kind in choosable()}
