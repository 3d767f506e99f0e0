"""Write the training texts of the machine: texts of its grammar, as numbers of words.

    .venv/bin/python -m training.texts /tmp/texts.npz

`training/train.py`, which needs PyTorch and nothing of the site, goes on from there.
"""

import sys
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from random import Random

import numpy as np

from attention_core.machine.grammar import MAX_TOKENS, draw_sentence, draw_texts
from attention_core.machine.sentences import Sentence
from attention_core.machine.words import VOCABULARY

TRAINING, HELD_OUT = 240_000, 2_000
SEED = 1
# Their attention maps are recorded during training, and a test compares the core with their logits.
SHOWN = (
    "the keys near the old box fall .",
    "anna has a ball and tom has a cup so she gives the ball to him .",
    "mary says red dog two and jack says red dog two .",
    "lucy lives in rome and ben lives in paris so he lives in france .",
)
NOTHING = -1
# The kinds of blanks that follow from who has what.
WHOSE = ("whose thing", "whose colour", "whose country")
# Kinds that are rare and hard: these words count more in training.
COUNTED = (*WHOSE, "sum")
# Words that training may leave out of texts on who has what: "anna ball tom cup anna ball".
SMALL = frozenset(("the", "a", "and", "so", "has", "gives", "lives", "in", "is"))


def main(file: Path) -> None:
    training = list(islice(draw_texts(Random(SEED)), TRAINING))
    random = Random(SEED + 1)
    held_out = [draw_sentence(random, held_out=True) for _ in range(HELD_OUT)]
    np.savez_compressed(
        file,
        vocabulary=np.array(VOCABULARY),
        training=_table(text.words for text in training),
        training_counted=_mask_blanks(training, COUNTED),
        training_small=_mask_small_words(training),
        held_out=_table(text.words for text in held_out),
        held_out_whose=_mask_blanks(held_out, WHOSE),
        shown=_table(("<start>", *text.split()) for text in SHOWN),
    )


def _table(rows: Iterable[Sequence[str]]) -> np.ndarray:
    """Return the numbers of words, (texts, LONGEST), with NOTHING behind the end of a text."""
    number = {word: n for n, word in enumerate(VOCABULARY)}
    table = [
        [*(number[word] for word in row), *[NOTHING] * (MAX_TOKENS - len(row))] for row in rows
    ]
    return np.array(table, dtype=np.int16)


def _mask_blanks(rows: Sequence[Sentence], kinds: Sequence[str]) -> np.ndarray:
    """Return booleans, (texts, LONGEST): True for blanks of these kinds."""
    table = np.zeros((len(rows), MAX_TOKENS), dtype=bool)
    for n, row in enumerate(rows):
        table[n, [blank.place for blank in row.blanks if blank.kind in kinds]] = True
    return table


def _mask_small_words(rows: Sequence[Sentence]) -> np.ndarray:
    """Return booleans, (texts, LONGEST): True for small words to leave out, which are no blanks."""
    table = np.zeros((len(rows), MAX_TOKENS), dtype=bool)
    for n, row in enumerate(rows):
        asked = {blank.place for blank in row.blanks}
        if any(blank.kind in WHOSE for blank in row.blanks):
            table[n, [p for p, w in enumerate(row.words) if w in SMALL and p not in asked]] = True
    return table


if __name__ == "__main__":
    main(Path(sys.argv[1]))
