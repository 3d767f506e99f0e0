"""The signs, draws and functions of the language, as a page beside an editor lists them."""

from functools import cache
from typing import NamedTuple

from attention_core.formulas import draws
from attention_core.formulas.functions import FUNCTIONS


class FunctionEntry(NamedTuple):
    """A draw, a sign or a function, with what stands in a text and what that gives."""

    kind: str
    name: str
    example: str
    meaning: str


_SIGNS = {
    "+": ("x + y", "Adds cell by cell. Minus, * and / work cell by cell too."),
    "@": ("Q @ K.T", "Multiplies matrices and vectors, rows by columns."),
    "**": ("x ** 2", "Raises each number to a power."),
    ".T": ("K.T", "Turns the rows of a matrix into columns."),
    "[ ]": ("Q[0, 1]", "Takes a row, a cell or a span such as 0:2, counted from 0."),
}

_NUMBERS = {
    "tenths": "Draws numbers with one decimal, from −2 to 2 unless you say otherwise.",
    "hundredths": "Draws numbers with two decimals, from −2 to 2 unless you say otherwise.",
    "integers": "Draws whole numbers, from 0 to 9 unless you say otherwise.",
    "choice": "Draws one of these numbers.",
    "lopsided": "Draws a vector with one number far from the others, which suits norms.",
    "shares": "Draws weights that sum to 1, each at least 0.05.",
    "scores": "Draws a square matrix whose diagonal isn’t negative.",
    "suited": "Draws keys, and turns them so that no word’s score with itself is negative.",
}
_WORDS = {
    "sentence": "Draws a sentence of 2 to 5 words, which label rows and columns.",
    "choice": "Draws one word of a sentence; Q[word] is then that word’s row.",
    "word_pair": "Draws two words of a sentence, for two names.",
    "meanings": "Draws two words with vectors that suit them, of up to 4 dimensions.",
}

# By kind, in the order in which they're listed.
_FUNCTIONS = {
    "functions of each number": {
        "sqrt": "Takes the square root of each number.",
        "exp": "Raises e to the power of each number.",
        "log": "Takes the natural logarithm of each number.",
        "abs": "Drops the sign of each number.",
        "sign": "Gives −1 for a negative number, 0 for zero and 1 for a positive number.",
        "sin": "Takes the sine of each number, in radians.",
        "cos": "Takes the cosine of each number, in radians.",
        "relu": "Makes negative numbers 0.",
        "gelu": "Computes the GELU of each number, with the exact normal distribution.",
        "silu": "Multiplies each number by its sigmoid.",
        "where": "Takes the second where the first is true, and the third elsewhere.",
        "mask": "Puts −∞ where the second isn’t true.",
    },
    "functions of rows": {
        "softmax": "Turns a vector, or each row, into weights that sum to 1.",
        "layer_norm": "Subtracts the mean of a vector or row; divides by the standard deviation.",
        "rms_norm": "Divides a vector, or each row, by its root mean square.",
        "rope": "Turns pairs of columns by an angle that grows with the row.",
    },
    "functions of many numbers": {
        "sum": "Adds up all cells, or goes along an axis if you name one.",
        "mean": "Averages all cells, or goes along an axis if you name one.",
        "var": "Averages the squared deviations from the mean.",
        "max": "Takes the largest number.",
        "min": "Takes the smallest number.",
        "argmax": "Gives the place of the largest number, counted from 0.",
    },
    "functions of vectors": {
        "dot": "Multiplies two vectors cell by cell and adds up.",
        "norm": "Gives the length of a vector.",
        "outer": "Multiplies every number of one vector by every number of another.",
    },
    "functions that arrange": {
        "concat": "Puts arrays side by side.",
        "stack": "Puts rows below each other, or numbers into a vector.",
        "split": "Cuts the columns into equal parts and takes one, counted from 0.",
        "take": "Takes the rows with these numbers, counted from 0.",
        "onehot": "Gives a vector of 0s with a 1 at this place.",
        "tril": "Gives 1 on and below the diagonal and 0 above, or a matrix’s lower triangle.",
    },
}


@cache
def reference() -> tuple[FunctionEntry, ...]:
    """Return every sign, draw and function of the language, grouped by kind.

    >>> entry = next(each for each in reference() if each.name == "norm")
    >>> entry.example, entry.meaning
    ('norm(a)', 'Gives the length of a vector.')
    """
    of_numbers = {**draws.ARRAYS, **draws.LINES, **draws.OTHERS}
    of_words = {**draws.WORDS, "meanings": draws.OTHERS["meanings"]}
    found = [FunctionEntry("signs", sign, *said) for sign, said in _SIGNS.items()]
    for kind, meanings, examples in (
        ("draws of numbers", _NUMBERS, of_numbers),
        ("draws of words", _WORDS, of_words),
    ):
        found += [
            FunctionEntry(kind, name, examples[name], meaning) for name, meaning in meanings.items()
        ]
    for kind, functions in _FUNCTIONS.items():
        found += [
            FunctionEntry(kind, name, FUNCTIONS[name].example, meaning)
            for name, meaning in functions.items()
        ]
    return tuple(found)
