"""The one source of every number that Softmark shows, asks for or marks.

>>> from attention_core import draw, mark
>>> problem = draw("dot_score", seed=1)
>>> mark(problem, {"score": f"{problem.values.score:.3f}", "scaled": ""}).steps[0].verdict
'right'
"""

from attention_core.grading.mark import mark, mark_many
from attention_core.maths.attention import attention, attention_scores, attention_weights
from attention_core.maths.softmax import softmax
from attention_core.problems.catalogue import families, family
from attention_core.proving import draw

# Stored with every grade: which arithmetic marked it.
__version__ = "1.0"

__all__ = [
    "attention",
    "attention_scores",
    "attention_weights",
    "draw",
    "families",
    "family",
    "mark",
    "mark_many",
    "softmax",
]
