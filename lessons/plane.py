"""Vectors in the plane: their places in a square drawing, and the paths of their arrows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import atan2, ceil, cos, pi, sin
from typing import Any

# Half the side of the drawing, and the part of it for the reach; drawing.js has HEAD too.
HALF = 160
USED = 144
HEAD, SPREAD = 10, pi / 8


@dataclass(frozen=True)
class Plane:
    """A square around the origin, from -reach to reach."""

    reach: int

    @classmethod
    def around(cls, vectors: Iterable[Sequence[float]]) -> "Plane":
        """Return the smallest plane with room for all these vectors."""
        largest = max(abs(number) for vector in vectors for number in vector)
        return cls(max(1, ceil(largest)))

    @property
    def scale(self) -> float:
        """Units of the drawing for 1."""
        return USED / self.reach

    @property
    def lines(self) -> list[float]:
        """The positions of the grid's lines, eight or fewer to a side."""
        step = ceil(self.reach / 8)
        return [step * i * self.scale for i in range(-(self.reach // step), self.reach // step + 1)]

    def place(self, vector: Sequence[float]) -> tuple[float, float]:
        """Return the vector's tip in the drawing, whose second axis points down."""
        x, y = vector
        return round(x * self.scale, 2), round(-y * self.scale, 2)

    def points(self, vectors: Iterable[Sequence[float]]) -> str:
        return " ".join(f"{x},{y}" for x, y in map(self.place, vectors))

    def labelled_arrow(self, vector: Sequence[float]) -> dict[str, Any]:
        """Return the path of a vector's arrow, its tip, and the place of its name beside it."""
        x, y = self.place(vector)
        return {"path": self.arrow(vector), "tip": (x, y), "name_y": y - 12 if y < 0 else y + 22}

    def arrow(self, tip: Sequence[float], start: Sequence[float] = (0, 0)) -> str:
        """Return the path of an arrow from start to tip."""
        (x, y), (x_0, y_0) = self.place(tip), self.place(start)
        towards = atan2(y - y_0, x - x_0)
        size = min(HEAD, ((x - x_0) ** 2 + (y - y_0) ** 2) ** 0.5 / 2)
        sides = [
            f"{x - size * cos(towards + turn):.2f} {y - size * sin(towards + turn):.2f}"
            for turn in (SPREAD, -SPREAD)
        ]
        return f"M{x_0} {y_0}L{x} {y}M{sides[0]}L{x} {y}L{sides[1]}"
