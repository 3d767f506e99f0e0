"""King − man + woman: a sum of word vectors, and the word that lies nearest to it."""

import numpy as np

from attention_core.maths.arrays import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.latex import equals, factor, first_of, number
from attention_core.problems.steps import choice

# Three words and those that may lie nearest; the numbers decide which one does.
ANALOGIES = (
    ("king", "man", "woman", ("queen", "princess", "lady", "throne")),
    ("Paris", "France", "Italy", ("Rome", "Milan", "Venice", "Naples")),
    ("uncle", "father", "mother", ("aunt", "niece", "cousin", "sister")),
    ("puppy", "dog", "cat", ("kitten", "lion", "mouse", "paw")),
    ("walked", "walk", "swim", ("swam", "swims", "diver", "water")),
    ("bigger", "big", "cold", ("colder", "coldest", "winter", "ice")),
    ("pilot", "aeroplane", "ship", ("captain", "sailor", "harbour", "anchor")),
    ("nest", "bird", "bee", ("hive", "honey", "flower", "wasp")),
    ("painter", "brush", "pen", ("writer", "poet", "paper", "ink")),
    ("summer", "hot", "cold", ("winter", "autumn", "snow", "coat")),
)


def draw(stream: Stream, sizes: Options) -> Drawn:
    first, second, third, candidates = stream.choice(ANALOGIES)
    width = sizes["width"]
    return Drawn(
        numbers={
            "a": stream.tenths(width, low=-1, high=1),
            "b": stream.tenths(width, low=-1, high=1),
            "c": stream.tenths(width, low=-1, high=1),
            "C": stream.tenths(len(candidates), width),
        },
        words={"a": (first,), "b": (second,), "c": (third,), "candidates": candidates},
    )


def distances(v: Values) -> Array:
    """From the result to each candidate."""
    return np.asarray(np.linalg.norm(v.C - v.result[..., None, :], axis=-1))


def one_is_clearly_nearest(v: Values) -> bool:
    """And the places of the result differ: variants handed out were drawn so."""
    first, second, *_ = np.sort(distances(v))
    return bool(second - first >= 0.2 and np.ptp(v.result) > 0)


def result_cell(v: Values, row: int, column: int) -> str:
    terms = f"{number(v.a[column])} - {factor(v.b[column])} + {factor(v.c[column])}"
    return f"{terms} {equals(v.result[column])}"


RESULT = Step(
    key="result",
    label="$a - b + c$",
    axes=("places",),
    compute=lambda way, v: way.round(v.a - v.b + v.c),
    how="Work place by place: subtract, then add.",
    worked=first_of("a_1 - b_1 + c_1", result_cell),
    cell=result_cell,
    seconds=12,
    mistakes=(
        Mistake(
            "signs_exchanged",
            lambda way, v: way.round(v.a + v.b - v.c),
            "You added $b$ and took $c$ away. Take $b$ away and add $c$.",
        ),
        Mistake(
            "all_added",
            lambda way, v: way.round(v.a + v.b + v.c),
            "You added all three. The second word’s vector is taken away.",
        ),
        Mistake(
            "all_subtracted",
            lambda way, v: way.round(v.a - v.b - v.c),
            "You took both vectors away. The third word’s vector is added.",
        ),
        Mistake(
            "difference_only",
            lambda way, v: way.round(v.a - v.b),
            "This is only the difference. Add the third word’s vector to it.",
        ),
    ),
)

NEAREST = choice(
    "nearest",
    "The nearest word",
    "candidates",
    lambda way, v: distances(v).argmin(axis=-1).astype(float),
    lambda v: rf"\text{{distances: }} {',\\ '.join(number(x) for x in distances(v))}",
    how="Find the distance from the result to each word, and choose the smallest.",
    wrong="Another word lies nearer to $a - b + c$. Compare the straight-line distances, "
    "not what the words mean.",
    seconds=60,
)

FAMILY = Family(
    key="vector_arithmetic",
    title="Arithmetic with words",
    summary="Add and subtract word vectors, then find the word nearest to the result.",
    options={"width": (2, 3)},
    draw=draw,
    fit=one_is_clearly_nearest,
    statement=(
        "Compute **{a}** − **{b}** + **{c}** with these little vectors, "
        "then find which word lies nearest to the result, by the straight-line (Euclidean) "
        "distance. Trust the numbers: the word you expect need not be it."
    ),
    givens=(
        Given("a", "$a$, the vector of {a}", ("places",)),
        Given("b", "$b$, the vector of {b}", ("places",)),
        Given("c", "$c$, the vector of {c}", ("places",)),
        Given("C", "Words that may lie nearest", ("candidates", "places")),
    ),
    steps=(RESULT, NEAREST),
)
