"""The list of draws and functions beside an editor has all of them, each fit to be put in."""

import re
from itertools import groupby

from attention_core.formulas import draws, read, reference
from attention_core.formulas.functions import FUNCTIONS, NAMES
from tests.each import each

HEAD = """sizes: T = 3; d_k = 4; d = 2
Q, K, E: tenths(T, d_k)
q, k: tenths(d_k)
x, y, a, b, head_1, head_2: tenths(d)
scores, weights: tenths(T, T)
ids: integers(2, low=0, high=2)
tokens: sentence(T)
"""


def test_no_draw_and_no_function_is_missing():
    functions = [entry for entry in reference() if entry.kind.startswith("functions")]
    assert sorted(entry.name for entry in functions) == sorted(NAMES)
    assert all(entry.example == FUNCTIONS[entry.name].example for entry in functions)
    drawn = {entry.example for entry in reference() if entry.kind.startswith("draws")}
    of_code = (draws.ARRAYS, draws.LINES, draws.WORDS, draws.OTHERS)
    assert drawn == {example for among in of_code for example in among.values()}


def test_each_kind_stands_together():
    kinds = [kind for kind, _ in groupby(reference(), lambda entry: entry.kind)]
    assert len(kinds) == len({*kinds})


@each("entry", reference())
def test_an_example_can_be_put_into_a_text(entry):
    if not entry.kind.startswith("draws"):
        read(f"{HEAD}it = {entry.example}", "own")
        return
    names = "it, other" if entry.name in ("word_pair", "meanings") else "it"
    family = read(f"{HEAD}{names}: {entry.example}\nout = 2 * x + 1", "own")
    assert ("it" in {given.key for given in family.givens}) == (
        entry.kind == "draws of numbers" or entry.name == "meanings"
    )


@each("entry", reference())
def test_a_meaning_is_one_short_sentence(entry):
    assert re.fullmatch(r"[A-Z][^.!?]*(\.T?[^.!?]*)?\.", entry.meaning)
    assert len(entry.meaning) <= 85
