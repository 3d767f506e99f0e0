"""The cosine of the angle between two word vectors."""

from attention_core.maths.arrays import Array
from attention_core.maths.vectors import cosine_similarity
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.latex import fraction, number, sum_of_products
from attention_core.problems.meanings import NAME_NOTE, draw_word_pair
from attention_core.problems.rounding import EXACT, Way


def draw(stream: Stream, sizes: Options) -> Drawn:
    return draw_word_pair(stream, sizes["width"])


def cosine(way: Way, v: Values) -> Array:
    if way.exact:
        return cosine_similarity(v.a, v.b)
    return way.divide(way.dot(v.a, v.b), way.round(way.length(v.a) * way.length(v.b)))


def worked(v: Values) -> str:
    lengths = rf"{number(EXACT.length(v.a))} \cdot {number(EXACT.length(v.b))}"
    return fraction(r"\cos(a, b)", sum_of_products(v.a, v.b), lengths, v.cosine)


COSINE = Step(
    key="cosine",
    label="$\\cos(a, b)$",
    axes=(),
    compute=cosine,
    how="Divide the dot product by the product of the two lengths.",
    nudge="The dot product grows with the lengths of the vectors. How do you undo that?",
    formula=r"\cos(a, b) = \frac{a \cdot b}{\lVert a \rVert \, \lVert b \rVert}",
    worked=worked,
    seconds=75,
    mistakes=(
        Mistake(
            "no_norms",
            lambda way, v: way.dot(v.a, v.b),
            "You’ve found the dot product. Divide it by both lengths.",
        ),
        Mistake(
            "no_root",
            lambda way, v: way.divide(
                way.dot(v.a, v.b), way.round(way.dot(v.a, v.a) * way.dot(v.b, v.b))
            ),
            "You divided by the squared lengths. A length is the *root* of a sum of squares.",
        ),
        Mistake(
            "added_lengths",
            lambda way, v: way.divide(way.dot(v.a, v.b), way.length(v.a) + way.length(v.b)),
            "You added the lengths. Divide by their *product*.",
        ),
    ),
)

FAMILY = Family(
    key="cosine",
    title="Cosine similarity",
    summary="How closely two word vectors point the same way, whatever their lengths.",
    part="vectors",
    options={"width": (3, 2, 4)},
    draw=draw,
    statement=(
        f"The words **{{first}}** and **{{second}}** have the vectors $a$ and $b$. {NAME_NOTE} "
        "How closely do the two vectors point the same way? "
        "Give the cosine of the angle between them."
    ),
    givens=(
        Given("a", "$a$, the vector of {first}", ("dimensions",)),
        Given("b", "$b$, the vector of {second}", ("dimensions",)),
    ),
    version=2,
    code="""
cosine = a @ b / (np.linalg.norm(a) * np.linalg.norm(b))
""",
    steps=(COSINE,),
)
