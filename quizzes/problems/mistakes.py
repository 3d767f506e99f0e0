"""Known mistakes: which are possible, what results from them, and the feedback on them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from attention_core.errors import AuthorError
from attention_core.grading import verdicts
from attention_core.problems.family import Problem, fill_in
from attention_core.proving import known_mistakes, prove
from quizzes.problems.catalogue import (
    UnknownKind,
    family_of_kind,
    kind_of,
    known_family,
    sizes_of_kind,
    split_kind,
)
from quizzes.problems.drawing import draw_samples, load_problem
from quizzes.problems.schemas import StoredVariant
from quizzes.problems.wording import shown, variant_wording


@dataclass(frozen=True)
class KnownMistake:
    """A mistake that is possible at a step of a variant, with its feedback.

    The step's label is without the variant's words.
    """

    step: str
    label: str
    key: str
    feedback: str
    values: Any
    """The result of the mistake, not rounded."""


def mistakes_of(variant: StoredVariant) -> list[KnownMistake]:
    """Return the mistakes that can be made with this variant and distinguished."""
    return mistakes_of_problem(load_problem(variant))


def mistakes_of_problem(problem: Problem) -> list[KnownMistake]:
    """Return the mistakes that can be made in a problem, proven or not."""
    any_words = {name: ["…"] for name in problem.words}
    return [
        KnownMistake(
            step.key, fill_in(step.label, any_words, {}), known.key, known.feedback, wrong.tolist()
        )
        for step in problem.family.steps
        for known, wrong in known_mistakes(problem, step)
    ]


@dataclass(frozen=True)
class MistakeFeedback:
    """The step's label and the feedback of a mistake that is possible in a kind."""

    label: str
    feedback: str


@lru_cache(maxsize=1000)
def mistakes_in_kind(kind: str) -> Mapping[tuple[str, str], MistakeFeedback]:
    """Return all named mistakes in problems of a kind, by the keys of step and mistake.

    Empty if its family no longer exists.
    """
    try:
        problem = prove(family_of_kind(kind), "known", sizes_of_kind(kind)).problem
    except (AuthorError, UnknownKind):
        return {}
    any_words = {name: ["…"] for name in problem.words}
    return {
        (step.key, key): MistakeFeedback(fill_in(step.label, any_words, {}), feedback)
        for step in problem.family.steps
        for key, feedback in (
            *((known.key, known.feedback) for known in step.mistakes),
            (verdicts.OTHER_CHOICE, step.wrong_choice),
        )
    }


def mistakes_of_family(
    family: str, version: int | None = None
) -> Mapping[tuple[str, str], MistakeFeedback]:
    """Return all named mistakes of a family, by step and mistake; none if it is gone.

    Of a family that the site stores in this version, the newest one unless given.
    """
    try:
        return mistakes_in_kind(kind_of(family, {}, version))
    except UnknownKind:
        return {}


def mistake_feedback(family: str, step: str, mistake: str) -> str:
    """Return the feedback on a mistake; "" if it is no longer known."""
    member = known_family(family)
    known = [each for each in member.steps if each.key == step] if member else []
    return next(
        (each.feedback for found in known for each in found.mistakes if each.key == mistake), ""
    )


@dataclass(frozen=True)
class SampleProblem:
    """A problem that no student was given, and the result of each mistake, by step and key."""

    shown: Mapping[str, Any]
    solution: Mapping[str, Any]
    wrong: Mapping[tuple[str, str], Any]


@lru_cache(maxsize=100)
def draw_sample_problem(kind: str) -> SampleProblem | None:
    """Draw a problem of this kind, always the same; None if today's family asks something else."""
    try:
        family, sizes = split_kind(kind)
        if kind_of(family, sizes, family_of_kind(kind).version) != kind:
            return None
        (variant,) = draw_samples(kind, ["made up"])
    except UnknownKind:
        return None
    return SampleProblem(
        shown(variant_wording(variant), variant=variant),
        variant["solution"],
        {(known.step, known.key): known.values for known in mistakes_of(variant)},
    )


def likely_mistakes(kinds: Iterable[str]) -> list[str]:
    """Return the mistakes possible in variants of these kinds, those in the most kinds first."""
    found: Counter[str] = Counter()
    for kind in kinds:
        problem = prove(family_of_kind(kind), "likely", sizes_of_kind(kind)).problem
        found.update(
            {
                known.key
                for step in problem.family.steps
                for known, _ in known_mistakes(problem, step)
            }
        )
    return sorted(found, key=lambda key: (-found[key], key))
