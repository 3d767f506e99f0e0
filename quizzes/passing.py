"""Pass marks. Only this module decides whether points reach one."""

from typing import Any

# Points are sums of thirds and sevenths: percentages this near each other are the same.
TOLERANCE = 1e-9


def earned_share(points: Any, out_of: Any) -> Any:
    """Return the share of the points that is earned; 0 if there are none to earn."""
    return points / out_of if out_of else 0.0


def is_passed(points: Any, out_of: Any, pass_mark: int) -> bool:
    """Return whether these points pass, making up for rounding errors."""
    return 100 * earned_share(points, out_of) + TOLERANCE >= pass_mark
