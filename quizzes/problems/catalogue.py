"""The families and kinds of problems: titles, sizes, parts, and the time they take."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import inf
from typing import Any, NamedTuple

from django.utils.translation import gettext

import attention_core
from attention_core import catalogue
from attention_core.catalogue import OWN, Loader
from attention_core.errors import AuthorError, UnknownFamily
from attention_core.problems.family import Family
from attention_core.proving import prove
from attention_core.variety import MAX_DISTINCT, variety

# The time a prepared student takes, divided by the core's estimate for a practised one who never
# errs. It comes from simulations (`robots.py`), not yet from real students' times.
TYPICAL_PACE = 1.4
# The time for reading a concept question and its choices, and for choosing.
CONCEPT_SECONDS = 45


class Heads(NamedTuple):
    """The parts of a family that lists show."""

    title: str
    summary: str
    part: str


def heads_of(family: Family) -> Heads:
    """Return the heads of a family."""
    return Heads(family.title, family.summary, family.part)


# Returns the heads of a stored family, in this version or in the newest one, withdrawn or not; None
# if there is none.
type FindHeads = Callable[[str, int | None], Heads | None]

_find_heads: list[FindHeads] = []


def register_loader(loader: Loader, find_heads: FindHeads) -> None:
    """Register what loads the stored families, and what finds their heads.

    Lists need no family. They show those too that nobody may be asked any more.
    """
    catalogue.register_loader(loader)
    _find_heads[:] = [find_heads]


class UnknownKind(ValueError):
    """The core does not have the family or the options of a slot."""


def kind_of(family: str, options: Mapping[str, Any], version: int | None = None) -> str:
    """Return the name of the kind: family, version and all sizes, in a canonical form.

    Args:
        version: of a family that the site stores; the newest published one unless given.

    Raises:
        UnknownKind: with a sentence for the author.
    """
    if not isinstance(options, Mapping):
        raise UnknownKind(
            gettext('Sizes must look like {"tokens": 3}, with a number for each name')
        )
    try:
        member = attention_core.family(family, version)
        sizes = member.canonical(options)
    except AuthorError as wrong:
        raise UnknownKind(_why_unknown(family, wrong)) from wrong
    return f"{member.key}/{member.version}/{json.dumps(sizes, sort_keys=True)}"


def _why_unknown(key: str, trouble: AuthorError) -> str:
    """Return the core's reason, but without the keys of all shipped families."""
    if isinstance(trouble, UnknownFamily) and not key.startswith(OWN):
        return str(gettext("there’s no family “%(key)s”")) % {"key": key}
    return str(trouble)


def known_family(key: str, version: int | None = None) -> Family | None:
    """Return a family of the core or of the site; None if it no longer exists."""
    try:
        return attention_core.family(key, version)
    except UnknownFamily:
        return None


def family_of_kind(kind: str) -> Family:
    """Return the family of a kind in the kind's version, as far as it is stored by versions.

    Raises:
        UnknownKind: it no longer exists.
    """
    key, version, _options = kind.split("/", 2)
    try:
        return attention_core.family(key, int(version))
    except AuthorError as gone:
        raise UnknownKind(_why_unknown(key, gone)) from gone


def family_choices() -> list[tuple[str, str]]:
    """Return keys and titles of all families, for forms."""
    return [(key, f"{member.title} ({key})") for key, member in attention_core.families().items()]


def sizes_of(family: str, version: int | None = None) -> dict[str, tuple[int, ...]]:
    """Return the sizes a family can be asked at, by name, each with its default first.

    Empty if the family no longer exists.
    """
    member = known_family(family, version)
    return dict(member.options) if member else {}


def family_keys() -> list[str]:
    """Return the keys of all families."""
    return list(attention_core.families())


def is_family(key: str, version: int | None = None) -> bool:
    """Return whether there is a family with this key."""
    return known_family(key, version) is not None


def family_title(key: str, version: int | None = None) -> str:
    """Return a family's title; its key if the family no longer exists."""
    found = _heads(key, version)
    return found.title if found else key


def title_of_kind(kind: str) -> str:
    """Return the title that a kind's family has in the kind's version."""
    key, version, _options = kind.split("/", 2)
    return family_title(key, int(version))


def _heads(key: str, version: int | None = None) -> Heads | None:
    if key.startswith(OWN) and _find_heads:
        return _find_heads[0](key, version)
    member = known_family(key)
    return heads_of(member) if member else None


def family_part(key: str) -> str:
    """Return the part of the model that a family is about; "" if there is none or no family."""
    found = _heads(key)
    return found.part if found else ""


