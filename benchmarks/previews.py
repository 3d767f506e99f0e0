"""Time a preview of each of the largest texts that the language allows: `make bench previews`."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read once, when NumPy is imported

import time
from collections.abc import Callable

from attention_core.formulas import sketch
from tests.attention_core.formula_language.largest import FULLEST, preview

ROUNDS = 5


def main() -> None:
    print("text                      sketch  with all that a preview shows")
    for name, text in FULLEST.items():
        read = milliseconds(lambda text=text: sketch(text, "largest"))
        whole = milliseconds(lambda text=text: preview(text))
        print(f"{name:24} {read:4.0f} ms {whole:4.0f} ms")


def milliseconds(call: Callable[[], object]) -> float:
    """Return the least processor time of a call."""
    taken = []
    for _ in range(ROUNDS):
        began = time.thread_time()
        call()
        taken.append(time.thread_time() - began)
    return min(taken) * 1e3


if __name__ == "__main__":
    main()
