"""The one source of every number that Softmark shows, asks for or marks.

>>> from attention_core import draw, mark
>>> problem = draw("dot_score", seed=1)
>>> mark(problem, {"score": f"{problem.values.score:.3f}", "scaled": ""}).steps[0].verdict
'right'
"""

from attention_core.catalogue import families, family
from attention_core.grading.mark import mark, mark_many
from attention_core.maths.activations import gelu, gelu_tanh, relu, silu
from attention_core.maths.attention import attention, attention_scores, attention_weights
from attention_core.maths.cache import KeyValueCache
from attention_core.maths.encoder import encoder_block
from attention_core.maths.feed_forward import feed_forward, gated_feed_forward
from attention_core.maths.heads import multi_head_attention, multi_head_weights
from attention_core.maths.masks import band_mask, length_mask
from attention_core.maths.norms import layer_norm, rms_norm
from attention_core.maths.paths import path_lengths
from attention_core.maths.positions import rotary_positions, sinusoidal_positions
from attention_core.maths.softmax import softmax, softmax_parts
from attention_core.proving import draw

# Stored with every grade: which arithmetic marked it.
__version__ = "1.1"

__all__ = [
    "KeyValueCache",
    "attention",
    "attention_scores",
    "attention_weights",
    "band_mask",
    "draw",
    "encoder_block",
    "families",
    "family",
    "feed_forward",
    "gated_feed_forward",
    "gelu",
    "gelu_tanh",
    "layer_norm",
    "length_mask",
    "mark",
    "mark_many",
    "multi_head_attention",
    "multi_head_weights",
    "path_lengths",
    "relu",
    "rms_norm",
    "rotary_positions",
    "silu",
    "sinusoidal_positions",
    "softmax",
    "softmax_parts",
]
