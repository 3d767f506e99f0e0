"""King − man + woman: a sum of word vectors, and the word that lies nearest to it."""

from dataclasses import dataclass

import numpy as np

from attention_core.maths.arrays import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.latex import equals, factor, first_of, number
from attention_core.problems.meanings import NAME_NOTE, draw_near
from attention_core.problems.steps import choice

type Corner = tuple[int, ...]


@dataclass(frozen=True)
class Cube:
    """Eight words at the corners of a cube: three dimensions that each word fits or does not.

    They come in binary order: the last dimension changes from word to word.
    """

    dimensions: tuple[str, str, str]
    words: tuple[str, ...]

    def word(self, corner: Corner) -> str:
        return self.words[int("".join(map(str, corner)), 2)]


CUBES = (
    Cube(
        ("royal", "female", "young"),
        ("man", "boy", "woman", "girl", "king", "prince", "queen", "princess"),
    ),
    Cube(
        ("female", "older", "close"),
        ("nephew", "son", "uncle", "father", "niece", "daughter", "aunt", "mother"),
    ),
    Cube(
        ("city", "southern", "eastern"),
        ("Norway", "Finland", "Spain", "Greece", "Oslo", "Helsinki", "Madrid", "Athens"),
    ),
    Cube(
        ("plural", "alive", "large"),
        ("spoon", "bus", "cat", "elephant", "spoons", "buses", "cats", "elephants"),
    ),
    Cube(
        ("past", "water", "fast"),
        ("walk", "run", "wade", "dive", "walked", "ran", "waded", "dived"),
    ),
    Cube(
        ("person", "sea", "motor"),
        ("bicycle", "car", "yacht", "ferry", "cyclist", "driver", "sailor", "captain"),
    ),
    Cube(
        ("home", "flying", "large"), ("ant", "fox", "bee", "bird", "anthill", "den", "hive", "nest")
    ),
    Cube(
        ("person", "musical", "loud"),
        ("brush", "hammer", "harp", "drum", "painter", "carpenter", "harpist", "drummer"),
    ),
)
FAR = 1.5  # how far along each dimension a corner lies, to either side


def draw(stream: Stream, sizes: Options) -> Drawn:
    """Draw corners a, b, c of a cube's face, its fourth corner as the target, and rivals."""
    cube = stream.choice(CUBES)
    one, other, third = stream.shuffled(3)
    b = tuple(stream.below(2) for _ in range(3))
    a, c, target = flip_corner(b, one), flip_corner(b, other), flip_corner(b, one, other)
    # Rivals lie across the cube. A vector of two does not show that, so there the word across from
    # the target would lie where the target does.
    across = (a, b, c) if sizes["width"] == 2 else (a, c, target)
    candidates = [target, *(flip_corner(corner, third) for corner in across)]
    candidates = [candidates[place] for place in stream.shuffled(len(candidates))]
    shown = sorted((one, other)) if sizes["width"] == 2 else [0, 1, 2]

    def points(*corners: Corner) -> Array:
        return FAR * (2 * np.array(corners)[:, shown] - 1)

    vectors = draw_near(stream, points(a, b, c))
    return Drawn(
        numbers={
            **dict(zip("abc", vectors, strict=True)),
            # Closer than the others, so that the target is always nearest.
            "C": draw_near(stream, points(*candidates), by=0.2),
        },
        words={
            **{name: (cube.word(corner),) for name, corner in zip("abc", (a, b, c), strict=True)},
            "candidates": tuple(map(cube.word, candidates)),
            "dimensions": tuple(cube.dimensions[place] for place in shown),
        },
    )


def flip_corner(corner: Corner, *places: int) -> Corner:
    """Return the corner reached from this one along these dimensions."""
    return tuple(1 - bit if place in places else bit for place, bit in enumerate(corner))


def distances(v: Values) -> Array:
    """Return the distances from the result to the candidates."""
    return np.asarray(np.linalg.norm(v.C - v.result[..., None, :], axis=-1))


def one_is_clearly_nearest(v: Values) -> bool:
    """Return whether one is clearly nearest and, as in variants handed out, places differ."""
    first, second, *_ = np.sort(distances(v))
    return bool(second - first >= 0.2 and np.ptp(v.result) > 0)


def result_cell(v: Values, row: int, column: int) -> str:
    terms = f"{number(v.a[column])} - {factor(v.b[column])} + {factor(v.c[column])}"
    return f"{terms} {equals(v.result[column])}"


RESULT = Step(
    key="result",
    label="$a - b + c$",
    axes=("dimensions",),
    compute=lambda way, v: way.round(v.a - v.b + v.c),
    how="Work dimension by dimension: subtract, then add.",
    nudge="Take one dimension at a time. Which number do you subtract, and which do you add?",
    formula=r"r_i = a_i - b_i + c_i",
    worked=first_of("a_1 - b_1 + c_1", result_cell),
    cell=result_cell,
    seconds=12,
    mistakes=(
        Mistake(
            "signs_exchanged",
            lambda way, v: way.round(v.a + v.b - v.c),
            "You added $b$ and subtracted $c$. It’s the other way round.",
        ),
        Mistake(
            "all_added",
            lambda way, v: way.round(v.a + v.b + v.c),
            "You added all three. Subtract the second word’s vector, $b$.",
        ),
        Mistake(
            "all_subtracted",
            lambda way, v: way.round(v.a - v.b - v.c),
            "You subtracted both vectors. Add the third word’s vector, $c$.",
        ),
        Mistake(
            "difference_only",
            lambda way, v: way.round(v.a - v.b),
            "You stopped at the difference. Add the third word’s vector, $c$.",
        ),
    ),
)

NEAREST = choice(
    "nearest",
    "The nearest word",
    "candidates",
    lambda way, v: distances(v).argmin(axis=-1).astype(float),
    lambda v: rf"\text{{distances: }} {',\\quad '.join(number(x) for x in distances(v))}",
    how="Find the distance from the result to each word, and choose the smallest.",
    nudge="Nearest means the smallest straight-line distance to your result.",
    formula=r"\arg\min_w \lVert r - w \rVert",
    wrong="That isn’t the word nearest to $a - b + c$. Compare the straight-line distances.",
    seconds=60,
)

FAMILY = Family(
    key="vector_arithmetic",
    title="Arithmetic with words",
    summary="Add and subtract word vectors, then find the word nearest to the result.",
    part="vectors",
    options={"width": (2, 3)},
    draw=draw,
    fit=one_is_clearly_nearest,
    statement=(
        "Compute **{a}** − **{b}** + **{c}** with these small vectors. "
        "Then find the word nearest to the result, by straight-line (Euclidean) distance. "
        f"{NAME_NOTE}"
    ),
    givens=(
        Given("a", "$a$, the vector of {a}", ("dimensions",)),
        Given("b", "$b$, the vector of {b}", ("dimensions",)),
        Given("c", "$c$, the vector of {c}", ("dimensions",)),
        Given("C", "Words to choose from", ("candidates", "dimensions")),
    ),
    version=2,
    code="""
result = a - b + c
nearest = np.linalg.norm(C - result, axis=-1).argmin()
""",
    steps=(RESULT, NEAREST),
)
