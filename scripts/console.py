"""Console output of the commands: plain words, the time of each step, and no tracebacks."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Problem(Exception):
    """A problem that the reader can fix; its text says how."""


def print_now(text: str = "") -> None:
    print(text, flush=True)


@contextmanager
def step(title: str) -> Iterator[None]:
    """Print the title of a step, and how long it took."""
    print(f"{title} … ", end="", flush=True)
    started = time.monotonic()
    try:
        yield
    except BaseException:
        print_now("stopped")
        raise
    print_now(f"{time.monotonic() - started:.1f} s")


@contextmanager
def report_problems() -> Iterator[None]:
    """Exit with the sentence of a Problem, and silently on Ctrl-C."""
    try:
        yield
    except Problem as problem:
        print(f"\n{problem}", file=sys.stderr, flush=True)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


def last_lines(log: Path, count: int = 15) -> str:
    """Return the last lines of a log, indented below the sentence that they explain."""
    lines = log.read_text(errors="replace").rstrip().splitlines()[-count:]
    return "\n".join(f"  | {line}" for line in lines) or "  | (nothing)"
