"""Mistakes of attention: products, scales, softmaxes, blends and masks."""

from attention_core.formulas.rewriting import Known, Rule, Wrong, along, call, is_call
from attention_core.formulas.shapes import infer
from attention_core.formulas.trees import (
    Binary,
    Call,
    Item,
    Name,
    Node,
    Number,
    Span,
    Transposed,
    names_in,
)
from attention_core.problems.mistakes import HARD_MAX, KEEP_THE_SIGNS, UNIFORM

# Scores and other products -----------------------------------------------------------------------


def _scores_of_keys(node: Node, known: Known) -> Wrong:
    match node:
        case Binary(sign="@", left=Q, right=Transposed(x=K)) if known.rank(Q) == 2:
            of_keys = _is_called(Q, "q") and _is_called(K, "k")
            if Q != K:
                wrong = Binary("@", K, Transposed(Q))
                yield (
                    "transposed",
                    wrong,
                    f"You computed {known.latex(wrong)}. Each query gets a row and each key a "
                    "column."
                    if of_keys
                    else f"You computed {known.latex(wrong)}; this is {known.latex(node)}, with a "
                    f"row for each row of {known.latex(Q)}.",
                )
            yield (
                "not_transposed",
                Binary("@", Q, K),
                f"You multiplied by {known.latex(K)} as it is. "
                f"{'A score needs a key’s *row*, so transpose' if of_keys else 'Transpose'} "
                f"{known.latex(K)} first.",
            )
            yield (
                "feature_gram",
                Binary("@", Transposed(Q), K),
                f"You compared dimensions with dimensions. Tokens are the rows, so you need "
                f"{known.latex(node)}."
                if of_keys
                else f"You multiplied columns by columns. Take rows by rows: {known.latex(node)}.",
            )
            yield (
                "elementwise",
                Binary("*", Q, K),
                "You multiplied cell by cell; multiply row by row and add up.",
            )
            match K:
                case Binary(sign="@", left=x, right=W) if others := known.alike(W):
                    yield (
                        "other_projection",
                        Binary("@", Q, Transposed(Binary("@", x, others[0]))),
                        f"You used {known.latex(others[0])}; this step needs {known.latex(W)}.",
                    )


def _projections(node: Node, known: Known) -> Wrong:
    match node:
        case Binary(sign="@", left=x, right=W) if known.rank(W) == 2:
            if isinstance(W, Transposed) or known.is_weights(x):
                return
            yield (
                "column_vectors",
                Binary("@", x, Transposed(W)),
                f"You multiplied by the rows of {known.latex(W)}. Vectors are rows here, so take "
                "its *columns*.",
            )
            for other in known.alike(W)[:1]:
                yield (
                    "other_projection",
                    Binary("@", x, other),
                    f"You used {known.latex(other)}; this step needs {known.latex(W)}.",
                )
            match W:
                case Call(function="where", arguments=[condition, one, another]):
                    yield (
                        "other_projection",
                        Binary("@", x, call("where", condition, another, one)),
                        "You used the other matrix. Queries, keys and values each have their own.",
                    )
            if not is_call(known.defined(x), "concat"):
                yield (
                    "not_projected",
                    x,
                    f"You stopped at {known.latex(x)}; multiply it by {known.latex(W)}.",
                )
            if known.rank(x) == 2:
                yield (
                    "elementwise",
                    Binary("*", x, W),
                    "You multiplied cell by cell; multiply row by column and add up.",
                )
                yield (
                    "swapped_factors",
                    Binary("@", W, x),
                    f"You multiplied from the wrong side; {known.latex(x)} comes first.",
                )


def _blends(node: Node, known: Known) -> Wrong:
    match node:
        case Binary(sign="@", left=weights, right=V) if known.is_weights(weights):
            if known.rank(V) != 2:
                return
            of_values = _is_called(V, "v")
            rows = "values" if of_values else "rows"
            query, keys = _query_and_keys(weights, known)
            for other in (keys, *known.alike(V)[:1]):
                if other and other != V:
                    yield (
                        "mixed_keys",
                        Binary("@", weights, other),
                        f"You mixed {known.latex(other)}; mix "
                        f"{'the *values*, ' if of_values else ''}{known.latex(V)}.",
                    )
            match V:
                case Call(function="stack", arguments=[cache, v]) if known.rank(v) == 1:
                    yield (
                        "cache_alone",
                        Binary("@", Item(weights, (Span(None, -1),)), cache),
                        "You left out the new word’s own value; weight it and add it too.",
                    )
            if known.rank(weights) == 2:
                yield (
                    "weight_column",
                    Binary("@", Transposed(weights), V),
                    "You used a column of weights; use the query’s *row*."
                    if of_values
                    else "You used a column of weights; use a *row* of them.",
                )
                yield (
                    "unmixed",
                    V,
                    "You didn’t mix the values. Blend them by the attention weights.",
                )
            elif query and keys == V:
                yield (
                    "unmixed",
                    query,
                    "You gave the word’s own vector. Blend in the words around it by their "
                    "weights.",
                )
            yield (
                UNIFORM,
                Binary("@", call("_uniform", weights), V),
                "You took the plain average; weight each row by the attention it gets."
                if of_values
                else "You took the plain average; multiply each row by its weight.",
            )
            yield (
                HARD_MAX,
                Binary("@", call("_largest", weights), V),
                "You took only the row with the largest weight. Every row counts, by its weight.",
            )
            if known.rank(weights) == 1:
                yield (
                    "weights_reversed",
                    Binary("@", call("_reversed", weights), V),
                    "You read the weights backwards. The first belongs to the first row of "
                    f"{known.latex(V)}.",
                )
                yield (
                    "unweighted_sum",
                    call("sum", V, Number(0)),
                    f"You added the {rows} as they are; multiply each by its weight first.",
                )
                yield (
                    "column_vectors",
                    Binary("@", weights, Transposed(V)),
                    f"You mixed the columns of {known.latex(V)}. Each weight belongs to a *row*.",
                )
                yield (
                    "weights_reversed",
                    Binary("@", call("_reversed", weights), V),
                    "You read the weights backwards. The first belongs to the first row of "
                    f"{known.latex(V)}.",
                )


