"""Draws and proves variants as columns of their rows, and loads them back."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import batched
from typing import Any, cast
from uuid import UUID

import numpy as np

import attention_core
from attention_core.catalogue import problem_from_json, problem_to_json
from attention_core.errors import AuthorError, NoFitVariant
from attention_core.problems.family import Problem
from attention_core.problems.fingerprint import fingerprint
from attention_core.proving import known_mistakes, margin, prove, prove_many
from attention_core.variety import is_kept_for_exams as is_family_kept_for_exams
from quizzes.problems.catalogue import UnknownKind, family_of_kind, sizes_of_kind
from quizzes.problems.schemas import NewVariant, StoredVariant

# Half of the draws give numbers of the other half; the rest suffice to find new ones, if any are
# left.
MAX_DRAWS = 400
# How many variants are proved at once where many are drawn.
PROVING_BATCH = 24


def draw_variant(
    kind: str,
    seed: str,
    *,
    for_exams: bool = False,
    is_known: Callable[[UUID], bool] = lambda fingerprint: False,
) -> NewVariant | None:
    """Draw a proven variant of this kind, as the columns of its row; None if no new one is found.

    Args:
        for_exams: which half of all numbers it comes from.
        is_known: returns whether a variant with this fingerprint has been drawn before.
    """
    family, sizes = family_of_kind(kind), sizes_of_kind(kind)

    def is_new(fingerprint: str) -> bool:
        half = is_family_kept_for_exams(family, sizes, fingerprint)
        return half is for_exams and not is_known(stored_fingerprint(fingerprint))

    try:
        proof = prove(family, seed, sizes, wanted=is_new, most_draws=MAX_DRAWS)
    except NoFitVariant:
        return None
    return _as_columns(kind, proof.problem, for_exams=for_exams)


def draw_for_exams(kind: str, seeds: Iterable[str], *, known: set[UUID]) -> list[NewVariant]:
    """Draw one variant for each seed in half the time; fewer if no more new ones are found.

    Args:
        known: the fingerprints that have been drawn before; the new ones are added.
    """
    family, sizes = family_of_kind(kind), sizes_of_kind(kind)

    def is_new(fingerprint: str) -> bool:
        kept = stored_fingerprint(fingerprint)
        if kept in known or not is_family_kept_for_exams(family, sizes, fingerprint):
            return False
        known.add(kept)
        return True

    drawn: list[NewVariant] = []
    for some in batched(seeds, PROVING_BATCH, strict=False):
        try:
            proofs = prove_many(family, some, sizes, wanted=is_new, most_draws=MAX_DRAWS)
        except NoFitVariant:
            break
        drawn += [_as_columns(kind, proof.problem, for_exams=True) for proof in proofs]
    return drawn


def _as_columns(kind: str, problem: Problem, *, for_exams: bool) -> NewVariant:
    return cast(
        NewVariant,
        problem_to_json(problem)
        | {
            "kind": kind,
            "fingerprint": stored_fingerprint(problem.fingerprint),
            "for_exams": for_exams,
        },
    )


def draw_samples(kind: str, seeds: Iterable[str]) -> list[NewVariant]:
    """Draw variants from the half that practice may ask, one for each seed, without saving them.

    Raises:
        UnknownKind: none can be drawn.
    """
    family, sizes = family_of_kind(kind), sizes_of_kind(kind)

    def is_for_practice(fingerprint: str) -> bool:
        return not is_family_kept_for_exams(family, sizes, fingerprint)

    try:
        proofs = prove_many(family, seeds, sizes, wanted=is_for_practice)
    except AuthorError as trouble:
        raise UnknownKind(str(trouble)) from trouble
    return [_as_columns(kind, proof.problem, for_exams=False) for proof in proofs]


@dataclass(frozen=True)
class Difficulty:
    """Measures of how hard a variant is, and how well mistakes can be distinguished in it.

    Attributes:
        cells: to be typed.
        minutes: of a practised student who never errs.
        largest_given, largest_result: without their signs; of the givens, and of all steps.
        mistakes: how many can be made in it and told apart.
        margin: how many tolerances lie between the two results that are most alike.
    """

    cells: int
    minutes: float
    largest_given: float
    largest_result: float
    mistakes: int
    margin: float


def difficulty_of(variant: StoredVariant) -> Difficulty:
    """Return what makes this variant harder or easier than others of its kind."""
    problem = load_problem(variant)
    return Difficulty(
        cells=problem.cells,
        minutes=problem.minutes,
        largest_given=_largest(problem.givens.values()),
        largest_result=_largest(problem.solution.values()),
        mistakes=sum(len(known_mistakes(problem, step)) for step in problem.family.steps),
        margin=margin(problem),
    )


def _largest(arrays: Iterable[np.ndarray]) -> float:
    return max((float(np.abs(array).max()) for array in arrays if array.size), default=0.0)


def is_kept_for_exams(family: str, options: Mapping[str, Any], fingerprint: str) -> bool:
    """Return whether numbers of today's family under this key are kept for exams."""
    return is_family_kept_for_exams(attention_core.family(family), options, fingerprint)


def fingerprint_of(givens: Mapping[str, Any]) -> str:
    """Return the fingerprint shared by all variants with these numbers."""
    return fingerprint(givens)


def stored_fingerprint(fingerprint: str) -> UUID:
    """Return the half of a fingerprint that rows keep; it still differs for different numbers."""
    return UUID(fingerprint[:32])


def load_problem(variant: StoredVariant) -> Problem:
    """Return the problem of a stored variant, with today's family behind it.

    Raises:
        UnknownKind: its family is no longer there.
    """
    try:
        return problem_from_json(variant)
    except AuthorError as gone:
        raise UnknownKind(str(gone)) from gone