def formulas_of(key: str) -> list[str]:
    """Return the formulas of a family's steps as LaTeX, in order and without duplicates."""
    member = known_family(key)
    return list(dict.fromkeys(step.formula for step in member.steps)) if member else []


def family_summary(key: str, version: int | None = None) -> str:
    """Return one sentence on a family; "" if it no longer exists."""
    found = _heads(key, version)
    return found.summary if found else ""


def family_card(key: str) -> dict[str, Any] | None:
    """Return a family with all its mistakes, at whatever sizes they occur; None if there is none.

    Each of its `options` has its default first; `feedback` is for students who make the mistake.
    """
    member = known_family(key)
    if member is None:
        return None
    card = {name: getattr(member, name) for name in ("key", "version", "title", "summary")}
    mistakes = [
        {"step": step.key, "key": known.key, "feedback": known.feedback}
        for step in member.steps
        for known in step.mistakes
    ]
    return card | {"options": dict(member.options), "mistakes": mistakes}


@dataclass(frozen=True)
class Cost:
    """The work that one variant of a kind, or a concept question, takes a student.

    Attributes:
        cells: to be typed.
        minutes: of a practised student who never errs.
    """

    cells: int
    minutes: float

    @property
    def typical_minutes(self) -> float:
        """The minutes of a prepared student."""
        return self.minutes * TYPICAL_PACE


QUESTION_COST = Cost(0, CONCEPT_SECONDS / 60)


def variant_cost(family: str, options: Mapping[str, Any], version: int | None = None) -> Cost:
    """Return the work that a variant takes; raise UnknownKind."""
    return cost_of_kind(kind_of(family, options, version))


def smallest_sizes(family: str) -> dict[str, int]:
    """Return the sizes at which a variant of this family takes the least time."""
    return dict(_smallest_sizes(attention_core.family(family)))


@lru_cache(maxsize=1000)
def _smallest_sizes(member: Family) -> Mapping[str, int]:
    def minutes(sizes: Mapping[str, int]) -> float:
        return variant_cost(member.key, sizes, member.version).minutes

    return min(member.combinations(), key=minutes)


@lru_cache(maxsize=1000)
def cost_of_kind(kind: str) -> Cost:
    """Return the work that a variant of a kind takes; raise UnknownKind."""
    member, sizes = family_of_kind(kind), sizes_of_kind(kind)
    if facts := member.facts.get(tuple((name, sizes[name]) for name in member.options)):
        return Cost(facts.cells, facts.minutes)
    problem = prove(member, "cost", sizes).problem
    return Cost(problem.cells, problem.minutes)


def split_kind(kind: str) -> tuple[str, dict[str, int]]:
    """Return a kind's family and the sizes that its problems are drawn at."""
    family, _, options = kind.split("/", 2)
    sizes: dict[str, int] = json.loads(options)
    return family, sizes


def sizes_of_kind(kind: str) -> dict[str, int]:
    """Return the sizes that problems of a kind are drawn at."""
    return split_kind(kind)[1]


def mistake_keys(family: str, version: int | None = None) -> list[str]:
    """Return the keys of all known mistakes of a family; none if it no longer exists."""
    member = known_family(family, version)
    return [known.key for step in member.steps for known in step.mistakes] if member else []


# With fewer different givens, a problem in rows is for practice only.
PRACTICE_ONLY_BELOW = 200


def is_for_practice_only(kind: str) -> bool:
    """Return whether a problem in rows has too few different givens to be asked in a quiz.

    Raises:
        UnknownKind: there is no such family.
    """
    if not kind.startswith(OWN):
        return False
    return variety(family_of_kind(kind), sizes_of_kind(kind)).distinct < PRACTICE_ONLY_BELOW


def stored_cost(facts: Mapping[str, Any]) -> Cost:
    """Return the work that a problem in rows takes at its default sizes, by its stored facts."""
    at = facts["sizes"][0]
    return Cost(at["cells"], at["minutes"])


def is_stored_for_practice_only(facts: Mapping[str, Any]) -> bool:
    """Return whether a problem in rows has too few givens at its default sizes, by its facts."""
    return any(at["distinct"] < PRACTICE_ONLY_BELOW for at in facts["sizes"][:1])


# At least so many exams can be served where the numbers are not counted.
MIN_UNCOUNTED_EXAMS = MAX_DISTINCT // 2


def exam_capacity(kind: str) -> float:
    """Return how many exams can get numbers that no other has asked; inf if that is not counted.

    Raises:
        UnknownKind: there is no such family.
    """
    found = variety(family_of_kind(kind), sizes_of_kind(kind))
    return inf if found.distinct >= MAX_DISTINCT else found.distinct // 2


def family_of(kind: str) -> str:
    """Return the key of a kind's family."""
    return kind.partition("/")[0]