def _query_and_keys(weights: Node, known: Known) -> tuple[Node | None, Node | None]:
    """Return the queries and keys whose softmax the weights are, as far as steps show them."""
    node = known.defined(weights)
    for _ in range(8):
        match node:
            case Call(function="softmax" | "mask", arguments=[x, *_]):
                node = known.defined(x)
            case Binary(sign=("/" | "*"), left=left, right=right):
                node = known.defined(left if known.rank(left) else right)
            case Binary(sign="@", left=Q, right=Transposed(x=K)):
                return Q, K
            case Binary(sign="@", left=K, right=q) if known.rank(q) == 1:
                return q, K
    return None, None


def _signs(node: Node, known: Known) -> Wrong:
    match node:
        case Binary(sign="@", left=Call(function="relu")):
            return
        case Binary(sign=("@" | "*") as sign, left=left, right=right):
            if sign == "*" and (known.rank(left) == 0) != (known.rank(right) == 0):
                return
            yield ("signs_dropped", Binary(sign, _positive(left), _positive(right)), KEEP_THE_SIGNS)
        case Call(function="dot", arguments=[a, b]):
            yield "signs_dropped", call("dot", _positive(a), _positive(b)), KEEP_THE_SIGNS
        case Call(function="relu", arguments=[x]):
            yield (
                "signs_dropped",
                call("abs", x),
                "You dropped the minus signs; the ReLU turns negative numbers into 0.",
            )


def _dot_products(node: Node, known: Known) -> Wrong:
    match node:
        case Binary(sign="@", left=a, right=b) | Call(function="dot", arguments=[a, b]):
            if known.rank(a) == known.rank(b) == 1:
                yield (
                    "sums_multiplied",
                    Binary("*", call("sum", a), call("sum", b)),
                    "You added first and multiplied the sums. Multiply place by place, then add.",
                )
            elif (known.rank(a), known.rank(b)) == (2, 1):
                yield (
                    "sums_multiplied",
                    Binary("*", call("sum", a, Number(1)), call("sum", b)),
                    "You multiplied the sums. Multiply dimension by dimension, then add.",
                )
            elif known.rank(a) == 2 and isinstance(b, Transposed):
                yield (
                    "sums_multiplied",
                    call("outer", call("sum", a, Number(1)), call("sum", b.x, Number(1))),
                    "You added first and multiplied the sums. Multiply dimension by dimension, "
                    "then add.",
                )


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
                if of_scores
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
                    if of_scores
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
                of_tokens = axis == 0 and _is_square(x, known)
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
                "You hid the past. Hide the future: a word may look back and at itself.",
            )
            yield (
                "mask_self",
                along(node, "softmax", call("mask", x, call("_not_itself", seen))),
                "You masked the diagonal. A word may look at itself.",
            )
            yield (
                "no_exponential",
                call("_normalised", Binary("*", x, seen)),
                "You divided the scores themselves by their sum; take their exponentials first.",
            )
            yield (
                UNIFORM,
                call("_normalised", seen),
                "You gave all visible words the same weight. A larger score earns a larger one.",
            )
            yield ("unmasked", softened, "You left out the mask: what’s hidden gets no weight.")
        case Call(function="softmax", arguments=[x]) if known.rank(x) == 1:
            query, keys = _query_and_keys(node, known)
            if is_call(keys or x, "stack"):
                yield (
                    "mask_self",
                    call("softmax", call("mask", x, call("_not_last", x))),
                    "You hid the new word from itself; its own score belongs in the softmax.",
                )
            elif query and keys:
                apart = call("sum", call("abs", Binary("-", keys, query)), Number(1))
                yield (
                    "mask_self",
                    call("softmax", call("mask", x, Binary(">", apart, Number(0)))),
                    "You left the word’s own score out. It may look at itself too.",
                )


def _works_on_rows(node: Call) -> bool:
    axis = node.option("axis") or (node.arguments[1] if len(node.arguments) == 2 else None)
    return not isinstance(axis, Number) or axis.value in (1, -1)


def _size_of_last_axis(x: Node, known: Known) -> Node | None:
    shape = infer(x, known.scope) if known.rank(x) > 0 else ()
    size = getattr(shape[-1], "size", "") if shape else ""
    return Name(size) if size and size in known.scope.sizes else None


def _is_called(node: Node, letter: str) -> bool:
    """Return whether the names in a part begin with this letter, as queries, keys and values do."""
    names = names_in(node)
    return bool(names) and all(name.lower().startswith(letter) for name in names)


def _is_square(x: Node, known: Known) -> bool:
    """Return whether both axes of a matrix have one size, as those of scores among tokens."""
    rows, columns = (length.size for length in infer(x, known.scope))
    return rows == columns != ""


def _positive(node: Node) -> Node:
    if isinstance(node, Transposed):
        return Transposed(_positive(node.x))
    return call("abs", node)


RULES: tuple[Rule, ...] = (
    _scores_of_keys,
    _projections,
    _blends,
    _signs,
    _dot_products,
    _scaling,
    _temperatures,
    _masks,
    _softmaxes,
)
