"""Statements and labels say words, numbers and sizes."""

import pytest

from attention_core.catalogue import draw_unproved
from attention_core.errors import FormulaError
from attention_core.formulas import read

COUNTED = """sizes: n = 5, 4
statement: Standardise {n} numbers.
x: tenths(n) "$x$, all {n} of them"
mu = mean(x)"""


def test_a_size_is_said_by_its_number():
    family = read(COUNTED, "counted")
    for sizes in family.combinations():
        problem = draw_unproved(family, sizes, "1", 0)
        assert problem.statement.startswith(f"Standardise {sizes['n']} numbers")
        assert problem.fill_in(family.givens[0].label) == f"$x$, all {sizes['n']} of them"


def test_a_size_that_no_sentence_says_is_no_word():
    family = read("sizes: n = 5, 4\nx: tenths(n)\nmu = mean(x)", "silent")
    assert not draw_unproved(family, {"n": 5}, "1", 0).words


def test_what_has_no_words_and_no_single_number_cannot_be_said():
    with pytest.raises(FormulaError, match=r"\{x\} isn’t a word, a size or a single number"):
        read("statement: Here is {x}.\nx: tenths(3)\nmu = mean(x)", "said")
