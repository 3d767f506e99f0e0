"""The sentences of steps that say nothing of themselves: how they're done, a hint, a formula."""

from typing import NamedTuple

from attention_core.formulas.functions import axes_of
from attention_core.formulas.shapes import Scope, infer
from attention_core.formulas.trees import Binary, Call, Node
from attention_core.problems import steps

MANY = 18  # the seconds of a cell with several products or exponentials


class Sayings(NamedTuple):
    """The sentences of a step whose author wrote none; "" where its formula says enough."""

    how: str = ""
    hint: str = ""
    formula: str = ""
    seconds: int = 10


def sayings(tree: Node, scope: Scope) -> Sayings:
    r"""Return the sentences of a step by what it does last.

    >>> from attention_core.formulas.trees import parse
    >>> sayings(parse("softmax(s)"), Scope({"s": (3,)})).formula
    'a_j = \\frac{e^{s_j}}{\\sum_m e^{s_m}}'
    """
    match tree:
        case Call(function="softmax", arguments=[x, *_]):
            rank = len(infer(x, scope))
            if rank == 2 and axes_of(tree, rank) == (-2,):
                formula = steps.SOFTMAX_OF_COLUMNS
                return Sayings(steps.ALL_COLUMNS, steps.TO_COLUMNS, formula, MANY)
            how = steps.ALL_ROWS if rank == 2 else steps.ONE_ROW
            hint = steps.TO_ROWS if rank == 2 else steps.TO_WEIGHTS
            return Sayings(how, hint, steps.SOFTMAX[rank], MANY)
        case Call(function="layer_norm"):
            return Sayings(steps.SUBTRACT_AND_DIVIDE, steps.NORM_OF_A_ROW, seconds=MANY)
        case Binary(sign="@") | Binary(sign="+", left=Binary(sign="@")):
            return Sayings(seconds=MANY)
    return Sayings()
