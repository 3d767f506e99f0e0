"""An error says what to type instead, where that's known."""

import pytest

from attention_core.errors import FormulaError
from attention_core.formulas import draws, functions, hints, read, shapes, sketch
from tests.each import each

HEAD = "sizes: T = 3, 2; d_k = 2\nQ, K: tenths(T, d_k)\nx: tenths(T)\nscores = Q @ K.T\n"


@each(
    "formula, part, column",
    [
        ("score + 1", "called score. Did you mean scores? The names so far: Q,", 1),
        ("x + q", "called q. Did you mean Q? The names", 5),
        ("x + far", "called far. The names so far", 5),
        ("sofmax(x)", "no function sofmax. Did you mean softmax?", 1),
        ("avg(x)", "no function avg. Write mean(x).", 1),
        ("ln(abs(x))", "Write log(abs(x)).", 1),
        ("x(x + 1)", "x isn’t a function: to multiply, write x * (x + 1)", 1),
        ("1 + tenths(T)", "a given has a colon: a: tenths(…).", 5),
        ("x^2", "“^” can’t be used in a formula: write a power as x ** 2.", 2),
        ("x·x", "“·” isn’t a plain character: write dot(x, x) for vectors", 2),
        ("x × x", "write * between factors.", 3), ("x²", "write a square as x ** 2.", 2),
        ("√x", "write a root as sqrt(x).", 1), ("x − 1", "the keyboard’s minus sign", 3),
        ("Kᵀ", "transpose a matrix with K.T", 2), ("|x|", "abs(x) is the absolute value", 1),
        ("2x", "no sign between 2 and x: write 2 * x.", 2),
        ("x + 0.5 x", "no sign between 0.5 and x: write 0.5 * x.", 9),
        ("2(x + 1)", "before this bracket: write 2 * (x + 1) to", 1),
        ("(x + 1)(x", "isn’t closed", 8),
        ("(x + 1) x", "no sign before this: write *", 9), ("x x", "write x * x.", 3),
        ("mean(x", "This bracket isn’t closed: add “)”.", 5), ("Q[0", "add “]”", 2),
        ("softmax(Q @ K.T / sqrt(d_k)", "isn’t closed: add “)”", 8),
        ("mean(x))", "This bracket was never opened: remove “)”.", 8),
        ("mean(x]", "write “)”", 7), ("x +", "Something is missing after “+”", 4),
        ("x = 1", "write == instead of =", 3),
    ],
)  # fmt: skip
def test_an_error_says_what_to_type_instead(formula, part, column):
    for reader in (read, sketch):
        with pytest.raises(FormulaError) as refused:
            reader(f"{HEAD}out = {formula}", "own")
        assert part in str(refused.value)
        assert refused.value.line == 5
        assert refused.value.column == column + len("out = ")


def test_the_names_of_functions_are_known_where_hints_are():
    assert {*functions.NAMES} == hints.CALLED


def test_the_names_of_draws_are_known_where_formulas_are():
    assert {*draws.EXAMPLES} == shapes.DRAWS
