"""The families and kinds there are: their titles, sizes, parts, and what they cost a student."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import inf
from typing import Any

from django.utils.translation import gettext

import attention_core
from attention_core.errors import AuthorError
from attention_core.problems.family import PARTS as _PARTS
from attention_core.variety import ENOUGH, variety

# What somebody who is prepared takes, times what the core reckons for somebody who is practised and
# never errs. Robots say so (`rehearsal.py`); nobody's real times went into it yet.
TYPICAL_PACE = 1.4
# To read a question and its choices, and to choose.
CONCEPT_SECONDS = 45


class UnknownKind(ValueError):
    """A slot asks for a family or for options that the core does not have."""


def kind_of(family: str, options: Mapping[str, Any]) -> str:
    """The name of everything that a variant of this family and these options shares.

    Raises:
        UnknownKind: with a sentence for the author.
    """
    if not isinstance(options, Mapping):
        raise UnknownKind(
            gettext('Options must look like {"tokens": 3}, with a size for each name')
        )
    try:
        member = attention_core.family(family)
        sizes = member.canonical(options)
    except AuthorError as wrong:
        raise UnknownKind(str(wrong)) from wrong
    return f"{member.key}/{member.version}/{json.dumps(sizes, sort_keys=True)}"


def family_choices() -> list[tuple[str, str]]:
    """Keys and titles of all families, for forms."""
    return [(key, f"{member.title} ({key})") for key, member in attention_core.families().items()]


def sizes_of(family: str) -> dict[str, tuple[int, ...]]:
    """The sizes a family can be asked at, by name, each with its default first.

    One that is no longer there has none.
    """
    member = attention_core.families().get(family)
    return dict(member.options) if member else {}


def family_keys() -> list[str]:
    """The keys of all families."""
    return list(attention_core.families())


def is_family(key: str) -> bool:
    """Is there such a family?"""
    return key in attention_core.families()


def family_title(key: str) -> str:
    """A family's title; its key when it is no longer there."""
    member = attention_core.families().get(key)
    return member.title if member else key


# The parts of the model, in the order in which it is built up.
PARTS = _PARTS


def family_part(key: str) -> str:
    """The part of the model that a family is about; "" where there is none, or no such family."""
    member = attention_core.families().get(key)
    return member.part if member else ""


def formulas_of(key: str) -> list[str]:
    """The formulas of a family's steps as LaTeX, in their order, each once."""
    member = attention_core.families().get(key)
    return list(dict.fromkeys(step.formula for step in member.steps)) if member else []


def family_summary(key: str) -> str:
    """One sentence on a family; nothing when it is no longer there."""
    member = attention_core.families().get(key)
    return member.summary if member else ""


def family_card(key: str) -> dict[str, Any] | None:
    """A family with all of its mistakes, whatever sizes they need; None: there is no such.

    Of its `options` the first is the default; of a mistake `feedback` is said to whoever makes it.
    """
    member = attention_core.families().get(key)
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
    """What one variant of a kind, or a concept question, asks of a student.

    Attributes:
        cells: to be typed.
        minutes: of a practised student who never errs.
    """

    cells: int
    minutes: float

    @property
    def typical_minutes(self) -> float:
        """Those of somebody who is prepared."""
        return self.minutes * TYPICAL_PACE


COST_OF_A_QUESTION = Cost(0, CONCEPT_SECONDS / 60)


def cost_of(family: str, options: Mapping[str, Any]) -> Cost:
    """What a variant costs; raises UnknownKind."""
    return _cost_of_kind(kind_of(family, options))


@lru_cache(maxsize=1000)
def smallest_sizes(family: str) -> dict[str, int]:
    """The sizes at which a variant of this family costs least."""
    member = attention_core.family(family)
    return min(member.combinations(), key=lambda sizes: cost_of(family, sizes).minutes)


@lru_cache(maxsize=1000)
def _cost_of_kind(kind: str) -> Cost:
    family, _, options = kind.split("/", 2)
    problem = attention_core.draw(family, "cost", **json.loads(options))
    return Cost(problem.cells, problem.minutes)


def split_kind(kind: str) -> tuple[str, dict[str, int]]:
    """Return a kind's family and the sizes that its problems are drawn at."""
    family, _, options = kind.split("/", 2)
    sizes: dict[str, int] = json.loads(options)
    return family, sizes


def sizes_of_kind(kind: str) -> dict[str, int]:
    """The sizes that problems of a kind are drawn at."""
    return split_kind(kind)[1]


def mistake_keys(family: str) -> list[str]:
    """The keys of the mistakes known at some step of a family; none when it is no longer there."""
    member = attention_core.families().get(family)
    return [known.key for step in member.steps for known in step.mistakes] if member else []


# As many exams at least, wherever nobody need count.
SERVED_AMPLY = ENOUGH // 2


def exams_served(family: str, options: Mapping[str, Any]) -> float:
    """How many exams can ask numbers that no other has asked; infinite where nobody need count."""
    found = variety(family, options)
    return inf if found.distinct >= ENOUGH else found.distinct // 2


def family_of(kind: str) -> str:
    """The key of a kind's family."""
    return kind.partition("/")[0]
