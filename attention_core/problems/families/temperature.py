"""Logits over a temperature, then the softmax: how bold the choice of the next word is."""

import numpy as np

from attention_core.maths.arrays import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.latex import first_of, number, quotient
from attention_core.problems.mistakes import softmax_mistakes
from attention_core.problems.rounding import EXACT, Way

# So far from 1 that forgetting, or multiplying, shows in every answer.
TEMPERATURES = (0.5, 1.5, 2.0)

PROMPTS = (
    ("The cat sat on the", ("mat", "sofa", "roof", "piano")),
    ("She opened the", ("door", "window", "letter", "box")),
    ("In winter we drink", ("tea", "cocoa", "soup", "milk")),
    ("The ship reached the", ("harbour", "island", "coast", "bridge")),
    ("He forgot his", ("keys", "hat", "name", "lunch")),
    ("At night you can see", ("stars", "bats", "planets", "lights")),
    ("The baker sold", ("bread", "rolls", "cakes", "coffee")),
    ("My sister plays the", ("violin", "flute", "drums", "guitar")),
    ("The train was", ("late", "full", "early", "empty")),
    ("They planted an", ("oak", "apple", "elm", "onion")),
    ("The child drew a", ("star", "horse", "house", "dragon")),
    ("After the rain came", ("sun", "wind", "snow", "frogs")),
)


def draw(stream: Stream, sizes: Options) -> Drawn:
    prompt, words = stream.choice(PROMPTS)
    decimals = stream.hundredths if sizes["words"] == 2 else stream.tenths
    # One logit at least is not negative and none is above 1: with larger exponentials, or with
    # none that reaches 1, careful rounding strays too far at a low temperature.
    logits = decimals(sizes["words"], high=1)
    logits[stream.below(sizes["words"])] = decimals(1, low=0, high=1)[0]
    return Drawn(
        numbers={"logits": logits, "temperature": np.array(stream.choice(TEMPERATURES))},
        words={"prompt": (prompt,), "next": words[: sizes["words"]]},
    )


def scale_logits(way: Way, v: Values) -> Array:
    """Return the logits over the temperature."""
    return way.divide(v.logits, v.temperature)


def cell(v: Values, row: int, column: int) -> str:
    powers = [f"e^{{{number(x)} / {number(v.temperature)}}}" for x in v.logits]
    return quotient(powers[column], " + ".join(powers), v.probabilities[column])


PROBABILITIES = Step(
    key="probabilities",
    label="The probabilities at temperature {temperature}",
    axes=("next",),
    compute=lambda way, v: way.softmax(scale_logits(way, v)),
    how="Divide every logit by the temperature, then take the softmax.",
    nudge="The temperature acts on the logits, before the softmax.",
    formula=r"p_i = \frac{e^{l_i / \tau}}{\sum_m e^{l_m / \tau}}",
    worked=first_of("p_1", cell),
    cell=cell,
    seconds=28,
    mistakes=(
        Mistake(
            "temperature_ignored",
            lambda way, v: way.softmax(v.logits),
            "You forgot the temperature. Divide the logits by it first.",
        ),
        Mistake(
            "times_temperature",
            lambda way, v: way.softmax(way.multiply(v.logits, v.temperature)),
            "You multiplied the logits by the temperature. Divide them instead.",
        ),
        Mistake(
            "temperature_after",
            lambda way, v: way.divide(way.softmax(v.logits), v.temperature),
            "You divided the probabilities, so they don’t sum to 1 any more. Divide the logits, "
            "before the softmax.",
        ),
        *softmax_mistakes(lambda v: scale_logits(EXACT, v)),
    ),
)

FAMILY = Family(
    key="temperature",
    title="Softmax with a temperature",
    summary="Dividing the logits makes the next word’s probabilities sharper or flatter.",
    part="softmax",
    options={"words": (3, 2, 4)},
    draw=draw,
    statement=(
        "These are a model’s logits for the next word after “{prompt} …”. Find the words’ "
        "probabilities at temperature {temperature}."
    ),
    givens=(
        Given("logits", "Logits of the next word", ("next",)),
        Given("temperature", "Temperature"),
    ),
    version=2,
    code="""
probabilities = softmax(logits / temperature)
""",
    steps=(PROBABILITIES,),
)
