"""A widget's calculation as blocks of numbers and formulas, for downloads."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext as _

from attention_core import softmax_parts

type Numbers = Sequence[Sequence[float]] | np.ndarray


@dataclass(frozen=True, kw_only=True)
class Block:
    """One step: a matrix that is typed in or, with a formula, computed.

    A formula names other blocks in braces, `{q}`, and gives the whole matrix at once; with
    `row_by_row` it gives one row, and refers to that row of each block it names.
    """

    name: str
    title: str
    values: Numbers
    rows: Sequence[str] = ()
    columns: Sequence[str] = ()
    formula: str = ""
    row_by_row: bool = False
    heat: bool = False


def switch_block(name: str, title: str, on: bool) -> Block:
    """Return a block with one cell: 1 for yes or 0 for no."""
    return Block(name=name, title=title, values=[[int(on)]])


def softmax_blocks(
    scores: str,
    numbers: Numbers,
    weights: Numbers,
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    suffix: str = "",
    temperature: float = 1,
    is_masked: bool = False,
) -> list[Block]:
    """Return the softmax of each row of a block: the largest, powers of e, their sum, weights.

    `numbers` are the block's values, −∞ where the mask hides them. A masked softmax uses the blocks
    `{may_look}` and `{temperature}`.
    """
    parts = softmax_parts(numbers, temperature=temperature)
    seen, power = f"{{{scores}}}", f"EXP({{{scores}}}-{{largest{suffix}}})"
    if is_masked:
        seen = f"IF({{may_look}}=1,{seen})"
        power = f"IF({{may_look}}=1,EXP(({{{scores}}}-{{largest{suffix}}})/{{temperature}}),0)"
    return [
        Block(
            name=f"largest{suffix}",
            title=_("Largest score of each row"),
            values=parts.largest,
            rows=rows,
            formula=f"MAX({seen})",
            row_by_row=True,
        ),
        Block(
            name=f"powers{suffix}",
            title=_("e to the power of (each score minus the largest)"),
            values=parts.powers,
            rows=rows,
            columns=columns,
            formula=power,
        ),
        Block(
            name=f"sum{suffix}",
            title=_("Sum of each row"),
            values=parts.sums,
            rows=rows,
            formula=f"SUM({{powers{suffix}}})",
            row_by_row=True,
        ),
        Block(
            name=f"weights{suffix}",
            title=_("Attention weights A"),
            values=weights,
            rows=rows,
            columns=columns,
            formula=f"{{powers{suffix}}}/{{sum{suffix}}}",
            heat=True,
        ),
    ]
