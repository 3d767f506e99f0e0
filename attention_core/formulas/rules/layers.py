"""Mistakes of layers: biases, residuals, activations and norms."""

from attention_core.formulas.rewriting import Known, Rule, Wrong, call, is_call, is_product
from attention_core.formulas.trees import (
    Binary,
    Call,
    Item,
    Minus,
    Name,
    Node,
    Number,
    Transposed,
    walk,
)


def _biases_and_residuals(node: Node, known: Known) -> Wrong:
    match node:
        case Binary(sign="+", left=left, right=right):
            if is_product(left) and isinstance(right, Name):
                yield "no_bias", left, f"You left out the bias; add {known.latex(right)}."
                if node is known.whole:
                    yield (
                        "activated_early",
                        call("relu", node),
                        "You’ve applied the ReLU already; this step asks for the numbers before "
                        "it.",
                    )
                return
            if 0 < known.rank(left) == known.rank(right) and _is_residual(left, right, known):
                yield (
                    "no_residual",
                    right,
                    "You left out the residual; add the sublayer’s input to its output."
                    if known.of_words
                    else f"You left out {known.latex(left)}; add it.",
                )
                yield "no_sublayer", left, f"You left out {known.latex(right)}; add it."


def _is_residual(x: Node, output: Node, known: Known) -> bool:
    """Return whether something worked out is added to x, or both are rows of one word."""
    match x, output:
        case Item(places=[Name() as word]), Item(places=[Name() as other]):
            return word == other
        case ((Name() | Item()), Name(name=name)):
            return name in known.earlier
        case ((Name() | Item()), _):
            return any(isinstance(part, Call) or is_product(part) for part in walk(output))
    return False


def _activations(node: Node, known: Known) -> Wrong:
    match node:
        case Call(function=("relu" | "gelu" | "silu") as name, arguments=[x]):
            title = {"relu": "ReLU", "gelu": "GELU", "silu": "SiLU"}[name]
            told = f"You left out the {title}; it comes before the next product."
            if name == "relu":
                told = "You left out the ReLU. It turns negative numbers into 0."
            elif node is known.whole:
                told = f"You stopped at {known.latex(x)}. Apply {title} to it."
            yield "no_activation", x, told
            if name != "relu":
                yield (
                    f"relu_for_{name}",
                    call("relu", x),
                    f"You used ReLU. {title} doesn’t cut negative numbers off: a little gets "
                    "through.",
                )
            if name == "silu":
                below = Binary("+", Number(1), call("exp", Minus(x)))
                yield (
                    "sigmoid_alone",
                    Binary("/", Number(1), below),
                    "You used only the sigmoid. SiLU multiplies $z$ by it.",
                )
    is_whole = node is known.whole and not is_call(node, "relu", "softmax")
    if is_whole and any(is_call(part, "relu") for part in walk(node)):
        yield (
            "activated_output",
            call("relu", node),
            "You applied a ReLU to the output too. Only the hidden layer gets one.",
            # Else a ReLU at the end would change nothing.
            Binary("<", call("min", node) if known.rank(node) else node, Number(-0.1)),
        )


def _norms_of_sums(total: Binary, known: Known) -> Wrong:
    left, right = total.left, total.right
    yield (
        "norm_before_add",
        Binary("+", left, call("layer_norm", right)),
        "You normalised the sublayer’s output and then added. This block adds first."
        if known.of_words
        else f"You normalised {known.latex(right)} and then added. Add first.",
        # The norm of an output that hardly varies cannot be followed by hand.
        Binary(">=", call("sqrt", call("var", right)), Number(0.7)),
    )
    yield (
        "no_residual",
        call("layer_norm", right),
        f"You normalised only {known.latex(right)}. Add {known.latex(left)} first.",
    )
    match left, right:
        case Item(x=X, places=[Name() as word]), Item(x=Z, places=[Name() as other]):
            if word == other and known.rank(X) == known.rank(Z) == 2:
                dimensions = Transposed(Binary("+", X, Z))
                yield (
                    "across_tokens",
                    Item(Transposed(call("layer_norm", dimensions)), (word,)),
                    "You normalised each dimension over the words. Normalise each word over its "
                    "dimensions.",
                    # So does one that’s nearly the same for all words.
                    Binary(">=", call("min", call("var", dimensions, Number(1))), Number(0.25)),
                )


