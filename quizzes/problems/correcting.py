"""Variants of a problem in another version than was asked, by which answers are marked again."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, cast

import numpy as np
from django.utils.translation import gettext

import attention_core
from attention_core.errors import AuthorError
from attention_core.problems.family import Family, Problem
from attention_core.problems.tolerance import step_tolerances
from quizzes.problems.catalogue import UnknownKind
from quizzes.problems.schemas import StoredVariant


def restate_variant(variant: StoredVariant, version: int) -> StoredVariant:
    """Return a variant as another version of its problem has it: the same givens, solved by it.

    The solution and the tolerances are that version's. Options and seed may be missing, as marking
    does not read them.

    Raises:
        UnknownKind: with a sentence for the author: there is no such version, or it asks for
            something else, or has no solution with these givens.
    """
    if version == variant["version"]:
        return variant
    asked = _problem(variant, variant["version"])
    corrected = _problem(variant, version)
    # The givens were drawn to suit the version that was asked.
    with np.errstate(all="ignore"):
        if not _asks_the_same(asked, corrected):
            words = gettext(
                "Version %(number)s has different givens or steps, so it can’t mark these answers."
                " Choose another version."
            )
            raise UnknownKind(words % {"number": version})
        solution = corrected.solution
        tolerance = step_tolerances(corrected.family, corrected.givens, corrected.values)
    if not all(np.isfinite(array).all() for array in solution.values()):
        words = gettext(
            "Version %(number)s has no solution for some of the numbers that were asked. Choose"
            " another version."
        )
        raise UnknownKind(words % {"number": version})
    restated = {
        **variant,
        "version": version,
        "solution": {step: array.tolist() for step, array in solution.items()},
        "tolerance": tolerance,
    }
    return cast(StoredVariant, restated)


def correct_variant(variant: StoredVariant, version: int | None) -> StoredVariant:
    """Return a variant as a later version has it; as it was asked, if that corrects nothing.

    Numbers for which the later version has no solution stay as they were asked.
    """
    if version is not None and version > variant["version"]:
        with suppress(UnknownKind):
            return restate_variant(variant, version)
    return variant


def _problem(variant: StoredVariant, version: int) -> Problem:
    try:
        family = attention_core.family(variant["family"], version)
    except AuthorError as gone:
        raise UnknownKind(str(gone)) from gone
    givens = {name: np.array(each, dtype=np.float64) for name, each in variant["givens"].items()}
    words = {name: tuple(each) for name, each in variant["words"].items()}
    return Problem(family, {}, "", givens, words, version=version)


def _asks_the_same(one: Problem, other: Problem) -> bool:
    """Return whether students see the same givens, and type the same cells of the same steps."""
    if [*_asks_for(one.family)] != [*_asks_for(other.family)]:
        return False
    try:
        return all(np.array_equal(typed, other.typed[step]) for step, typed in one.typed.items())
    except (LookupError, ValueError):  # it reads what was not drawn, or other shapes
        return False


def _asks_for(family: Family) -> Iterator[tuple[Any, ...]]:
    yield tuple(sorted(given.key for given in family.givens))
    for step in family.steps:
        yield step.key, step.choices, step.decimals
