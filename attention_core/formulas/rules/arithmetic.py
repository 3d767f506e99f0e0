"""Mistakes of any arithmetic: roots, averages, signs, angles and bases."""

from attention_core.formulas.rewriting import Known, Rule, Wrong, along, call, is_call, is_product
from attention_core.formulas.trees import Binary, Call, Minus, Name, Node, Number, walk

# Roots, means, lengths ---------------------------------------------------------------------------


def _roots(node: Node, known: Known) -> Wrong:
    match node:
        case Binary(sign="/", right=Call(function="sqrt")):
            return  # a scale has mistakes of its own
        case Binary(sign="/", left=x, right=Binary(sign="*", left=a, right=b)):
            if is_call(a, "norm") and is_call(b, "norm"):
                yield ("no_norms", x, "You’ve found the dot product. Divide it by both lengths.")
                yield (
                    "no_root",
                    Binary("/", x, Binary("*", _squared(a), _squared(b))),
                    "You divided by the squared lengths. A length is the *root* of a sum of "
                    "squares.",
                )
                yield (
                    "added_lengths",
                    Binary("/", x, Binary("+", a, b)),
                    "You added the lengths. Divide by their *product*.",
                )
        case Call(function="norm", arguments=[Binary(sign="-", left=a, right=b) as difference]):
            yield (
                "no_root",
                _squared(node),
                "You’ve found the square of the distance. Take its root.",
            )
            yield (
                "city_blocks",
                call("sum", call("abs", difference)),
                "You added the differences themselves. Square them, add, then take the root.",
            )
            yield (
                "added_vectors",
                call("norm", Binary("+", a, b)),
                "You added the vectors. The distance is the length of their *difference*.",
            )
            yield (
                "lengths_subtracted",
                call("abs", Binary("-", call("norm", a), call("norm", b))),
                "You subtracted the lengths. Subtract the vectors first, then take the length.",
            )
        case Call(function="norm"):
            yield "no_root", _squared(node), "You left out the root of the sum of squares."
        case Call(function="sqrt", arguments=[x]) if not _divides(node, known.whole):
            yield "no_root", x, "You left out the root."


def _averages(node: Node, known: Known) -> Wrong:
    match node:
        case Call(function="mean", arguments=[x, *_]):
            yield (
                "not_averaged",
                along(node, "sum", x),
                "You added up; a mean is the sum divided by how many there are.",
            )
        case Call(function="var", arguments=[x, *_]):
            if known.rank(x) == 1:
                yield (
                    "sample_variance",
                    call("_sample_variance", x),
                    f"You divided by ${known.count(x)} - 1$. This variance is a plain mean of "
                    f"squares, so divide by ${known.count(x)}$.",
                )
            yield (
                "mean_of_squares",
                along(node, "mean", Binary("**", x, Number(2))),
                "You took the mean of the squares; subtract the mean first.",
            )
            yield (
                "deviation_not_variance",
                call("sqrt", node),
                "You took the root; the variance is the square of the standard deviation.",
            )
        case Call(function="sum", arguments=[x, *_]):
            yield "averaged", along(node, "mean", x), "You took the mean; add up."
    match node:
        case Call(function=("sum" | "mean" | "max" | "min") as name, arguments=[x, *axis]):
            for place in (*axis, node.option("axis")):
                if isinstance(place, Number) and known.rank(x) == 2:
                    yield (
                        "rows_for_columns",
                        call(name, x, Number(1 - place.value % 2)),
                        "You worked along the rows where the columns are meant, or the other way "
                        "round.",
                    )
    match node:
        case Call(function="max", arguments=arguments):
            yield "smallest", Call("min", arguments, node.options), "Take the largest."
        case Call(function="min", arguments=arguments):
            yield "largest", Call("max", arguments, node.options), "Take the smallest."
        case Call(function="sum", arguments=[Binary(sign="**", left=x, right=Number(2.0)), *_]):
            yield (
                "not_squared",
                along(node, "sum", x),
                "You added the numbers themselves; square them first.",
            )


# Anything else -----------------------------------------------------------------------------------


def _arithmetic(node: Node, known: Known) -> Wrong:
    match node:
        case Binary(sign="-", left=left, right=right):
            yield (
                "wrong_way_round",
                Binary("-", right, left),
                "You subtracted the wrong way round.",
            )
            yield (
                "added",
                Binary("+", left, right),
                f"You added {known.latex(right)}; subtract it.",
            )
            if known.rank(left) == known.rank(right) == 2:
                yield (
                    "divided",
                    Binary("/", left, right),
                    f"You divided by {known.latex(right)}; subtract it.",
                    Binary(">", call("min", call("abs", right)), Number(0)),
                )
        case Binary(sign="+", left=left, right=right):
            if not is_product(left) and not is_product(right):
                yield (
                    "subtracted",
                    Binary("-", left, right),
                    f"You subtracted {known.latex(right)}; add it.",
                )
                yield (
                    "multiplied",
                    Binary("*", left, right),
                    f"You multiplied {known.latex(left)} and {known.latex(right)}; add them.",
                )
        case Binary(sign="*", left=left, right=right):
            yield (
                "added",
                Binary("+", left, right),
                f"You added {known.latex(left)} and {known.latex(right)}; multiply them.",
            )
        case Binary(sign="/", left=left, right=right) if not is_call(right, "sqrt"):
            yield "upside_down", Binary("/", right, left), "You divided the wrong way round."
            yield "not_divided", left, f"You didn’t divide by {known.latex(right)}."
        case Binary(sign="**", left=x, right=Number(value)) if value == 2:
            yield "not_squared", x, "You left out the square."
            yield "doubled", Binary("*", Number(2), x), "You doubled; square it."


def _outer_products(node: Node, known: Known) -> Wrong:
    match node:
        case Call(function="outer", arguments=[a, b]):
            yield "transposed", call("outer", b, a), "You exchanged rows and columns."


def _angles_and_bases(node: Node, known: Known) -> Wrong:
    match node:
        case Call(function=("sin" | "cos") as name, arguments=[x]):
            yield (
                "sin_cos_swapped",
                call("cos" if name == "sin" else "sin", x),
                "You exchanged sine and cosine.",
            )
            yield (
                "degrees",
                call(name, Binary("*", x, Number(0.0174532925199433))),
                "You reckoned in degrees; the angle is in radians.",
            )
        case Call(function="log", arguments=[x]):
            yield (
                "base_two",
                Binary("/", node, Number(0.693147180559945)),
                "You took the logarithm to base 2; here it’s the natural one.",
            )
            yield (
                "base_ten",
                Binary("/", node, Number(2.30258509299405)),
                "You took the logarithm to base 10; here it’s the natural one.",
            )
            if isinstance(x, Name):
                yield "no_log", x, "You left out the logarithm."
        case Call(function="exp", arguments=[x]):
            yield (
                "base_two",
                Binary("**", Number(2), x),
                "You took powers of 2; take powers of $e = 2.718…$.",
            )
            yield "no_exp", x, "You left out the exponential: take $e$ to this power."
        case Minus(x=x):
            yield "sign_lost", x, "You lost the minus sign."
        case Call(function="abs", arguments=[x]):
            yield "sign_kept", x, "You kept the sign; take the absolute value."


def _squared(length: Node) -> Node:
    x = length.arguments[0] if isinstance(length, Call) else length
    return call("dot", x, x)


def _divides(root: Node, whole: Node) -> bool:
    return any(
        isinstance(part, Binary) and part.sign == "/" and part.right is root for part in walk(whole)
    )


RULES: tuple[Rule, ...] = (_roots, _averages, _arithmetic, _outer_products, _angles_and_bases)
