"""The one place that decides whether points reach a pass mark."""

from typing import Any

# Points are sums of thirds and sevenths: percentages this near each other are the same.
ALIKE = 1e-9


def share_of(points: Any, out_of: Any) -> Any:
    """Return the share of the points that is earned; 0 if there are none to earn."""
    return points / out_of if out_of else 0.0


def reaches(points: Any, out_of: Any, pass_mark: int) -> bool:
    """Return whether these points pass, making up for rounding errors."""
    return 100 * share_of(points, out_of) + ALIKE >= pass_mark
