"""Word vectors by meaning, in dimensions that have names.

Words that are alike make a kin, which has one point; each word lies near it, a little elsewhere in
every variant. Two words of a kin are always near each other and point much the same way; words of
kins that are strangers are far apart and do not.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention_core.maths.arrays import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn

# How far a word may lie from its kin's point, in each dimension.
SPREAD = 0.3
# The sentence on such dimensions in statements; their names stand over the numbers.
NAME_NOTE = "Each dimension has a name. The larger the number, the better the name fits the word."


@dataclass(frozen=True)
class Field:
    """The dimensions of words of one subject, and the point of each kin.

    Attributes:
        dimensions: their names. A number above 0 says that the name fits, below 0 that it does not.
        kins: words that are alike, and their point. A narrow vector has the first dimensions only,
            so these alone must distinguish strangers.
    """

    dimensions: tuple[str, ...]
    kins: Mapping[tuple[str, ...], tuple[float, ...]]

    def strangers(self, kin: tuple[str, ...], width: int) -> list[tuple[str, ...]]:
        """Return the kins at a right angle or farther, in the first `width` dimensions."""
        here = self.kins[kin][:width]
        return [other for other in self.kins if np.dot(here, self.kins[other][:width]) <= 0]


FIELDS = (
    Field(
        ("alive", "large", "furry", "wild"),
        {
            ("cat", "dog", "rabbit"): (1.5, -1, 1.5, -1.5),
            ("lion", "tiger", "bear"): (1.5, 1, 1.5, 1.5),
            ("whale", "shark"): (1.5, 1.5, -1.5, 1.5),
            ("ant", "wasp", "beetle"): (1.5, -1.5, -1, 1),
            ("bus", "lorry", "tractor"): (-1.5, 1.5, -1.5, -1),
            ("spoon", "fork", "teacup"): (-1.5, -1.5, -1.5, -1.5),
        },
    ),
    Field(
        ("sweet", "liquid", "hot", "healthy"),
        {
            ("lemonade", "cola"): (1.5, 1.5, -1.5, -1.5),
            ("tea", "coffee"): (-1, 1.5, 1.5, 0.5),
            ("soup", "broth", "stew"): (-1.5, 1, 1.5, 1.5),
            ("cake", "biscuit", "doughnut"): (1.5, -1.5, -0.5, -1.5),
            ("chips", "pizza"): (-1, -1.5, 1.5, -1.5),
            ("apple", "pear", "plum"): (1.5, -1, -1.5, 1.5),
            ("lettuce", "spinach"): (-1.5, -1, -1.5, 1.5),
        },
    ),
    Field(
        ("pleasant", "lively", "sudden", "shared"),
        {
            ("joy", "delight"): (1.5, 1.5, 1, 1.5),
            ("calm", "peace"): (1.5, -1.5, -1.5, -0.5),
            ("anger", "rage", "fury"): (-1.5, 1.5, 1, 1),
            ("panic", "terror"): (-1.5, 1.5, 1.5, -1),
            ("sadness", "gloom"): (-1.5, -1, -1, -1.5),
            ("boredom", "tedium"): (-1, -1.5, -1.5, -1),
        },
    ),
    Field(
        ("fast", "flying", "large", "motor"),
        {
            ("jet", "airliner"): (1.5, 1.5, 1.5, 1.5),
            ("balloon", "kite", "glider"): (-1, 1.5, -0.5, -1.5),
            ("train", "express"): (1.5, -1.5, 1.5, 1.5),
            ("car", "taxi", "motorbike"): (1, -1.5, -0.5, 1.5),
            ("bicycle", "scooter"): (-1, -1.5, -1.5, -1.5),
            ("cart", "wagon"): (-1.5, -1, 0.5, -1.5),
        },
    ),
    Field(
        ("loud", "high", "blown", "stringed"),
        {
            ("trumpet", "cornet"): (1.5, 1, 1.5, -1.5),
            ("trombone", "tuba"): (1.5, -1.5, 1.5, -1.5),
            ("flute", "recorder"): (-1, 1.5, 1.5, -1.5),
            ("harp", "zither"): (-1.5, 1, -1.5, 1.5),
            ("cello", "guitar"): (-1, -1.5, -1.5, 1.5),
            ("drum", "gong"): (1.5, -1, -1.5, -1.5),
        },
    ),
    Field(
        ("wet", "high", "built", "quiet"),
        {
            ("lake", "pond"): (1.5, -1, -1.5, 1.5),
            ("peak", "summit"): (-0.5, 1.5, -1.5, 1.5),
            ("waterfall", "torrent"): (1.5, 1.5, -1.5, -1.5),
            ("harbour", "dock"): (1.5, -1, 1.5, -1),
            ("tower", "skyscraper"): (-1, 1.5, 1.5, -0.5),
            ("desert", "steppe"): (-1.5, -1, -1.5, 1.5),
            ("street", "road"): (-1, -1, 1.5, -1.5),
        },
    ),
    Field(
        ("outdoors", "sociable", "manual", "dangerous"),
        {
            ("farmer", "gardener"): (1.5, -1, 1.5, -0.5),
            ("teacher", "lecturer"): (-1.5, 1.5, -1.5, -1.5),
            ("waiter", "barber"): (-1, 1.5, 1, -1.5),
            ("accountant", "programmer"): (-1.5, -1.5, -1.5, -1.5),
            ("lifeguard", "mountaineer"): (1.5, 1, 1, 1.5),
            ("watchmaker", "tailor"): (-1.5, -1.5, 1.5, -1),
        },
    ),
)


def draw_near(stream: Stream, point: ArrayLike, by: float = SPREAD) -> Array:
    """Draw numbers with one decimal, each within `by` of the point's.

    >>> draw_near(Stream("seed"), [[1.5, -1]]).tolist()
    [[1.5, -1.2]]
    """
    point = np.asarray(point, dtype=np.float64)
    # Adding 0 turns −0 into 0.
    return np.round(point + stream.tenths(*point.shape, low=-by, high=by), 1) + 0


def draw_word_pair(stream: Stream, width: int) -> Drawn:
    """Draw two words of a field with vectors `a` and `b`: as often of one kin as strangers.

    >>> drawn = draw_word_pair(Stream(0), 2)
    >>> drawn.words["first"], drawn.words["second"], drawn.words["dimensions"]
    (('wasp',), ('ant',), ('alive', 'large'))
    >>> drawn.numbers["a"].tolist(), drawn.numbers["b"].tolist()
    ([1.2, -1.5], [1.6, -1.6])
    """
    field = stream.choice(FIELDS)
    kin = stream.choice(tuple(field.kins))
    words = [kin[place] for place in stream.shuffled(len(kin))]
    other = kin
    if stream.below(2):
        other = stream.choice(field.strangers(kin, width))
        words[1] = stream.choice(other)
    return Drawn(
        numbers={
            "a": draw_near(stream, field.kins[kin][:width]),
            "b": draw_near(stream, field.kins[other][:width]),
        },
        words={"first": (words[0],), "second": (words[1],), "dimensions": field.dimensions[:width]},
    )
