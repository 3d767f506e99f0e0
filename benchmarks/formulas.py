"""Throw random formulas and texts at the reader of problems: `make bench formulas`.

Each is read or refused by the reader's own error, a formula's value has the shape that was
inferred, and none takes long. The tests try 20,000; this tries a million, from a seed of its own.
"""

import argparse
import os
import time
from concurrent.futures import ProcessPoolExecutor
from random import Random

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read once, when NumPy is imported

from tests.attention_core.formula_language.random_formulas import read_anything, typed_anything

CHUNK = 5_000
TEXTS_AMONG = 20  # one in so many is a whole text, which takes longer


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--count", type=int, default=1_000_000)
    options.add_argument("--seed", default=str(time.time_ns()))
    chosen = options.parse_args()
    print(f"{chosen.count:,} texts and formulas from the seed {chosen.seed}")
    refused, slowest = 0, (0.0, "")
    chunks = [(chosen.seed, first, min(CHUNK, chosen.count - first))
              for first in range(0, chosen.count, CHUNK)]  # fmt: skip
    with ProcessPoolExecutor(os.process_cpu_count()) as pool:
        for some, slow in pool.map(try_some, chunks):
            refused, slowest = refused + some, max(slowest, slow)
    print(f"{refused:,} refused, {chosen.count - refused:,} read, none failed")
    print(f"the slowest refusal took {slowest[0] * 1e3:.0f} ms: {slowest[1]!r}")


def try_some(chunk: tuple[str, int, int]) -> tuple[int, tuple[float, str]]:
    """Return how many of a chunk are refused, and the slowest refusal with its seconds."""
    seed, first, count = chunk
    refused, slowest = 0, (0.0, "")
    for number in range(first, first + count):
        kind = "soup" if number % TEXTS_AMONG else "text"
        typed = typed_anything(Random(f"{seed} {number}"), kind)
        began = time.process_time()
        if read_anything(typed, kind):
            refused += 1
            slowest = max(slowest, (time.process_time() - began, typed))
    return refused, slowest


if __name__ == "__main__":
    main()
