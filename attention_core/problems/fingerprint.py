"""Fingerprints of variants: hashes of their numbers, and of nothing else."""

import hashlib
import json
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike


def fingerprint(givens: Mapping[str, ArrayLike]) -> str:
    """Return a hash of a problem's givens, by their names, as 64 hexadecimal digits.

    Sizes, versions, seeds and words do not enter it. It must never change: it decides whether
    numbers may be practised or are kept for exams.

    >>> fingerprint({"a": [1.0, -0.0]}) == fingerprint({"a": np.array([1, 0])})
    True
    """
    # Adding 0 turns −0 into 0.
    listed = {name: (np.asarray(array, np.float64) + 0).tolist() for name, array in givens.items()}
    text = json.dumps(listed, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
