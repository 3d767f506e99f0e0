"""Variants as programs: their numbers, then their family's lines of NumPy.

A student who runs one gets the solution that marking uses. Functions that NumPy lacks are written
out in it, so that it runs wherever NumPy does.
"""

import ast
import builtins
from functools import lru_cache

from attention_core.maths.arrays import Array
from attention_core.problems.family import Problem

_HELPERS = {
    "softmax": """
def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
""",
    "layer_norm": """
def layer_norm(x):
    return (x - x.mean(axis=-1, keepdims=True)) / x.std(axis=-1, keepdims=True)
""",
    "rms_norm": """
def rms_norm(x):
    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True))
""",
    "gelu": """
def gelu(x):
    return x / 2 * (1 + np.vectorize(math.erf)(x / np.sqrt(2)))
""",
    "rope": """
def rope(x):
    rows, width = x.shape
    angles = np.arange(rows)[:, None] / 10000 ** (np.arange(0, width, 2) / width)
    even, odd = x[:, 0::2], x[:, 1::2]
    turned = np.zeros(x.shape)
    turned[:, 0::2] = np.cos(angles) * even - np.sin(angles) * odd
    turned[:, 1::2] = np.sin(angles) * even + np.cos(angles) * odd
    return turned
""",
}


def numpy_program(problem: Problem) -> str:
    """Return NumPy code that computes every step of this variant and prints it, to three decimals.

    Return "" if the family has no lines, or they read numbers that this variant, drawn before they
    were written, does not have.

    >>> from attention_core import draw
    >>> print(numpy_program(draw("dot_score", seed=1)))
    import numpy as np
    <BLANKLINE>
    q = np.array([0.8, -1, -1.5])
    k = np.array([-0.2, 1.3, 1])
    <BLANKLINE>
    score = q @ k
    scaled = score / np.sqrt(len(k))
    <BLANKLINE>
    for step in (score, scaled):
        print(np.round(step, 3))
    """
    lines = problem.fill_in(problem.family.code).strip()
    read = _names_read(lines)
    numbers = {key: problem.givens[key] for key in problem.givens if key in read}
    if not lines or read - numbers.keys() - _HELPERS.keys() - {"np", *dir(builtins)}:
        return ""
    helpers = [text.strip() for name, text in _HELPERS.items() if name in read]
    shown = {given.key for given in problem.family.givens}
    return "\n\n".join(
        [
            "import math\n\nimport numpy as np" if "gelu" in read else "import numpy as np",
            *helpers,
            "\n".join(_assigned(key, array, key in shown) for key, array in numbers.items()),
            lines,
            _printed([step.key for step in problem.family.steps]),
        ]
    )


@lru_cache(maxsize=1000)  # the lines of a kind are the same in all its variants
def _names_read(lines: str) -> frozenset[str]:
    """Return the names that the lines read and do not assign themselves."""
    names = [node for node in ast.walk(ast.parse(lines)) if isinstance(node, ast.Name)]
    assigned = {name.id for name in names if isinstance(name.ctx, ast.Store)}
    return frozenset(name.id for name in names) - assigned


def _assigned(key: str, array: Array, is_shown: bool) -> str:
    """Return a line that assigns a given. A hidden one-hot vector becomes the place of its 1."""
    if not is_shown and array.ndim == 1 and sorted(array.tolist()) == [0] * (len(array) - 1) + [1]:
        return f"{key} = {int(array.argmax())}  # counted from 0"
    if array.ndim == 0:
        return f"{key} = {_literal(array.tolist())}"
    opening = f"{key} = np.array("
    between = ",\n" + " " * (len(opening) + 1)
    rows = array.tolist() if array.ndim > 1 else [array.tolist()]
    written = between.join(f"[{', '.join(map(_literal, row))}]" for row in rows)
    return f"{opening}[{written}])" if array.ndim > 1 else f"{opening}{written})"


def _literal(number: float) -> str:
    """Return the shortest text that reads as this number.

    >>> _literal(-1.0), _literal(0.7)
    ('-1', '0.7')
    """
    return repr(int(number)) if number == int(number) else repr(number)


def _printed(steps: list[str]) -> str:
    if len(steps) == 1:
        return f"print(np.round({steps[0]}, 3))"
    return f"for step in ({', '.join(steps)}):\n    print(np.round(step, 3))"
