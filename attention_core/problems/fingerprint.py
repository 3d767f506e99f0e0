"""What makes two variants of a family one: their numbers, and nothing else."""

import hashlib
import json
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike


def fingerprint(givens: Mapping[str, ArrayLike]) -> str:
    """A hash of the numbers that a problem gives, by their names, as 64 hexadecimal digits.

    It says nothing of sizes, versions, seeds or words. It must never change: whether numbers may
    be practised, or are kept for exams, hangs on it.

    >>> fingerprint({"a": [1.0, -0.0]}) == fingerprint({"a": np.array([1, 0])})
    True
    """
    # Adding 0 turns −0 into 0.
    listed = {name: (np.asarray(array, np.float64) + 0).tolist() for name, array in givens.items()}
    text = json.dumps(listed, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
