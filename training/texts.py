"""Write what the machine is trained on: texts of its grammar, as numbers of words.

    .venv/bin/python -m training.texts /tmp/texts.npz

`training/train.py`, which needs PyTorch and nothing of ours, goes on from there.
"""

import sys
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from random import Random

import numpy as np

from attention_core.machine.grammar import LONGEST, sentence, texts
from attention_core.machine.words import VOCABULARY

TRAINING, HELD_OUT = 60_000, 2_000
SEED = 1
# Their attention maps are kept as training goes on, and their logits are what the core is held to.
SHOWN = (
    "the keys near the old box fall .",
    "anna has a ball and tom has a cup so she gives the ball to him .",
    "mary says red dog two and jack says red dog two .",
    "lucy lives in rome and ben lives in paris so he lives in france .",
)
NOTHING = -1


def main(file: Path) -> None:
    held_out = Random(SEED + 1)
    np.savez_compressed(
        file,
        vocabulary=np.array(VOCABULARY),
        training=_table(islice(texts(Random(SEED)), TRAINING)),
        held_out=_table(sentence(held_out, held_out=True).words for _ in range(HELD_OUT)),
        shown=_table(("<start>", *text.split()) for text in SHOWN),
    )


def _table(rows: Iterable[Sequence[str]]) -> np.ndarray:
    """(texts, LONGEST) numbers of words; NOTHING behind the end of a text."""
    number = {word: n for n, word in enumerate(VOCABULARY)}
    table = [[*(number[word] for word in row), *[NOTHING] * (LONGEST - len(row))] for row in rows]
    return np.array(table, dtype=np.int16)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
