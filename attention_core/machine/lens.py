"""The logit lens: the next word that the machine would predict if it stopped after each layer.

Source: nostalgebraist (2020), "interpreting GPT: the logit lens".
"""

import numpy as np

from attention_core.machine.model import Machine, Reading
from attention_core.maths.arrays import Array
from attention_core.maths.linear import linear
from attention_core.maths.norms import layer_norm
from attention_core.maths.softmax import softmax


def lens(machine: Machine, reading: Reading) -> Array:
    """Return the probabilities of the next word read off before the first layer and after each.

    The last norm and the embedding are applied to the residual stream.

    Returns:
        (layers + 1, T, V) summing to 1; the last ones are the machine's own probabilities.

    >>> from attention_core.machine.model import machine
    >>> reading = machine().read(("<start>", "the", "capital", "of", "france", "is"))
    >>> [machine().vocabulary[after[-1].argmax()] for after in lens(machine(), reading)][-1]
    'paris'
    """
    streams = layer_norm(np.stack(reading.streams), machine.norm_gain, machine.norm_shift)
    return softmax(linear(streams, machine.embedding.T, name="the embedding, turned round"))
