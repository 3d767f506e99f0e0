"""Mistakes of heads, and of whatever else is set side by side or one below the other."""

from attention_core.formulas.rewriting import Known, Rule, Wrong, call
from attention_core.formulas.trees import Binary, Call, Node, Number, Transposed


def _concatenations(node: Node, known: Known) -> Wrong:
    match node:
        case Call(function="concat", arguments=[one, other]):
            yield (
                "heads_swapped",
                call("concat", other, one),
                f"You put {known.latex(other)} first; {known.latex(one)} stands on the left.",
            )
            yield (
                "dealt_out",
                call("_dealt_out", one, other),
                "You took columns from the two in turn. Keep each one’s columns together.",
            )
            added = Binary("+", one, other)
            yield (
                "heads_averaged",
                call("concat", added, added),
                "You added the two. Concatenate them, so that each keeps its own columns.",
            )
        case Call(function="split", arguments=[x, parts, Number(value)]):
            yield (
                "other_head",
                call("split", x, parts, Number(1 - value if value < 2 else value - 1)),
                "You took another head’s part.",
            )


def _output_projections(node: Node, known: Known) -> Wrong:
    match node:
        case Binary(sign="@", left=joined, right=W) if known.rank(W) == 2:
            match known.defined(joined):
                case Call(function="concat", arguments=[one, _, *_] as heads):
                    yield (
                        "no_output_projection",
                        joined,
                        f"You’ve only concatenated the heads; now multiply by {known.latex(W)}.",
                    )
                    yield (
                        "heads_averaged",
                        Binary("/", node, Number(len(heads))),
                        "You averaged over the heads. They’re concatenated, so their parts just "
                        "add up.",
                    )
                    rows = call("split", Transposed(W), Number(len(heads)), Number(0))
                    yield (
                        "one_head",
                        Binary("@", one, Transposed(rows)),
                        f"You’ve multiplied only {known.latex(one)}. The other columns meet the "
                        f"lower rows of {known.latex(W)}.",
                    )


def _stacks(node: Node, known: Known) -> Wrong:
    match node:
        case Call(function="stack", arguments=[one, other]):
            if known.rank(one) == known.rank(other) == 0:
                yield from _shapes(one, other)
            elif one != other:
                yield (
                    "swapped_rows",
                    call("stack", other, one),
                    f"You put {known.latex(other)} first; it comes below {known.latex(one)}.",
                )


def _shapes(rows: Node, columns: Node) -> Wrong:
    """Yield the mistakes of a pair of numbers: how many rows there are, and how many columns."""
    if rows == columns:
        yield (
            "not_squared",
            call("stack", rows, Number(1)),
            "You gave one for each row. Every row meets every column.",
        )
        return
    yield (
        "transposed",
        call("stack", columns, rows),
        "You swapped the two. Rows come first, columns second.",
    )
    yield (
        "score_shape",
        call("stack", rows, rows),
        "You gave as many columns as rows. How wide is a row?",
    )
    match columns:
        case Binary(sign="*", left=parts, right=width):
            yield (
                "heads_stacked",
                call("stack", Binary("*", parts, rows), width),
                "You put the parts one below the other. They go side by side.",
            )


# Averaged heads come before added ones.
RULES: tuple[Rule, ...] = (_output_projections, _concatenations, _stacks)
