"""An error says what to type instead, where that's known."""

import pytest

from attention_core.errors import FormulaError
from attention_core.formulas import draws, read, shapes, sketch
from tests.each import each

HEAD = "sizes: T = 3, 2; d_k = 2\nQ, K: tenths(T, d_k)\nx: tenths(T)\nscores = Q @ K.T\n"


@each(
    "formula, part, column",
    [
        ("score + 1", "called score. Did you mean scores? There are: Q,", 1),
        ("x + q", "called q. Did you mean Q? There", 5),
        ("x + far", "called far. There are", 5),
        ("sofmax(x)", "no function sofmax. Did you mean softmax? There", 1),
        ("avg(x)", "no function avg. Write mean(x). There", 1),
        ("ln(abs(x))", "Write log(x).", 1),
        ("x(x + 1)", "x is no function: to multiply write x * (…)", 1),
        ("tenths(T)", "tenths is a draw: write it behind", 1),
        ("x^2", "“^” can’t be used in a formula: a power is written x ** 2.", 2),
        ("x·x", "“·” isn’t a plain character: write * between factors.", 2),
        ("x × x", "write * between factors.", 3), ("x²", "a square is written x ** 2.", 2),
        ("√x", "a root is written sqrt(x).", 1), ("x − 1", "the minus of the keyboard", 3),
        ("Kᵀ", "transposed by K.T", 2), ("|x|", "abs(x) is the absolute value", 1),
        ("2x", "no sign between 2 and x: write 2 * x.", 2),
        ("x + 0.5 x", "no sign between 0.5 and x: write 0.5 * x.", 9),
        ("2(x + 1)", "before a bracket: write * to multiply.", 1), ("(x + 1)(x", "isn’t closed", 8),
        ("(x + 1) x", "no sign before this: write *", 9), ("x x", "write x * x.", 3),
        ("mean(x", "This bracket isn’t closed: add “)”.", 5), ("Q[0", "add “]”", 2),
        ("softmax(Q @ K.T / sqrt(d_k)", "isn’t closed: add “)”", 8),
        ("mean(x))", "Nothing opens this bracket: take “)” away.", 8),
        ("mean(x]", "write “)”", 7), ("x +", "Nothing stands behind “+”", 4),
        ("x = 1", "write == and not =", 3),
    ],
)  # fmt: skip
def test_an_error_says_what_to_type_instead(formula, part, column):
    for reader in (read, sketch):
        with pytest.raises(FormulaError) as refused:
            reader(f"{HEAD}out = {formula}", "own")
        assert part in str(refused.value)
        assert refused.value.line == 5
        assert refused.value.column == column + len("out = ")


def test_the_names_of_draws_are_known_where_formulas_are():
    assert {*draws.EXAMPLES} == shapes.DRAWS
