"""One row of scaled scores, turned into attention weights."""

from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Options
from attention_core.problems.inputs import reader, rounds_well
from attention_core.problems.steps import softmax


def draw(stream: Stream, sizes: Options) -> Drawn:
    sentence = stream.sentence(sizes["tokens"])
    decimals = stream.hundredths if sizes["tokens"] == 2 else stream.tenths
    return Drawn(
        numbers={"scores": decimals(sizes["tokens"])},
        words={"tokens": sentence, "word": (stream.choice(sentence),)},
    )


WEIGHTS = softmax(
    "weights", "The attention weights of {word}", reader("scores"), axes=("tokens",), seconds=25
)

FAMILY = Family(
    key="softmax_row",
    title="Softmax of a row",
    summary="Scores of any size become weights that sum to 1.",
    part="softmax",
    options={"tokens": (3, 2, 4, 5)},
    draw=draw,
    fit=lambda v: rounds_well(v.scores),
    statement=(
        "In “{tokens}”, these are the scaled scores of **{word}**. Use the softmax to find its "
        "attention weights."
    ),
    givens=(Given("scores", "Scaled scores of {word}", ("tokens",)),),
    code="""
weights = softmax(scores)
""",
    steps=(WEIGHTS,),
)
