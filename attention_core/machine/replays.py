"""Records of training: the losses, and where the heads looked along the way.

The records were made once with PyTorch, by `training/train.py`; nothing is trained here.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from attention_core.machine.words import VOCABULARY
from attention_core.maths.arrays import Array

LEARNT = Path(__file__).parent / "learnt"
# The machine that ships, and the same one trained with something left out.
AS_BUILT = "as_built"
RUNS = (AS_BUILT, "without_the_scale", "without_the_mask", "without_positions")
_OF_ONE = 10_000


@dataclass(frozen=True)
class Replay:
    """The record of one training run.

    Attributes:
        steps: (n,) the steps at which it was measured; all of `kept` are among them.
        loss: (n,) the loss on texts that it trains on, as it is trained.
        held_out_loss: (n,) the loss on sentences kept from training, with the words ahead really
            missing. Without a mask it is high: that run has learnt to copy the words ahead.
        whose: (n,) the share that it puts first of those words there that follow from who has what.
        kept: (m,) the steps at which the maps were recorded.
        sentences: the tokens of each sentence with recorded maps.
        maps: (m, layers, h, T, T) the weights of every head, for each sentence; four decimals.
    """

    steps: Array
    loss: Array
    held_out_loss: Array
    whose: Array
    kept: Array
    sentences: tuple[tuple[str, ...], ...]
    maps: tuple[Array, ...]

    def asked_at(self, step: int) -> int:
        """Return the place among `steps` of the last that is not after this step.

        >>> record = replay(AS_BUILT)
        >>> int(record.steps[record.asked_at(250)]), record.asked_at(0)
        (200, 0)
        """
        return _last(self.steps, step)

    def kept_at(self, step: int) -> int:
        """Return the place among `kept` of the last that is not after this step.

        >>> record = replay("without_the_mask")
        >>> int(record.kept[record.kept_at(2600)])
        2000
        """
        return _last(self.kept, step)


def _last(steps: Array, step: int) -> int:
    return max(int(np.searchsorted(steps, step, side="right")) - 1, 0)


@cache
def replay(run: str) -> Replay:
    """Return the record of one of `RUNS`.

    >>> record = replay("without_the_mask")
    >>> bool(record.loss[-1] < record.held_out_loss[-1])
    True
    """
    with np.load(LEARNT / f"{run}.npz", allow_pickle=False) as record:
        rows = [row[row >= 0] for row in record["shown"]]
        maps = record["maps"].swapaxes(0, 1) / _OF_ONE
        return Replay(
            steps=record["steps"],
            loss=record["loss"],
            held_out_loss=record["held_out_loss"],
            whose=record["whose"],
            kept=record["kept"],
            sentences=tuple(tuple(VOCABULARY[word] for word in row) for row in rows),
            maps=tuple(
                of_text[..., : len(row), : len(row)]
                for row, of_text in zip(rows, maps, strict=True)
            ),
        )
