"""A preview of the largest texts is ready while an author types."""

import time

from tests.attention_core.formula_language.largest import FULLEST, preview
from tests.each import each
from tests.slowness import slowness

SECONDS = 0.045
ROUNDS = 3


def seconds(text: str) -> float:
    """Return the least processor time that a preview takes."""
    taken = []
    for _ in range(ROUNDS):
        began = time.thread_time()
        preview(text)
        taken.append(time.thread_time() - began)
    return min(taken)


@each("name", FULLEST)
def test_a_preview_of_the_largest_texts_takes_little_time(name):
    preview(FULLEST[name])
    taken = seconds(FULLEST[name])
    assert taken < SECONDS or seconds(FULLEST[name]) < SECONDS * slowness()
