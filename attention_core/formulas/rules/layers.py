"""Mistakes of layers: biases, residuals, activations and norms."""

from attention_core.formulas.rewriting import Known, Rule, Wrong, call, is_call
from attention_core.formulas.trees import Binary, Call, Name, Node, Number, Transposed, walk


def _biases_and_residuals(node: Node, known: Known) -> Wrong:
    match node:
        case Binary(sign="+", left=left, right=right):
            if isinstance(left, Binary) and left.sign == "@" and isinstance(right, Name):
                yield "no_bias", left, f"You left out the bias; add {known.latex(right)}."
                return
            if 0 < known.rank(left) == known.rank(right):
                yield "no_residual", right, f"You left out {known.latex(left)}; add it."
                yield ("no_sublayer", left, f"You left out {known.latex(right)}; add it.")


def _activations(node: Node, known: Known) -> Wrong:
    match node:
        case Call(function=("relu" | "gelu" | "silu") as name, arguments=[x]):
            title = {"relu": "ReLU", "gelu": "GELU", "silu": "SiLU"}[name]
            effect = " It turns negative numbers into 0." if name == "relu" else ""
            yield "no_activation", x, f"You left out the {title}.{effect}"
            if name != "relu":
                yield "other_activation", call("relu", x), f"You took a ReLU; take {title}."
    is_whole = node is known.whole and not is_call(node, "relu", "softmax")
    if is_whole and any(is_call(part, "relu") for part in walk(node)):
        yield (
            "activated_output",
            call("relu", node),
            "You applied a ReLU to the output too. Only the hidden layer gets one.",
            # Else a ReLU at the end would change nothing.
            Binary("<", call("min", node), Number(-0.1)),
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
            if isinstance(x, Binary) and x.sign == "+":
                yield (
                    "norm_before_add",
                    Binary("+", x.left, call("layer_norm", x.right)),
                    "You normalised the sublayer’s output and then added. This block adds first.",
                    # The norm of an output that hardly varies cannot be followed by hand.
                    Binary(">=", call("sqrt", call("var", x.right)), Number(0.7)),
                )
                yield (
                    "no_residual",
                    call("layer_norm", x.right),
                    f"You normalised only {known.latex(x.right)}. Add {known.latex(x.left)} first.",
                )
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


RULES: tuple[Rule, ...] = (_biases_and_residuals, _activations, _norms)
