"""Mistakes of sums and products: a term or a factor too few or too many, brackets, whole numbers.

The key of a left-out name is `no_` and the name, so that several can be found in one step.
"""

from attention_core.formulas.rewriting import Known, Rule, Wrong, call, is_call, is_product
from attention_core.formulas.trees import Binary, Call, Name, Node, Number


def _left_out(node: Node, known: Known) -> Wrong:
    match node:
        case Binary(sign="*", left=left, right=right):
            for gone, kept in ((left, right), (right, left)):
                yield (
                    _key_without(gone, "factor"),
                    kept,
                    f"You left out {known.latex(gone)}; multiply by it.",
                )
        case Binary(sign="+", left=left, right=right):
            if is_product(left):
                return  # a bias, which has mistakes of its own
            for gone, kept in ((right, left), (left, right)):
                yield (
                    _key_without(gone, "term"),
                    kept,
                    f"You left out {known.latex(gone)}; add it.",
                )
        case Binary(sign="-", left=left, right=right):
            yield (
                _key_without(right, "term"),
                left,
                f"You left out {known.latex(right)}; subtract it.",
            )


def _key_without(gone: Node, part: str) -> str:
    match gone:
        case Name(name=name):
            return f"no_{name}"
        case Number(value=value) if value == int(value) and value >= 0:
            return f"no_{part}_{value:.0f}"
    return f"no_{part}"


def _fractions(node: Node, known: Known) -> Wrong:
    match node:
        case Binary(sign="/", left=x, right=Call(function="sum", arguments=[y, *_]) as total):
            if x != y or known.rank(total):
                return
            yield (
                "over_largest",
                Binary("/", x, call("max", x)),
                "You divided by the largest. Divide by the sum of them all.",
            )
            if known.rank(x) == 1:
                yield (
                    "over_count",
                    Binary("*", x, call("_uniform", x)),
                    "You divided by how many there are. Divide by their sum.",
                )
        case Binary(sign="/", left=x, right=y) if not known.rank(y) and not is_call(y, "sqrt"):
            yield (
                "multiplied_scale",
                Binary("*", x, y),
                f"You multiplied by {known.latex(y)}; divide by it.",
            )
            if isinstance(y, Name):
                yield (
                    "root_of_divisor",
                    Binary("/", x, call("sqrt", y)),
                    f"You divided by the root; divide by {known.latex(y)} itself.",
                )
                yield (
                    "divided_twice",
                    Binary("/", x, Binary("**", y, Number(2))),
                    f"You divided by {known.latex(y)} twice; once is enough.",
                )


def _brackets(node: Node, known: Known) -> Wrong:
    match node:
        case Binary(sign="+", left=a, right=Binary(sign="*", left=b, right=c)):
            if known.rank(b) == 0:
                yield (
                    "added_too_early",
                    Binary("*", b, Binary("+", a, c)),
                    f"You multiplied {known.latex(a)} too. It’s added once, after the product.",
                )
        case Binary(sign="*", left=a, right=Binary(sign=("+" | "-") as sign, left=b, right=c)):
            yield (
                "brackets_lost",
                Binary(sign, Binary("*", a, b), c),
                f"You multiplied only {known.latex(b)}. The brackets come first.",
            )
        case Binary(sign="+", left=Binary(sign="-", left=a, right=b), right=c):
            yield (
                "signs_exchanged",
                Binary("-", Binary("+", a, b), c),
                f"You added {known.latex(b)} and subtracted {known.latex(c)}. It’s the other way "
                "round.",
            )
            yield (
                "all_added",
                Binary("+", Binary("+", a, b), c),
                f"You added all three. Subtract {known.latex(b)}.",
            )
            yield (
                "all_subtracted",
                Binary("-", Binary("-", a, b), c),
                f"You subtracted both. Add {known.latex(c)}.",
            )
            yield (
                "difference_only",
                node.left,
                f"You stopped at the difference. Add {known.latex(c)}.",
            )


def _counts(node: Node, known: Known) -> Wrong:
    """Yield the mistakes of a number that is the whole step."""
    if node is not known.whole or known.rank(node):
        return
    match node:
        case Binary(sign=("+" | "-") as sign, left=n, right=Number(value=value)):
            yield (
                "ends_left_out",
                Binary(sign, n, Number(value + 1)),
                f"You’re one off: take {known.latex(node)}.",
            )
        case Binary(sign="**", left=Name() as n, right=Number(value=2.0)):
            fewer, more = Binary("-", n, Number(1)), Binary("+", n, Number(1))
            yield (
                "mask_self",
                Binary("*", n, fewer),
                "You left out each one’s pair with itself. Each meets itself too.",
            )
            yield (
                "pairs_once",
                Binary("/", Binary("*", n, fewer), Number(2)),
                "You counted each pair once, and none with itself. Each meets every one.",
            )
            yield (
                "mask_applied",
                Binary("/", Binary("*", n, more), Number(2)),
                "You counted each pair once. Each meets every one, also those after it.",
            )
        case Call(function="sqrt", arguments=[x]):
            yield "variance_not_sd", x, f"You gave {known.latex(x)} again. Take its square root."
            yield "halved", Binary("/", x, Number(2)), "You halved. Take the square root."
        case Binary(sign="*", left=left, right=right):
            yield (
                "counted_twice",
                Binary("*", Number(2), node),
                "Your number is twice as large. Count everything once.",
            )
            if isinstance(left, Name):
                yield (
                    "squared",
                    Binary("*", left, node),
                    f"You squared {known.latex(left)}; multiply by it once.",
                )
            match right:
                case Binary(sign="*", left=a, right=b):
                    yield (
                        "doubled",
                        Binary("*", left, Binary("+", a, b)),
                        f"You added {known.latex(a)} and {known.latex(b)}; multiply them.",
                    )
        case Number(value=value) if value == int(value):
            yield "ends_counted", Number(value + 1), "You counted one too many."


def _powers(node: Node, known: Known) -> Wrong:
    match node:
        case Call(function="exp", arguments=[x]):
            yield (
                "base_ten",
                Binary("**", Number(10), x),
                "You took powers of 10; take powers of $e = 2.718…$.",
            )


RULES: tuple[Rule, ...] = (_brackets, _fractions, _counts, _powers, _left_out)
