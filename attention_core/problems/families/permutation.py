"""The same words in another order: without positions, the outputs move with their words."""

from itertools import permutations

import numpy as np

from attention_core.maths.arrays import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.inputs import is_square
from attention_core.problems.latex import vector
from attention_core.problems.rounding import Way


def draw(stream: Stream, sizes: Options) -> Drawn:
    sentence = stream.sentence(sizes["tokens"])
    order = stream.choice(non_involutions(len(sentence)))
    return Drawn(
        numbers={
            "Z": stream.tenths(len(sentence), sizes["width"]),
            # order[n] is the old row of the word that now stands in row n.
            "order": np.array(order),
        },
        words={
            "tokens": sentence,
            "moved": tuple(sentence[old] for old in order),
            "rows": ("first", "second", "third", "fourth")[: len(sentence)],
        },
    )


def non_involutions(n: int) -> list[tuple[int, ...]]:
    """Return the orders of n rows that differ from their inverse."""
    orders = permutations(range(n))
    return [order for order in orders if any(order[order[row]] != row for row in range(n))]


def moved(way: Way, v: Values) -> Array:
    return np.take_along_axis(v.Z, v.order[..., None].astype(int), axis=-2)


def worked(v: Values) -> str:
    return rf"z'_1 = z_{{{v.order[0] + 1:g}}} = {vector(v.moved[0])}"


MOVED = Step(
    key="moved",
    label="The output for “{moved}”",
    axes=("rows", "places"),
    compute=moved,
    how="Each word gets the same output as before, in its new row.",
    nudge="Without positions, a word doesn’t know which row it’s in. So what can change?",
    formula=r"\mathrm{Attention}(PX) = P\,\mathrm{Attention}(X)",
    worked=worked,
    seconds=5,
    mistakes=(
        Mistake(
            "order_ignored",
            lambda way, v: v.Z,
            "You left the rows in place. Self-attention is equivariant, not invariant: "
            "each output moves with its word.",
        ),
        Mistake(
            "moved_back",
            lambda way, v: np.take_along_axis(
                v.Z, np.argsort(v.order, axis=-1)[..., None], axis=-2
            ),
            "You moved the rows the opposite way. For each new row, ask which word is there now.",
        ),
        Mistake(
            "columns_moved",
            lambda way, v: np.take_along_axis(v.Z, v.order[..., None, :].astype(int), axis=-1),
            "You moved the columns. The words are the rows, so leave the dimensions in place.",
            when=is_square("Z"),
        ),
        Mistake(
            "both_moved",
            lambda way, v: np.take_along_axis(
                moved(way, v), v.order[..., None, :].astype(int), axis=-1
            ),
            "You moved the columns too. Only a matrix of scores is permuted on both sides.",
            when=is_square("Z"),
        ),
    ),
)

FAMILY = Family(
    key="permutation",
    title="The words trade positions",
    summary="Self-attention is equivariant: move the input’s rows, and the output’s rows move too.",
    part="attention",
    # Two words can only swap, and swapping is its own inverse.
    options={"tokens": (3, 4), "width": (3, 2)},
    draw=draw,
    statement=(
        "Without positions and without a mask, self-attention gave “{tokens}” the output $Z$. "
        "Now the rows of $X$ come in a different order: “{moved}”. Find the new output, row by row."
    ),
    givens=(
        Given("Z", "$Z$, the output for “{tokens}”", ("tokens", "places")),
        Given("new_order", "The new order", text="{moved}"),
    ),
    code="""
moved = Z[order]
""",
    steps=(MOVED,),
)
