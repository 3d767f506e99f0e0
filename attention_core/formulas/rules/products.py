"""Mistakes of products: scores, projections, blends, dot products."""

from attention_core.formulas.rewriting import Known, Rule, Wrong, call, is_call
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


def _scores_of_keys(node: Node, known: Known) -> Wrong:
    match node:
        case Binary(sign="@", left=Q, right=Transposed(x=K)) if known.rank(Q) == 2:
            of_keys = known.of_words and _is_called(Q, "q") and _is_called(K, "k")
            if Q != K:
                wrong = Binary("@", K, Transposed(Q))
                named = isinstance(Q, Name) and isinstance(K, Name)
                computed = known.latex(wrong) if named else "$KQ^\\top$"
                yield (
                    "transposed",
                    wrong,
                    f"You computed {computed}. Each query gets a row and each key a column."
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
            matrix = "the matrix" if is_call(W, "where") else known.latex(W)
            yield (
                "column_vectors",
                Binary("@", x, Transposed(W)),
                f"You multiplied by the rows of {matrix}. Vectors are rows here, so take its "
                "*columns*.",
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
            of_values = known.of_words and _is_called(V, "v")
            rows = "values" if of_values else "rows"
            query, keys = known.query_and_keys(weights)
            for other in (keys, *known.alike(V)[:1]):
                if other and other != V:
                    told = "the keys" if other == keys and of_values else known.latex(other)
                    yield (
                        "mixed_keys",
                        Binary("@", weights, other),
                        f"You mixed {told}; mix {'the *values*' if of_values else known.latex(V)}.",
                    )
            match V:
                case Call(function="stack", arguments=[cache, v]) if known.rank(v) == 1:
                    yield (
                        "cache_alone",
                        Binary("@", Item(weights, (Span(None, -1),)), cache),
                        "You left out the new word’s own value; weight it and add it too."
                        if known.of_words
                        else f"You left out {known.latex(v)}; weight it and add it too.",
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
                    "You didn’t mix the values. Blend them by the attention weights."
                    if known.of_words
                    else f"You gave {known.latex(V)} itself. Mix its rows by the weights.",
                )
            elif query and keys == V:
                yield (
                    "unmixed",
                    query,
                    "You gave the word’s own vector. Blend in the words around it by their weights."
                    if known.of_words
                    else f"You gave {known.latex(query)} itself. Mix the rows by their weights.",
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


def _is_called(node: Node, letter: str) -> bool:
    """Return whether the names in a part begin with this letter, as queries, keys and values do."""
    names = names_in(node)
    return bool(names) and all(name.lower().startswith(letter) for name in names)


def _positive(node: Node) -> Node:
    if isinstance(node, Transposed):
        return Transposed(_positive(node.x))
    return call("abs", node)


RULES: tuple[Rule, ...] = (_scores_of_keys, _projections, _blends, _signs, _dot_products)
