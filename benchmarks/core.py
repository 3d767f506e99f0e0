"""Measure the time and the memory of the core's attention over long sequences.

With PyTorch for comparison where it is installed, or where TORCH_PYTHON names an interpreter
that has it:

    TORCH_PYTHON=/path/to/python make bench core

Both use one thread. They take turns; the best of several turns counts, in the processor's time, so
that other work on the machine matters little.
"""

import argparse
import importlib.util
import itertools
import json
import os
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read once, when NumPy is imported

import numpy as np

from attention_core import attention

HEADS, WIDTH = 4, 64
LENGTHS = (128, 1024, 4096)
MIB = 2**20
# One call of a third of a millisecond would measure mostly the switch from the other's turn.
CALLS_OF_SHORT = 10

type Case = dict[str, Any]
type Turn = dict[str, Any]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--turns", type=int, default=7)
    turns = options.parse_args().turns
    with pytorch() as theirs:
        print(f"{HEADS} heads of width {WIDTH}, one thread, the best of {turns} turns;")
        print("MiB: the peak above what goes in and comes out")
        print("    T         numbers      ms    MiB", end="")
        print("   torch ms    MiB  ratio" if theirs else "")
        for dtype, tokens, causal in itertools.product(
            ("float32", "float64"), LENGTHS, (False, True)
        ):
            case = {"shape": [1, HEADS, tokens, WIDTH], "dtype": dtype, "causal": causal}
            print(f"{tokens:>5} {'causal' if causal else '':<8}{dtype}", end="")
            compare(case, turns, theirs)


def compare(case: Case, turns: int, theirs: Callable[[Case], Turn] | None) -> None:
    played = [(measure(**case), theirs(case) if theirs else None) for _ in range(turns)]
    best = min(ours["seconds"] for ours, _ in played)
    print(f"{best * 1000:>8.2f}{extra_memory(**case) / MIB:>7.1f}", end="")
    if theirs:
        for ours, other in played:
            must_agree(ours["sample"], other["sample"])
        other_best = min(other["seconds"] for _, other in played)
        extra = max(other["extra"] or 0 for _, other in played)
        print(f"{other_best * 1000:>11.2f}{extra / MIB:>7.1f}{best / other_best:>7.2f}", end="")
    print(flush=True)


def drawn(shape: list[int], dtype: str) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.normal(size=shape).astype(dtype) for _ in range(3)]


def measure(shape: list[int], dtype: str, causal: bool) -> Turn:
    given = drawn(shape, dtype)
    seconds = []
    for _ in range(CALLS_OF_SHORT if shape[2] < 1000 else 1):
        start = time.process_time()
        output = attention(*given, causal=causal)
        seconds.append(time.process_time() - start)
    return {"seconds": min(seconds), "sample": output[0, :, 0]}


def extra_memory(shape: list[int], dtype: str, causal: bool) -> int:
    given = drawn(shape, dtype)
    tracemalloc.start()
    output = attention(*given, causal=causal)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak - output.nbytes


def must_agree(ours: np.ndarray, theirs: list[list[float]]) -> None:
    if not np.allclose(ours, theirs, rtol=1e-3, atol=1e-5):
        sys.exit("\nThe two do not compute the same; their times mean nothing.")


@contextmanager
def pytorch() -> Iterator[Callable[[Case], Turn] | None]:
    """Yield a function that gives PyTorch a turn; None if there is no PyTorch."""
    here = sys.executable if importlib.util.find_spec("torch") else None
    python = os.environ.get("TORCH_PYTHON", here)
    if python is None:
        print("PyTorch is not installed; name an interpreter that has it in TORCH_PYTHON.")
        yield None
        return
    command = [python, Path(__file__).with_name("torch_attention.py")]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:

        def answer() -> dict[str, Any]:
            return json.loads(process.stdout.readline())

        def take_a_turn(case: Case) -> Turn:
            print(json.dumps(case), file=process.stdin, flush=True)
            return answer()

        print(f"Compared with PyTorch {answer()['version']}")
        yield take_a_turn
        process.stdin.close()


if __name__ == "__main__":
    main()
