"""The feed-forward layer of one word: widen, ReLU, and back."""

from attention_core.maths.activations import relu
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Values
from attention_core.problems.inputs import is_square, reader
from attention_core.problems.mistakes import activated_early, column_vectors
from attention_core.problems.rounding import transpose
from attention_core.problems.steps import layer, layer_after_relu


def draw(stream: Stream, sizes: Options) -> Drawn:
    width, hidden = sizes["width"], sizes["hidden"]
    sentence = stream.sentence(3)
    return Drawn(
        numbers={
            "x": stream.tenths(width),
            "W_1": stream.tenths(width, hidden, low=-1, high=1),
            "b_1": stream.tenths(hidden, low=-1, high=1),
            "W_2": stream.tenths(hidden, width, low=-1, high=1),
            "b_2": stream.tenths(width, low=-1, high=1),
        },
        words={"tokens": sentence, "word": (stream.choice(sentence),)},
    )


def relu_has_work_to_do(v: Values) -> bool:
    return bool(v.before.min() < 0 < v.before.max())


# The ReLU belongs to the next step: were it asked for here, its zeros would be filled in,
# and nobody could forget it.
BEFORE = layer(
    "before",
    "$xW_1 + b_1$, before the ReLU",
    reader("x"),
    1,
    column_vectors(
        "$W_1$", lambda way, v: way.layer(v.x, transpose(v.W_1), v.b_1), when=is_square("W_1")
    ),
    activated_early(reader("x")),
    name="(xW_1 + b_1)_1",
    how="Multiply the row by each column of $W_1$ and add the bias.",
    nudge="Stop before the ReLU, and don’t set anything to 0 yet.",
    formula=r"h = xW_1 + b_1",
    seconds=14,
)

OUT = layer_after_relu(
    "out",
    "The output of the layer",
    reader("before"),
    Mistake(
        "activated_output",
        lambda way, v: relu(way.layer(relu(v.before), v.W_2, v.b_2)),
        "You applied a ReLU to the output too. Only the hidden layer gets one.",
        # Else a ReLU at the end would change nothing.
        when=lambda v: v.out.min(axis=-1) < -0.1,
    ),
    seconds=18,
)

FAMILY = Family(
    key="feed_forward",
    title="The feed-forward layer",
    summary="Each word by itself: a wider layer, ReLU, and back to the width of the model.",
    part="block",
    options={"width": (2, 3), "hidden": (3, 4)},
    draw=draw,
    fit=relu_has_work_to_do,
    statement=(
        "In “{tokens}”, the feed-forward layer turns the row $x$ of **{word}** into "
        "$\\mathrm{ReLU}(xW_1 + b_1)\\,W_2 + b_2$. First give $xW_1 + b_1$, *before* the ReLU, "
        "then the output of the layer."
    ),
    givens=(
        Given("x", "$x$, the row of {word}", ("places",)),
        Given("W_1", "$W_1$", ("places", "places")),
        Given("b_1", "$b_1$", ("places",)),
        Given("W_2", "$W_2$", ("places", "places")),
        Given("b_2", "$b_2$", ("places",)),
    ),
    version=2,
    code="""
before = x @ W_1 + b_1
out = np.maximum(before, 0) @ W_2 + b_2
""",
    steps=(BEFORE, OUT),
)
