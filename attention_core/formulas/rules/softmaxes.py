"""Mistakes of softmaxes: scales, temperatures, masks and axes."""

from attention_core.formulas.rewriting import Known, Rule, Wrong, along, call, is_call
from attention_core.formulas.shapes import infer
from attention_core.formulas.trees import Binary, Call, Name, Node, Number, Transposed
from attention_core.problems.mistakes import HARD_MAX, UNIFORM

# Scaling -----------------------------------------------------------------------------------------


def _scaling(node: Node, known: Known) -> Wrong:
    match node:
        case Binary(sign="/", left=x, right=Call(function="sqrt", arguments=[width]) as root):
            # Elsewhere too one divides by a root, and nobody speaks of scores there.
            of_scores = width == Name("d_k")
            yield (
                "unscaled",
                x,
                "You left the raw scores as they are; divide by $\\sqrt{d_k}$ before the softmax."
                if of_scores and known.of_words
                else f"You didn’t divide by {known.latex(root)}.",
                Binary("!=", width, Number(1)),
            )
            yield (
                "scaled_by_dk",
                Binary("/", x, width),
                f"You divided by {known.latex(width)} itself; divide by {known.latex(root)}.",
            )
            yield (
                "multiplied_scale",
                Binary("*", x, root),
                f"You multiplied by {known.latex(root)}; divide by it.",
            )
            tokens = _size_of_last_axis(x, known) if known.rank(x) > 0 else None
            is_size = isinstance(width, Name) and width.name in known.scope.sizes
            if tokens and (is_size or of_scores):
                yield (
                    "scaled_by_wrong_width",
                    Binary("/", x, call("sqrt", tokens)),
                    "You took the root of the number of tokens; $d_k$ is the width of a key."
                    if of_scores and known.of_words
                    else f"You took the root of {known.latex(tokens)}; take {known.latex(root)}.",
                    Binary("!=", width, tokens),
                )


def _temperatures(node: Node, known: Known) -> Wrong:
    match node:
        case Call(function="softmax", arguments=[Binary(sign="/", left=x, right=t), *_]):
            if known.rank(t) or is_call(t, "sqrt"):
                return
            yield (
                "temperature_ignored",
                along(node, "softmax", x),
                f"You forgot {known.latex(t)}. Divide by it first.",
            )
            yield (
                "times_temperature",
                along(node, "softmax", Binary("*", x, t)),
                f"You multiplied by {known.latex(t)}. Divide by it instead.",
            )
            yield (
                "temperature_after",
                Binary("/", along(node, "softmax", x), t),
                "You divided the probabilities, so they don’t sum to 1 any more. Divide before "
                "the softmax.",
            )
        case Call(function="softmax", arguments=[Binary(sign="*", left=c, right=x), *_]):
            if known.rank(c):
                x, c = c, x
            if known.rank(c):
                return
            yield (
                "unchanged",
                along(node, "softmax", x),
                f"You left out {known.latex(c)}. The weights change when the scores get larger.",
            )
            yield (
                "temperature_after",
                Binary("*", along(node, "softmax", x), c),
                "You multiplied the weights. Multiply the scores, then apply the softmax again.",
            )
            yield (
                "scaled_down",
                along(node, "softmax", Binary("/", x, c)),
                "You divided by the factor, and that evens the weights out. Multiply instead.",
            )


# Softmax -----------------------------------------------------------------------------------------