def _norms(node: Node, known: Known) -> Wrong:
    match node:
        case Call(function="layer_norm", arguments=[x]):
            yield (
                "no_mean",
                call("rms_norm", x),
                "You didn’t subtract the mean, so this is RMSNorm. LayerNorm subtracts it first.",
            )
            if known.rank(x) == 1:
                yield (
                    "sample_variance",
                    call("_sample_norm", x),
                    f"You divided by ${known.count(x)} - 1$. This variance is a plain mean of "
                    f"squares, so divide by ${known.count(x)}$.",
                )
                yield (
                    "variance_not_sd",
                    call("_variance_norm", x),
                    "You divided by the variance; divide by its square root, the standard "
                    "deviation.",
                )
                yield (
                    "not_divided",
                    call("_deviations", x),
                    "You subtracted the mean; now divide by the standard deviation.",
                )
            else:
                yield (
                    "across_tokens",
                    Transposed(call("layer_norm", Transposed(x))),
                    "You normalised each column. LayerNorm works on each *row* by itself.",
                )
            total = known.defined(x)
            if isinstance(total, Binary) and total.sign == "+":
                yield from _norms_of_sums(total, known)
        case Call(function="rms_norm", arguments=[x]):
            yield (
                "mean_subtracted",
                call("layer_norm", x),
                "You subtracted the mean, as LayerNorm does. RMSNorm leaves it.",
            )
            if known.rank(x) == 1:
                square = call("mean", Binary("**", x, Number(2)))
                yield (
                    "no_root",
                    Binary("/", x, square),
                    "You divided by the mean square; divide by its root.",
                )
                yield (
                    "length_not_rms",
                    Binary("/", x, call("norm", x)),
                    "You divided by the vector’s length; divide by the root of the *mean* square.",
                )
        case Call(function="sqrt", arguments=[Call(function="mean", arguments=[square, *_])]):
            base = _squared_in(square)
            if not base or known.rank(base) != 1:
                return
            yield "no_root", node.arguments[0], "You stopped at the mean square; take its root."
            yield (
                "sum_not_mean",
                call("sqrt", call("sum", square)),
                "You took the root of the sum of squares; divide that sum by the width first.",
            )
            yield (
                "mean_subtracted",
                call("sqrt", call("var", base)),
                "You took the standard deviation; don’t subtract the mean here.",
            )
            yield (
                "sample_variance",
                call("sqrt", call("_sample_mean", square)),
                "You divided by $d - 1$; divide the sum of squares by $d$.",
            )
        case Binary(sign="/", left=x, right=root) if _is_root_mean_square(root, x, known):
            yield (
                "layer_norm",
                call("layer_norm", x),
                "You applied LayerNorm; RMSNorm doesn’t subtract the mean, here or in the root.",
            )
            yield (
                "mean_subtracted",
                Binary("/", call("_deviations", x), root),
                f"You subtracted the mean; RMSNorm doesn’t, so divide {known.latex(x)} itself.",
            )
            yield (
                "variance_not_sd",
                Binary("/", x, Binary("**", root, Number(2))),
                "You divided by the mean square; divide by its root.",
            )
            yield (
                "multiplied_scale",
                Binary("*", x, root),
                "You multiplied by the root mean square; divide by it.",
            )


def _squared_in(node: Node) -> Node | None:
    """Return x of x² or x · x."""
    match node:
        case Binary(sign="**", left=x, right=Number(value=2.0)):
            return x
        case Binary(sign="*", left=x, right=y) if x == y:
            return x
    return None


def _is_root_mean_square(root: Node, x: Node, known: Known) -> bool:
    match known.defined(root):
        case Call(function="sqrt", arguments=[Call(function="mean", arguments=[square])]):
            return _squared_in(square) == x
    return False


RULES: tuple[Rule, ...] = (_biases_and_residuals, _activations, _norms)
