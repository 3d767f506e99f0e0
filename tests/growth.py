"""How much longer twice as much takes."""

import gc
from collections.abc import Callable

MOST_GROWTH = 2.5
MOST_ROUNDS = 20
A_MOMENT = 0.02  # seconds that the collector of memory may take, say


def grows_in_proportion(seconds: Callable[[int], float], count: int) -> bool:
    """Return whether twice the count takes twice the processor time, more or less.

    What grows faster does so each time; a machine with other work to do is slow now and then.
    """
    gc.collect()
    gc.disable()  # what it collects is not of this text alone
    try:
        once, twice = seconds(count), seconds(2 * count)
        for _round in range(MOST_ROUNDS):
            if twice < MOST_GROWTH * once + A_MOMENT:
                return True
            once, twice = min(once, seconds(count)), min(twice, seconds(2 * count))
        return twice < MOST_GROWTH * once + A_MOMENT
    finally:
        gc.enable()
