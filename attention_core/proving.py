"""Draw variants, and prove that they are fit to ask.

A careful student must pass, every known mistake must be caught, and right work after a mistake
must earn its marks. The proof writes out, as text, the answers of careful rounders and of students
who make one mistake, and has the marker mark them.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from attention_core import catalogue
from attention_core.catalogue import draw_unproved
from attention_core.errors import NoFitVariant
from attention_core.grading.mark import AnsweredItem, Mark, mark_many
from attention_core.grading.verdicts import MISTAKE, RIGHT
from attention_core.maths.arrays import Array
from attention_core.problems.family import Family, Mistake, Problem, Step, Values
from attention_core.problems.rounding import CAREFUL, EXACT, Way
from attention_core.problems.tolerance import MAX_TOLERANCE, NEAR_TOLERANCES, step_tolerances

MAX_DRAWS = 500

# An exact student rounds the results alone; careful ones round intermediate results as well.
_WAYS = (EXACT, *CAREFUL)


@dataclass(frozen=True)
class Proof:
    """A proven variant: the problem, and why earlier draws were rejected."""

    problem: Problem
    draws: int
    rejects: Counter[str]


def draw(key: str, seed: object, **options: int) -> Problem:
    """Return a proven problem, the same for a key, seed and options on every machine.

    Args:
        key: a family's.
        seed: anything with a stable text.
        options: sizes that the family offers.

    Raises:
        UnknownFamily, BadOptions: there is no such family or size.
        NoFitVariant: no draw passed the proof, a fault of the family.

    >>> draw("softmax_row", seed=7).solution["weights"].sum().round(9).item()
    1.0
    """
    return prove(catalogue.family(key), seed, options).problem


def prove(
    family: Family,
    seed: object,
    options: Mapping[str, object],
    *,
    wanted: Callable[[str], bool] | None = None,
    most_draws: int = MAX_DRAWS,
) -> Proof:
    """Draw until a variant passes. Return it with the number of draws; raise as `draw` does.

    Args:
        wanted: returns whether a variant with this fingerprint is of use; called before the
            proof, which is expensive.
        most_draws: the draws, of use or not, after which the search ends with NoFitVariant.

    >>> prove(catalogue.family("score_matrix"), 7, {}).draws
    1
    """
    return prove_many(family, [seed], options, wanted=wanted, most_draws=most_draws)[0]


def prove_many(
    family: Family,
    seeds: Iterable[object],
    options: Mapping[str, object],
    *,
    wanted: Callable[[str], bool] | None = None,
    most_draws: int = MAX_DRAWS,
) -> list[Proof]:
    """Return the result of `prove` for each seed, in half the time.

    >>> family = catalogue.family("score_matrix")
    >>> one, other = prove_many(family, [7, 8], {})
    >>> other.problem.fingerprint == prove(family, 8, {}).problem.fingerprint
    True
    """
    sizes = family.canonical(options)
    searches = [_Search(str(seed)) for seed in seeds]
    while open_still := [search for search in searches if search.proof is None]:
        drawn = [search.next_problem(family, sizes, wanted, most_draws) for search in open_still]
        for search, (problem, cause) in zip(open_still, examine_many(drawn), strict=True):
            search.take(problem, cause)
    return [search.proof for search in searches if search.proof]


@dataclass
class _Search:
    """The search for a fit variant of one seed, a draw at a time."""

    seed: str
    draws: int = 0
    rejects: Counter[str] = field(default_factory=Counter)
    proof: Proof | None = None

    def next_problem(
        self,
        family: Family,
        sizes: Mapping[str, int],
        wanted: Callable[[str], bool] | None,
        most_draws: int,
    ) -> Problem:
        while self.draws < most_draws:
            problem = draw_unproved(family, sizes, self.seed, self.draws)
            self.draws += 1
            if not wanted or wanted(problem.fingerprint):
                return problem
            self.rejects["not wanted"] += 1
        raise NoFitVariant(
            f"{family.key} {dict(sizes)}: no fit variant in {most_draws} draws; "
            f"rejected for {dict(self.rejects)}",
            self.rejects,
        )

    def take(self, problem: Problem, cause: str) -> None:
        if cause:
            self.rejects[cause] += 1
        else:
            self.proof = Proof(problem, self.draws, self.rejects)


def examine_many(problems: Sequence[Problem]) -> list[tuple[Problem, str]]:
    """Return each problem with its tolerances, and why it must not be asked; "" when it may.

    All problems are marked together.

    >>> family = catalogue.family("cosine")
    >>> drawn = [draw_unproved(family, family.canonical({}), seed, 0) for seed in ("7", "8")]
    >>> together = examine_many(drawn)
    >>> together[0][0].tolerance, together[0][1]
    ({'cosine': 0.002}, '')
    >>> [cause for _, cause in together] == [examine_many([each])[0][1] for each in drawn]
    True
    """
    with np.errstate(all="ignore"):  # A draw may divide 0 by 0; it is then rejected.
        problems = [
            replace(each, tolerance=step_tolerances(each.family, each.givens, each.values))
            for each in problems
        ]
        return list(zip(problems, _unfit_reasons(problems), strict=True))


def unfit_reason(problem: Problem) -> str:
    """Return why this problem must not be asked; "" when it may.

    >>> unfit_reason(draw("cosine", seed=7))
    ''
    """
    return _unfit_reasons([problem])[0]


def _unfit_reasons(problems: Sequence[Problem]) -> list[str]:
    causes = [_unfit_reason_before_marking(problem) for problem in problems]
    places = [place for place, cause in enumerate(causes) if not cause]
    for place, cause in zip(
        places, _marking_faults([problems[place] for place in places]), strict=True
    ):
        causes[place] = cause
    return causes


def _unfit_reason_before_marking(problem: Problem) -> str:
    """Return why a problem is unfit as far as that shows before marking, which is expensive."""
    family = problem.family
    if not family.fit(problem.values):
        return "outside the family’s bounds"
    if any(tolerance > MAX_TOLERANCE for tolerance in problem.tolerance.values()):
        return "rounding strays too far"
    for step in family.steps:
        if cause := _confused_computations(problem, step) or _leaves_zeros(problem, step):
            return cause
    return ""


def known_mistakes(problem: Problem, step: Step) -> list[tuple[Mistake, Array]]:
    """Return the mistakes that can be made at this step at these sizes, with their exact results.

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
    """Return these values as a student types them: text to the decimals asked for.

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
    """Return the typed cells of the right computation and of each known mistake, by key."""
    counted = problem.typed[step.key]
    runs = [("right", problem.values[step.key])]
    runs += [(known.key, wrong) for known, wrong in known_mistakes(problem, step)]
    return [(key, run[counted]) for key, run in runs]


def _confused_computations(problem: Problem, step: Step) -> str:
    """Return which two computations of a step look alike, or which is not finite; else ""."""
    apart = NEAR_TOLERANCES * problem.tolerance[step.key]
    runs = _runs(problem, step)
    for key, run in runs:
        if not np.isfinite(run).all():
            return f"{step.key}: {key} is not finite"
    for (one, a), (other, b) in combinations(runs, 2):
        if np.abs(a - b).max() <= apart:
            return f"{step.key}: {one} looks like {other}"
    return ""


def _leaves_zeros(problem: Problem, start: Step) -> str:
    """Return which mistake at this step leaves only zeros, here or in a later step; else "".

    Marking does not follow zeros, so right work that takes them up would earn nothing.
    """
    later = problem.family.steps[problem.family.steps.index(start) + 1 :]
    for known, wrong in known_mistakes(problem, start) if later else ():
        own = Values(problem.values | {start.key: wrong})
        instead = _instead_of_zeros(problem, start, wrong)
        for step in later:
            own[step.key] = step.compute(EXACT, own)
            if instead:
                followed = step.compute(EXACT, Values(own | instead))
                if (np.abs(own[step.key] - followed) > problem.tolerance[step.key]).any():
                    return f"{start.key}: {known.key} leaves only zeros"
            instead |= _instead_of_zeros(problem, step, own[step.key])
    return ""


def _instead_of_zeros(problem: Problem, step: Step, array: Array) -> dict[str, Array]:
    """Return the exact value, which marking hands on, if a step is all zeros as typed."""
    is_nothing = (np.abs(array) <= problem.tolerance[step.key]).all()
    return {step.key: problem.values[step.key]} if is_nothing and not step.choices else {}


def margin(problem: Problem) -> float:
    """Return how many tolerances lie between the two computations that are most alike.

    >>> margin(draw("cosine", seed=7)) > NEAR_TOLERANCES
    True
    """
    margins = [
        float(np.abs(a - b).max()) / problem.tolerance[step.key]
        for step in problem.family.steps
        if problem.tolerance[step.key]
        for (_, a), (_, b) in combinations(_runs(problem, step), 2)
    ]
    return min(margins, default=np.inf)


@dataclass(frozen=True, slots=True)
class _TriedAnswer:
    """A typed answer, and the verdict that the marker must reach.

    Attributes:
        place: the place of the problem among those examined.
        name: the way of computing, and the mistake if any, for the report.
        step, mistake: the step that is wrong, and the mistake made there; "" where all is right.
    """

    place: int
    name: str
    answers: dict[str, Any]
    step: str = ""
    mistake: str = ""


def _marking_faults(problems: Sequence[Problem]) -> list[str]:
    """Return for each problem how an answer to it is marked wrongly; "" if none is."""
    tried = [
        answer
        for places in _group_by_shape(problems)
        for way in _WAYS
        for answer in _tried_answers(problems, places, way)
    ]
    marks = mark_many([AnsweredItem(problems[each.place], each.answers) for each in tried])
    troubles = [""] * len(problems)
    for each, mark in zip(tried, marks, strict=True):
        troubles[each.place] = troubles[each.place] or _marking_fault(each, mark)
    return troubles


def _marking_fault(tried: _TriedAnswer, mark: Mark) -> str:
    for step in mark.steps:
        is_wrong = step.key == tried.step
        if (step.verdict, step.mistake) != ((MISTAKE, tried.mistake) if is_wrong else (RIGHT, "")):
            return f"{step.key}: {tried.name} is marked {step.verdict}"
        if is_wrong:
            break  # Steps after a mistake are follow-through, not part of this proof.
    return ""


def _group_by_shape(problems: Sequence[Problem]) -> list[list[int]]:
    """Group the places of problems whose arrays can be computed together."""
    alike: dict[object, list[int]] = defaultdict(list)
    for place, problem in enumerate(problems):
        shapes = tuple(given.shape for given in problem.givens.values())
        alike[problem.family.key, shapes].append(place)
    return list(alike.values())


def _tried_answers(
    problems: Sequence[Problem], places: Sequence[int], way: Way
) -> Iterator[_TriedAnswer]:
    """Yield the answers computed in this way, without a mistake and with each known one."""
    first = problems[places[0]]
    givens = {
        name: np.stack([problems[place].givens[name] for place in places]) for name in first.givens
    }
    right = first.family.solve(givens, way)
    typed = {step.key: _typed(step, right[step.key]) for step in first.family.steps}
    for n, place in enumerate(places):
        yield _TriedAnswer(place, way.name, {key: texts[n] for key, texts in typed.items()})
    before: list[str] = []
    for step in first.family.steps:
        for known in step.mistakes:
            makers = [n for n, place in enumerate(places) if known.when(problems[place].values)]
            if not makers:
                continue
            with np.errstate(all="ignore"):
                wrong = known.compute(way, right)
            if wrong.shape[1:] != right[step.key].shape[1:]:
                continue
            texts = _typed(step, np.broadcast_to(wrong, right[step.key].shape))
            name = f"{known.key} by {way.name}"
            for n in makers:
                answers = {key: typed[key][n] for key in before} | {step.key: texts[n]}
                yield _TriedAnswer(places[n], name, answers, step.key, known.key)
        before.append(step.key)
