"""A small curve of the latest outcomes."""

from collections.abc import Sequence
from dataclasses import dataclass

from quizzes.items.presenters.texts import format_percent

# A small multiple, in the units of its own view box.
WIDTH, HEIGHT, MARGIN = 96, 24, 3
MAX_OUTCOMES = 10


@dataclass(frozen=True)
class Curve:
    """A curve of outcomes from left to right, drawn as a small multiple."""

    points: str
    last_x: float
    last_y: float
    says: str


def draw_curve(shares: Sequence[float]) -> Curve:
    """Return shares from 0 to 1 as a line; a single one is a dot at the right."""
    step = (WIDTH - 2 * MARGIN) / max(1, len(shares) - 1)
    first = WIDTH - MARGIN - step * (len(shares) - 1)
    points = [
        (round(first + step * place, 1), round(HEIGHT - MARGIN - share * (HEIGHT - 2 * MARGIN), 1))
        for place, share in enumerate(shares)
    ]
    says = ", ".join(format_percent(100 * share) for share in shares)
    return Curve(" ".join(f"{x},{y}" for x, y in points), *points[-1], says)
