"""Numbers to compute with and problems to mark, the same each time."""

from functools import cache

import numpy as np

from attention_core import draw, families, family
from attention_core.problems.family import Drawn, Family, Given, Problem, Step
from attention_core.proving import prove_many
from tests.each import each

FAMILIES = sorted(families())
MULTI_STEP = [key for key in FAMILIES if len(families()[key].steps) > 1]

every_family = each("key", FAMILIES)
every_family_of_steps = each("key", MULTI_STEP)


def drawn(*shape, seed=7, dtype=np.float64):
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


@cache
def _first_problems(key: str) -> list[Problem]:
    return [proof.problem for proof in prove_many(family(key), range(8), {})]


def problem_of(key: str, seed: int) -> Problem:
    """Return the draw for a seed from 0 to 7, made once for all tests: proving it is expensive."""
    return _first_problems(key)[seed]


@cache
def problems_of_every_size(key: str) -> list[Problem]:
    """Return a problem of the family at each of its sizes."""
    return [draw(key, "size", **sizes) for sizes in families()[key].combinations()]


def toy_step(key: str, compute, *mistakes, **more) -> Step:
    """Return a step over the places of a vector, without words."""
    return Step(key, key, ("places",), compute, "", lambda v: "", mistakes, **more)


def toy_problem(x, *steps, tolerance=0.001, **more) -> Problem:
    """Return a problem that gives the vector x and asks for these steps."""
    givens = (Given("x", "", ("places",)),)
    family = Family("toy", "", "", {}, lambda stream, sizes: Drawn({}), "", givens, steps, **more)
    tolerances = {step.key: tolerance if step.decimals else 0.0 for step in steps}
    return Problem(family, {}, "1", {"x": np.array(x)}, {}, tolerances)
