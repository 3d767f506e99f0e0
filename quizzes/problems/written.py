"""Families that the site stores as formulas: how their texts are checked, proved and read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext

from attention_core import formulas
from attention_core.errors import AuthorError, NoFitVariant, UnknownFamily
from attention_core.facts import work_out_facts
from attention_core.problems.facts import facts_from_json, facts_to_json
from attention_core.problems.family import Family
from attention_core.proving import prove_many

LANGUAGE = formulas.LANGUAGE
# A variant that takes so many draws would keep workers busy whenever numbers run short.
MAX_DRAWS_PER_VARIANT = 100


def read_stored(key: str, version: int, text: str, facts: Mapping[str, Any]) -> Family:
    """Return the family that a stored text describes, with the facts that its proof worked out.

    Nothing is tried again: what the proof found is taken as it is.

    Raises:
        UnknownFamily: today's reader cannot read it.
    """
    try:
        family = formulas.read(text, key, version=version, trials=facts["trials"])
    except AuthorError as trouble:
        raise UnknownFamily(f"{key}, version {version}, cannot be read: {trouble}") from trouble
    return replace(
        family,
        facts={
            tuple((name, at["options"][name]) for name in family.options): facts_from_json(at)
            for at in facts["sizes"]
        },
    )


def sketch(text: str, key: str, version: int) -> Family:
    """Return the family of a text that nobody has tried yet, in little time.

    Raises:
        FormulaError: a fault, with its line.
    """
    return formulas.sketch(text, key, version=version)


def try_text(text: str, key: str, version: int) -> dict[str, Any]:
    """Return which mistakes of a text can't be told apart, as JSON.

    Raises:
        FormulaError: a fault, with its line.
    """
    return formulas.try_text(text, key, version=version)


def changed_interface(earlier: Family, later: Family) -> str:
    """Return why answers to the earlier family cannot be marked by the later one; "" if they can.

    Marks, drafts and wordings name givens and steps by their keys.
    """
    givens = [[given.key for given in family.givens] for family in (earlier, later)]
    steps = [[step.key for step in family.steps] for family in (earlier, later)]
    if givens[0] == givens[1] and steps[0] == steps[1]:
        return ""
    words = gettext(
        "The earlier version has the givens %(givens)s and the steps %(steps)s. Keep their names"
        " and their order, or write a new problem."
    )
    return str(words) % {"givens": ", ".join(givens[0]), "steps": ", ".join(steps[0])}


def facts_at(family: Family, sizes: Mapping[str, int]) -> dict[str, Any]:
    """Return the facts of a family at some sizes, as JSON with these sizes.

    Raises:
        UnfitVariants: there is no variant that is fit to ask.
    """
    try:
        return {"options": dict(sizes), **facts_to_json(work_out_facts(family, sizes))}
    except NoFitVariant as trouble:
        raise _unfit(trouble, sizes) from trouble


def advise(rejects: Mapping[str, int], drawn: int) -> list[str]:
    """Return sentences for an author on the causes for which many draws were refused."""
    return formulas.advise(rejects, drawn)


class UnfitVariants(ValueError):
    """No fit variant was found at some sizes; the message gives the causes."""


def _unfit(trouble: NoFitVariant, sizes: Mapping[str, int]) -> UnfitVariants:
    draws = sum(trouble.rejects.values())
    words = gettext("In %(draws)s draws, no variant was fit to ask.") % {"draws": draws}
    if sizes:
        words = gettext("In %(draws)s draws at %(sizes)s, no variant was fit to ask.") % {
            "draws": draws,
            "sizes": ", ".join(f"{name} = {size}" for name, size in sizes.items()),
        }
    return UnfitVariants("\n".join([words, *formulas.advise(trouble.rejects, draws)]))


@dataclass(frozen=True)
class Proved:
    """The number of variants proved, the draws that it took, and the causes of those refused."""

    variants: int
    draws: int
    rejects: Mapping[str, int]


def prove_some(family: Family, seeds: Sequence[str], sizes: Mapping[str, int]) -> Proved:
    """Prove a variant for each seed.

    Raises:
        UnfitVariants: one is not found within `MAX_DRAWS_PER_VARIANT` draws.
    """
    try:
        proofs = prove_many(family, seeds, sizes, most_draws=MAX_DRAWS_PER_VARIANT)
    except NoFitVariant as trouble:
        raise _unfit(trouble, sizes) from trouble
    rejects: dict[str, int] = {}
    for proof in proofs:
        for cause, count in proof.rejects.items():
            rejects[cause] = rejects.get(cause, 0) + count
    return Proved(len(proofs), sum(proof.draws for proof in proofs), rejects)
