"""Is this variant fit to ask? A careful student must pass, every known mistake be caught.

Nothing is taken on trust: the answers that a careful rounder, or a student making one mistake,
would type are written out as text and marked by the marker itself.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from attention_core.errors import NoFitVariant
from attention_core.grading.mark import Answered, mark_many
from attention_core.grading.tolerance import LARGEST, NEAR_WITHIN, step_tolerances
from attention_core.grading.verdicts import MISTAKE, RIGHT
from attention_core.maths.arrays import Array
from attention_core.problems.catalogue import draw_unproved
from attention_core.problems.catalogue import family as family_by_key
from attention_core.problems.family import Mistake, Problem, Step
from attention_core.problems.rounding import CAREFUL, EXACT

MOST_DRAWS = 500

# An exact student rounds what is shown; careful ones round all the way.
_WAYS = (EXACT, *CAREFUL)


@dataclass(frozen=True)
class Proof:
    """How a variant was found: the problem, and why earlier draws were thrown away."""

    problem: Problem
    draws: int
    rejects: Counter[str]


def draw(key: str, seed: object, **options: int) -> Problem:
    """A proven problem: the same for the same key, seed and options, on every machine.

    Args:
        key: a family's.
        seed: anything with a stable text.
        options: sizes that the family offers.

    Raises:
        UnknownFamily, BadOptions: there is no such family or size.
        NoFitVariant: no draw passed the proof, which is the family's fault.

    >>> draw("softmax_row", seed=7).solution["weights"].sum().round(9).item()
    1.0
    """
    return prove(key, seed, options).problem


def prove(
    key: str,
    seed: object,
    options: Mapping[str, object],
    *,
    wanted: Callable[[str], bool] | None = None,
    most_draws: int = MOST_DRAWS,
) -> Proof:
    """Draw until a variant passes, and tell how many draws that took; raises as `draw` does.

    Args:
        wanted: is a variant with this fingerprint of use? Asked before the proof, which is dear.
        most_draws: after so many, of use or not, there is no hope left.

    >>> prove("score_matrix", 7, {}).draws
    1
    """
    family = family_by_key(key)
    sizes = family.canonical(options)
    rejects: Counter[str] = Counter()
    for number in range(most_draws):
        problem = draw_unproved(family, sizes, str(seed), number)
        if wanted and not wanted(problem.fingerprint):
            rejects["not wanted"] += 1
            continue
        problem, cause = examined(problem)
        if not cause:
            return Proof(problem, number + 1, rejects)
        rejects[cause] += 1
    raise NoFitVariant(
        f"{key} {dict(sizes)}: no fit variant in {most_draws} draws; rejected for {dict(rejects)}"
    )


def examined(problem: Problem) -> tuple[Problem, str]:
    """The problem with its tolerances worked out, and why it must not be asked; "" when it may.

    >>> family = family_by_key("cosine")
    >>> problem, cause = examined(draw_unproved(family, family.canonical({}), "7", 0))
    >>> problem.tolerance, cause
    ({'cosine': 0.001}, '')
    """
    with np.errstate(all="ignore"):  # A draw may divide 0 by 0; it is then thrown away.
        tolerance = step_tolerances(problem.family, problem.givens, problem.values)
        problem = replace(problem, tolerance=tolerance)
        return problem, why_unfit(problem)


def why_unfit(problem: Problem) -> str:
    """Why this problem must not be asked; "" when it may.

    >>> why_unfit(draw("cosine", seed=7))
    ''
    """
    family = problem.family
    if not family.fit(problem.values):
        return "outside the family’s bounds"
    if any(tolerance > LARGEST for tolerance in problem.tolerance.values()):
        return "rounding strays too far"
    for step in family.steps:
        confused = _confused(problem, step)
        if confused:
            return confused
    return _wrongly_marked(problem)


def known_mistakes(problem: Problem, step: Step) -> list[tuple[Mistake, Array]]:
    """The mistakes that can be made at this step at these sizes, each with its exact result.

    >>> problem = draw("scale_row", seed=7)
    >>> [known.key for known, _ in known_mistakes(problem, problem.family.steps[0])]
    ['unscaled', 'scaled_by_dk', 'multiplied_scale', 'scaled_by_wrong_width']
    """
    runs = []
    for known in step.mistakes:
        if known.when(problem.values):
            with np.errstate(all="ignore"):
                wrong = known.compute(EXACT, problem.values)
            if wrong.shape == problem.values[step.key].shape:
                runs.append((known, wrong))
    return runs


def typed_answers(problem: Problem, values: Mapping[str, Array]) -> dict[str, Any]:
    """What a student types who has computed these values: text to the decimals asked for.

    >>> problem = draw("dot_score", seed=7)
    >>> typed_answers(problem, {"score": np.array(1.5), "scaled": np.array(0.75)})
    {'score': '1.500', 'scaled': '0.750'}
    """
    return {step.key: _typed(step, values[step.key]) for step in problem.family.steps}


def _typed(step: Step, value: Array) -> Any:
    return _as_text(value.tolist(), 0 if step.choices else step.decimals)


def _as_text(value: Any, decimals: int) -> Any:
    if isinstance(value, list):
        return [_as_text(entry, decimals) for entry in value]
    return f"{value:.{decimals}f}"


def _runs(problem: Problem, step: Step) -> list[tuple[str, Array]]:
    """The cells that count of the right computation and of every known mistake."""
    counted = problem.typed[step.key]
    runs = [("right", problem.values[step.key])]
    runs += [(known.key, wrong) for known, wrong in known_mistakes(problem, step)]
    return [(key, run[counted]) for key, run in runs]


def _confused(problem: Problem, step: Step) -> str:
    """A step at which two computations, one of them perhaps the right one, look alike."""
    apart = NEAR_WITHIN * problem.tolerance[step.key]
    runs = _runs(problem, step)
    for key, run in runs:
        if not np.isfinite(run).all():
            return f"{step.key}: {key} is not finite"
    for (one, a), (other, b) in combinations(runs, 2):
        if np.abs(a - b).max() <= apart:
            return f"{step.key}: {one} looks like {other}"
    return ""


def margin(problem: Problem) -> float:
    """How many tolerances lie between the two computations that are most alike.

    >>> margin(draw("cosine", seed=7)) > NEAR_WITHIN
    True
    """
    margins = [
        float(np.abs(a - b).max()) / problem.tolerance[step.key]
        for step in problem.family.steps
        if problem.tolerance[step.key]
        for (_, a), (_, b) in combinations(_runs(problem, step), 2)
    ]
    return min(margins, default=np.inf)


def _wrongly_marked(problem: Problem) -> str:
    """An answer that the marker does not mark as it must."""
    tried: list[tuple[str, dict[str, Any], str, str]] = []
    mistakes = [
        (step, [known for known, _ in known_mistakes(problem, step)])
        for step in problem.family.steps
    ]
    for way in _WAYS:
        right = problem.family.solve(problem.givens, way)
        typed = typed_answers(problem, right)
        tried.append((way.name, typed, "", ""))
        before: dict[str, Any] = {}
        for step, makeable in mistakes:
            for known in makeable:
                with np.errstate(all="ignore"):
                    wrong = _typed(step, known.compute(way, right))
                # What follows from a mistake is follow-through, not part of this proof.
                answers = before | {step.key: wrong}
                tried.append((f"{known.key} by {way.name}", answers, step.key, known.key))
            before[step.key] = typed[step.key]
    marks = mark_many([Answered(problem, answers) for _, answers, _, _ in tried])
    for (name, _, wrong_step, mistake), mark in zip(tried, marks, strict=True):
        for step_mark in mark.steps:
            wanted = (MISTAKE, mistake) if step_mark.key == wrong_step else (RIGHT, "")
            if (step_mark.verdict, step_mark.mistake) != wanted:
                return f"{step_mark.key}: {name} is marked {step_mark.verdict}"
            if step_mark.key == wrong_step:
                break
    return ""
