"""Random formulas and texts: whatever is typed is read or refused, and all ways of using agree."""

import math
import re
import time
from functools import partial
from random import Random

import numpy as np
import pytest

from attention_core.formulas.compute import compute
from attention_core.formulas.programs import numpy_line
from attention_core.formulas.shapes import infer
from attention_core.formulas.symbols import latex
from attention_core.formulas.trees import parse, walk
from attention_core.formulas.written import written
from attention_core.problems.code import _HELPERS
from attention_core.problems.family import Values
from attention_core.problems.rounding import CAREFUL, EXACT
from tests.attention_core.formula_language.random_formulas import (
    random_trees,
    random_values,
    read_anything,
    typed_anything,
)
from tests.slowness import slowness

TREES = 1_400
MILD = 500
SOUPS, TEXTS = 14_800, 600
LONGEST = 0.05  # seconds for a text that is refused, and for a formula
BATCH = 3


def names_of_programs() -> dict[str, object]:
    names: dict[str, object] = {"np": np, "math": math}
    for helper in _HELPERS.values():
        exec(helper, names)  # noqa: S102
    return names


def are_alike(a: np.ndarray, b: np.ndarray) -> bool:
    """Return whether two arrays agree; NumPy's own assertion takes twenty times as long."""
    with np.errstate(all="ignore"):
        near = np.abs(a - b) <= 1e-9 * (1 + np.abs(b))
        return bool((near | (a == b) | ((a != a) & (b != b))).all())


def test_what_is_printed_is_the_same_formula():
    for _, scope, tree in random_trees(1, TREES):
        assert parse(written(tree)) == tree
        check_latex(latex(tree, scope))


def check_latex(text: str) -> None:
    """Check that braces, and brackets that grow, are closed in the order they're opened."""
    opened: list[str] = []
    pairs = {"}": "{", r"\right": r"\left"}
    for mark in re.findall(r"\\left|\\right|\\[{}]|[{}]", text):
        if mark in pairs:
            assert opened.pop() == pairs[mark], text
        elif mark in pairs.values():
            opened.append(mark)
    assert not opened, text
    assert not re.search(r"\^\{[^{}]*\}\^", text), text


def test_a_batch_gets_what_each_of_its_answers_gets():
    for rng, scope, tree in random_trees(2, TREES):
        shape, function = infer(tree, scope), compute(tree, scope)
        alone = [random_values(rng, scope) for _ in range(BATCH)]
        batch = Values({name: np.stack([each[name] for each in alone]) for name in alone[0]})
        with np.errstate(all="ignore"):
            for way in (EXACT, *CAREFUL):
                together = function(way, batch)
                if np.ndim(together) == len(shape):  # a constant
                    together = np.broadcast_to(together, (BATCH, *shape))
                for values, result in zip(alone, together, strict=True):
                    one = np.asarray(function(way, values))
                    assert (one.shape, one.dtype) == (shape, np.float64), written(tree)
                    assert are_alike(result, one), written(tree)


def test_programs_compute_the_same():
    names = names_of_programs()
    for rng, scope, tree in random_trees(3, TREES):
        values = random_values(rng, scope)
        line = numpy_line("result", tree, scope)
        here = names | values | {"word": int(values["word"].argmax())}
        # 1 / −0 is −∞ there, and a formula has no −0.
        with np.errstate(all="ignore", divide="raise"):
            try:
                exec(line, here)  # noqa: S102
            except (ZeroDivisionError, FloatingPointError):
                continue
        with np.errstate(all="ignore"):
            expected = np.asarray(compute(tree, scope)(EXACT, values))
        result = np.asarray(here["result"])
        assert result.shape == expected.shape, line
        # A softmax written for readers doesn't provide for rows that are wholly masked.
        shown = ~np.isnan(result) if "-np.inf" in line else np.ones(result.shape, bool)
        assert are_alike(result[shown], expected[shown]), line


def test_careful_ways_stray_little_where_numbers_stay_small():
    for rng, scope, tree in random_trees(4, MILD, mild=True):
        function, values = compute(tree, scope), random_values(rng, scope, largest=0.5)
        exact = function(EXACT, values)
        parts = sum(1 for _ in walk(tree))
        for way in CAREFUL:
            assert np.abs(function(way, values) - exact).max() < 0.001 * parts, written(tree)


@pytest.mark.parametrize(("kind", "count"), [("soup", SOUPS), ("text", TEXTS)])
def test_anything_typed_is_read_or_refused_in_time(kind, count):
    slow: list[tuple[float, str]] = []
    for number in range(count):
        typed = typed_anything(Random(f"{kind} {number}"), kind)
        began = time.thread_time()
        refused = read_anything(typed, kind)
        taken = time.thread_time() - began
        if refused and taken > LONGEST:
            slow.append((min(taken, again(partial(read_anything, typed, kind))), typed))
    assert not slow or max(slow)[0] < 2 * LONGEST * slowness(), slow


def again(work) -> float:
    taken = []
    for _ in range(3):
        began = time.thread_time()
        work()
        taken.append(time.thread_time() - began)
    return min(taken)
