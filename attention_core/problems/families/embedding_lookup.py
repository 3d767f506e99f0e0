"""Token IDs pick rows of the embedding matrix."""

import numpy as np

from attention_core.maths.arrays import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.latex import vector


def draw(stream: Stream, sizes: Options) -> Drawn:
    vocabulary = stream.sentence(5)
    ids: list[int] = []
    while len(ids) < sizes["tokens"]:
        # ID 0 stays out: counting from 1, one would notice at once that there is no such row.
        drawn = 1 + stream.below(len(vocabulary) - 1)
        if drawn not in ids:
            ids.append(drawn)
    return Drawn(
        numbers={"E": stream.tenths(len(vocabulary), sizes["width"]), "ids": np.array(ids)},
        words={
            "vocabulary": vocabulary,
            "order": ("first", "second", "third", "fourth")[: len(ids)],
        },
    )


def rows(E: Array, ids: Array) -> Array:
    """Return the rows of E under these IDs, counted from 0."""
    return np.take_along_axis(E, ids[..., None].astype(int), axis=-2)


def ids_are_out_of_order(v: Values) -> np.ndarray:
    return np.asarray((np.diff(v.ids, axis=-1) < 0).any(axis=-1))


def worked(v: Values) -> str:
    row = rf"\text{{row }} {v.ids[0] + 1:g}"
    return rf"\mathrm{{ID}}\ {v.ids[0]:g} \to {row} \to {vector(v.vectors[0])}"


VECTORS = Step(
    key="vectors",
    label="The vectors of the text’s tokens",
    axes=("order", "places"),
    compute=lambda way, v: way.round(rows(v.E, v.ids)),
    how="Copy the row of each ID; the top row has ID 0.",
    nudge="There’s nothing to compute here. Which row of the matrix has ID 0?",
    formula=r"x_t = E_{\mathrm{id}_t}",
    worked=worked,
    seconds=6,
    mistakes=(
        Mistake(
            "off_by_one",
            lambda way, v: way.round(rows(v.E, v.ids - 1)),
            "You counted the rows from 1, but IDs start at 0. Go one row further down.",
        ),
        Mistake(
            "position_for_id",
            lambda way, v: way.round(v.E[..., : v.ids.shape[-1], :]),
            "You copied the first rows of $E$. Copy the rows that the IDs point to.",
        ),
        Mistake(
            "order_lost",
            lambda way, v: way.round(rows(v.E, np.sort(v.ids, axis=-1))),
            "You’ve got the right rows, but in the order of $E$. Keep the order of the text.",
            when=ids_are_out_of_order,
        ),
    ),
)

FAMILY = Family(
    key="embedding_lookup",
    title="Looking up embeddings",
    summary="A token’s ID says which row of the embedding matrix is its vector.",
    part="vectors",
    options={"tokens": (3, 2, 4), "width": (2, 3)},
    draw=draw,
    statement=(
        "The words of a tiny vocabulary are “{vocabulary}”. Their IDs are 0, 1, 2 and so on, in "
        "this order. A text arrives as the IDs below. Look up its vectors, one row for each token."
    ),
    givens=(
        Given("E", "$E$, the embedding matrix", ("vocabulary", "places")),
        Given("ids", "The IDs of the text’s tokens", ("order",)),
        Given("first_id", "The ID of the vocabulary’s first word", value=lambda v: 0),
    ),
    code="""
vectors = E[ids]
""",
    steps=(VECTORS,),
)
