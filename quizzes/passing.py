"""Whether points reach a pass mark: the only place that says so."""

from typing import Any

# Points are sums of thirds and sevenths: percentages this near each other are the same.
ALIKE = 1e-9


def share_of(points: Any, out_of: Any) -> Any:
    """Return the share of the points that is earned: of no points, none."""
    return points / out_of if out_of else 0.0


def reaches(points: Any, out_of: Any, pass_mark: int) -> bool:
    """Return whether these points pass, whatever rounding has taken from them."""
    return 100 * share_of(points, out_of) + ALIKE >= pass_mark
