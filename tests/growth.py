"""Comparing the time for twice the input."""

import gc
from collections.abc import Callable

MOST_GROWTH = 2.5
MOST_ROUNDS = 20
A_MOMENT = 0.02  # seconds that garbage collection may take


def grows_in_proportion(seconds: Callable[[int], float], count: int) -> bool:
    """Return whether twice the count takes about twice the processor time.

    Superlinear growth shows up in every round; a busy machine is slow only now and then.
    """
    gc.disable()  # it would collect more than this text's garbage
    try:
        once, twice = seconds(count), seconds(2 * count)
        for _round in range(MOST_ROUNDS):
            if twice < MOST_GROWTH * once + A_MOMENT:
                return True
            once, twice = min(once, seconds(count)), min(twice, seconds(2 * count))
        return twice < MOST_GROWTH * once + A_MOMENT
    finally:
        gc.enable()