def _softmaxes(node: Node, known: Known) -> Wrong:
    match node:
        case Call(function="softmax", arguments=[x, *_]):
            axis = 0 if _works_on_rows(node) else 1
            right = "row" if axis == 0 else "column"
            if known.rank(x) == 2:
                line = "columns" if axis == 0 else "rows"
                of_tokens = known.of_words and axis == 0 and _is_square(x, known)
                whose = ", because it’s one token’s attention" if of_tokens else ""
                yield (
                    "column_softmax",
                    call("softmax", x, Number(axis)),
                    f"You normalised the {line}. Each *{right}* sums to 1{whose}.",
                )
                yield (
                    "global_softmax",
                    call("_softmax_of_all", x),
                    f"You took one softmax over the whole matrix; take one for each {right}.",
                )
            yield (
                "no_exponential",
                call("_normalised", x),
                "You divided the scores themselves by their sum; take their exponentials first.",
            )
            yield (
                "unnormalised",
                call("exp", x),
                "You’ve only taken the exponentials; divide each by their sum, so that "
                f"{f'each {right} sums' if known.rank(x) == 2 else 'they sum'} to 1.",
            )
            yield (
                "base_two",
                call("_normalised", call("_exp2", x)),
                "You took powers of 2; the softmax takes powers of $e = 2.718…$.",
            )
            yield (
                HARD_MAX,
                call("_largest", x),
                "You gave everything to the largest score. It gets the most, but it doesn’t get "
                "all.",
            )
            yield (
                UNIFORM,
                call("_even", x),
                "You gave every score the same share; a larger score gets a larger one.",
            )


def _masks(node: Node, known: Known) -> Wrong:
    match node:
        case Call(function="softmax", arguments=[Call(function="mask", arguments=[x, seen]), *_]):
            softened = along(node, "softmax", x)
            yield (
                "mask_after",
                Binary("*", softened, seen),
                "You masked after the softmax, so some rows don’t sum to 1. Mask the scores first.",
            )
            yield (
                "mask_zero",
                along(node, "softmax", Binary("*", x, seen)),
                "You set masked scores to 0, but $e^0 = 1$ still gets weight. Set them to "
                "$-\\infty$.",
            )
            yield (
                "mask_past",
                along(node, "softmax", call("mask", x, Transposed(seen))),
                "You hid the past. Hide the future: a word may look back and at itself."
                if known.of_words
                else f"You masked the cells of the other side; {known.latex(seen)} keeps these.",
            )
            yield (
                "mask_self",
                along(node, "softmax", call("mask", x, call("_not_itself", seen))),
                "You masked the diagonal. A word may look at itself."
                if known.of_words
                else "You masked the diagonal too. It keeps its weights.",
            )
            yield (
                "no_exponential",
                call("_normalised", Binary("*", x, seen)),
                "You divided the scores themselves by their sum; take their exponentials first.",
            )
            yield (
                UNIFORM,
                call("_normalised", seen),
                f"You gave all visible {'words' if known.of_words else 'cells'} the same weight. "
                "A larger score earns a larger one.",
            )
            yield ("unmasked", softened, "You left out the mask: what’s hidden gets no weight.")
        case Call(function="softmax", arguments=[x]) if known.rank(x) == 1:
            query, keys = known.query_and_keys(node)
            if is_call(keys or x, "stack"):
                yield (
                    "mask_self",
                    call("softmax", call("mask", x, call("_not_last", x))),
                    "You hid the new word from itself; its own score belongs in the softmax."
                    if known.of_words
                    else "You left out the last score; it belongs in the softmax.",
                )
            elif query and keys:
                apart = call("sum", call("abs", Binary("-", keys, query)), Number(1))
                yield (
                    "mask_self",
                    call("softmax", call("mask", x, Binary(">", apart, Number(0)))),
                    "You left the word’s own score out. It may look at itself too."
                    if known.of_words
                    else f"You left out the score of {known.latex(query)} with itself; it counts "
                    "too.",
                )


def _works_on_rows(node: Call) -> bool:
    axis = node.option("axis") or (node.arguments[1] if len(node.arguments) == 2 else None)
    return not isinstance(axis, Number) or axis.value in (1, -1)


def _size_of_last_axis(x: Node, known: Known) -> Node | None:
    shape = infer(x, known.scope) if known.rank(x) > 0 else ()
    size = getattr(shape[-1], "size", "") if shape else ""
    return Name(size) if size and size in known.scope.sizes else None


def _is_square(x: Node, known: Known) -> bool:
    """Return whether both axes of a matrix have one size, as those of scores among tokens."""
    rows, columns = (length.size for length in infer(x, known.scope))
    return rows == columns != ""


RULES: tuple[Rule, ...] = (_scaling, _temperatures, _masks, _softmaxes)
