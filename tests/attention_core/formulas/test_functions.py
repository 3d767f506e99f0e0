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

NAMES = Scope({"K": (2, 3), "V": (1, 3), "k": (3,), "q": (2,), "n": (), "m": ()})


@pytest.mark.parametrize(
    ("formula", "shape", "line"),
    [
        ("stack(n, m, 2)", (3,), "it = np.array([n, m, 2])"),
        ("stack(k, k)", (2, 3), "it = np.vstack([k, k])"),
        ("stack(K, k)", (3, 3), "it = np.vstack([K, k])"),
        ("stack(k, K, V)", (4, 3), "it = np.vstack([k, K, V])"),
    ],
)
def test_a_stack_is_numpys_of_each_variant_of_a_batch(formula, shape, line):
    numbers = np.random.default_rng(seed=7)
    batch = {name: numbers.normal(size=(5, *shape)) for name, shape in NAMES.shapes.items()}
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
