"""The slowness of the machine just now, for tests that promise a time."""

import time

LOOPS = 100_000
# On the machine that the limits were chosen on.
USUAL_SECONDS = 0.026


def slowness() -> float:
    """Return how many times more processor time this machine needs now than usual, 1 at least.

    Limits are multiplied by it: a slow or a busy machine takes longer for everything, and a test
    that only passes on a fast one tells nothing.
    """
    began = time.thread_time()
    for number in range(LOOPS):
        str(number)
    return max(1.0, (time.thread_time() - began) / USUAL_SECONDS)
