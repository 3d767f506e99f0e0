"""Formulas as lines of NumPy that run, from the givens by their names."""

from attention_core.formulas.functions import FUNCTIONS, axes_of
from attention_core.formulas.shapes import Scope, infer
from attention_core.formulas.trees import (
    COMPARISONS,
    Binary,
    Call,
    Minus,
    Node,
    Number,
    children,
    replaced,
    walk,
)
from attention_core.formulas.written import written


def numpy_line(name: str, node: Node, scope: Scope) -> str:
    """Return a line that assigns a formula's value to a name.

    >>> from attention_core.formulas.trees import parse
    >>> from attention_core.formulas.shapes import Axis
    >>> scope = Scope({"Q": (2, 3), "K": (2, 3)}, {"d_k": 3}, {"d_k": Axis("K", -1)})
    >>> numpy_line("scaled", parse("Q @ K.T / sqrt(d_k)"), scope)
    'scaled = Q @ K.T / np.sqrt(K.shape[-1])'
    """

    def spell(call: Call, arguments: list[str]) -> str:
        return _spelled(call, arguments, scope)

    def named(read: str) -> str:
        if read in scope.shapes or read not in scope.read_off:
            return read
        given, axis = scope.read_off[read]
        return f"len({given})" if len(scope.shapes[given]) == 1 else f"{given}.shape[{axis}]"

    return f"{name} = {written(_with_numbers(_in_signs(node)), spell, named)}"


def _in_signs(node: Node) -> Node:
    """Return a formula that writes with signs the functions that NumPy doesn't have.

    So the rules of signs put brackets where they're needed.
    """
    for part in walk(node):
        match part:
            case Call(function="dot", arguments=[a, b]):
                return _in_signs(replaced(node, part, Binary("@", a, b)))
            case Call(function="silu", arguments=[x]):
                below = Binary("+", Number(1), Call("exp", (Minus(x),)))
                return _in_signs(replaced(node, part, Binary("/", x, below)))
    return node


def _with_numbers(node: Node, *, chooses: bool = False) -> Node:
    """Return the formula with comparisons made numbers, unless they only choose between others.

    NumPy doesn't subtract what is true from what is false.
    """
    place = {"where": 0, "mask": 1}.get(node.function) if isinstance(node, Call) else None
    made = node
    for n, part in enumerate(children(node)):
        made = replaced(made, part, _with_numbers(part, chooses=n == place))
    compares = isinstance(node, Binary) and node.sign in COMPARISONS.values()
    return Call("_as_number", (made,)) if compares and not chooses else made


def _spelled(call: Call, arguments: list[str], scope: Scope) -> str:
    if call.function == "_as_number":
        return f"(1.0 * ({arguments[0]}))"
    function = FUNCTIONS[call.function]
    axis = ""
    if function.over and isinstance(call.arguments[0], Node):
        rank = len(infer(call.arguments[0], scope))
        axes = axes_of(call, rank)
        if call.function == "softmax" and rank == 2 and axes == (-2,):
            x = arguments[0] if arguments[0].isidentifier() else f"({arguments[0]})"
            return f"softmax({x}.T).T"
        if call.function != "softmax" and len(axes) < rank:
            axis = f", axis={axes[0] + rank}"
    if call.function == "tril" and not infer(call.arguments[0], scope):
        return f"np.tri({arguments[0]})"
    if call.function == "stack" and not any(infer(each, scope) for each in call.arguments):
        return f"np.array([{', '.join(arguments)}])"
    return function.program.format(*arguments, axis=axis, all=", ".join(arguments))
