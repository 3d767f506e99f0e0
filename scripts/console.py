"""How the commands speak: plain words, the time each step took, and no tracebacks."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Problem(Exception):
    """Something that the reader can put right; its text says how."""


def say(text: str = "") -> None:
    print(text, flush=True)


@contextmanager
def step(title: str) -> Iterator[None]:
    """Say what is being done, and how long it took."""
    print(f"{title} … ", end="", flush=True)
    started = time.monotonic()
    try:
        yield
    except BaseException:
        say("stopped")
        raise
    say(f"{time.monotonic() - started:.1f} s")


@contextmanager
def problems_as_sentences() -> Iterator[None]:
    """End with the sentence of a Problem, and quietly on Ctrl-C."""
    try:
        yield
    except Problem as problem:
        print(f"\n{problem}", file=sys.stderr, flush=True)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


def last_lines(log: Path, count: int = 15) -> str:
    """The end of a log, set off from the sentence that it explains."""
    lines = log.read_text(errors="replace").rstrip().splitlines()[-count:]
    return "\n".join(f"  | {line}" for line in lines) or "  | (nothing)"
