"""Functions of formulas: shapes, values for one variant and for a batch, and printed NumPy."""

import numpy as np
import pytest

from attention_core.errors import FormulaError
from attention_core.formulas.compute import compute
from attention_core.formulas.programs import numpy_line
from attention_core.formulas.shapes import Scope, infer
from attention_core.formulas.trees import parse
from attention_core.problems.family import Values
from attention_core.problems.rounding import EXACT

NAMES = Scope({"K": (2, 3), "V": (1, 3), "k": (3,), "q": (2,), "n": (), "m": (), "ids": (4,)})


@pytest.mark.parametrize(
    ("formula", "shape", "line"),
    [
        ("stack(n, m, 2)", (3,), "it = np.array([n, m, 2])"),
        ("stack(k, k)", (2, 3), "it = np.vstack([k, k])"),
        ("stack(K, k)", (3, 3), "it = np.vstack([K, k])"),
        ("stack(k, K, V)", (4, 3), "it = np.vstack([k, K, V])"),
        ("take(K, ids)", (4, 3), "it = np.take(K, np.int64(ids), axis=0)"),
    ],
)
def test_arrays_are_put_together_as_numpy_does_for_each_variant_of_a_batch(formula, shape, line):
    numbers = np.random.default_rng(seed=7)
    batch = {name: numbers.normal(size=(5, *shape)) for name, shape in NAMES.shapes.items()}
    batch["ids"] = numbers.integers(2, size=(5, 4)).astype(float)
    tree = parse(formula)
    together = compute(tree, NAMES)(EXACT, Values(batch))
    assert infer(tree, NAMES) == shape
    assert numpy_line("it", tree, NAMES) == line
    for place in range(5):
        one = {name: array[place] for name, array in batch.items()}
        alone = compute(tree, NAMES)(EXACT, Values(one))
        expected = eval(line.removeprefix("it = "), {"np": np} | one)  # noqa: S307
        np.testing.assert_array_equal(alone, expected)
        np.testing.assert_array_equal(together[place], expected)


@pytest.mark.parametrize("formula", ["stack(K, q)", "stack(n, k)", "stack(k)"])
def test_a_stack_takes_numbers_or_rows_of_one_width(formula):
    with pytest.raises(FormulaError, match="stack takes"):
        infer(parse(formula), NAMES)


def test_rows_that_there_are_not_are_no_numbers():
    K = np.ones((2, 3))
    ids = np.array([0, 2, -1, 0.5])
    taken = compute(parse("take(K, ids)"), NAMES)(EXACT, Values(K=K, ids=ids))
    assert np.isnan(taken).all(axis=-1).tolist() == [False, True, True, True]


@pytest.mark.parametrize("formula", ["take(K, n)", "take(k, ids)", "take(K, V)"])
def test_rows_are_taken_from_a_matrix_by_a_vector(formula):
    with pytest.raises(FormulaError, match="take needs"):
        infer(parse(formula), NAMES)
