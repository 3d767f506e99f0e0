"""Mistakes of reading: another name of the same shape, a neighbour, or the earlier result again.

They come last: wherever arithmetic goes wrong is likelier.
"""

from collections.abc import Iterator

from attention_core.formulas.rewriting import Known, Rule, Wrong, call
from attention_core.formulas.trees import (
    Binary,
    Call,
    Item,
    Name,
    Node,
    Number,
    Span,
    Transposed,
    children,
    names_in,
    replaced,
)

NEIGHBOUR = "You took a neighbour’s row; use the word’s own."


def _neighbours(node: Node, known: Known) -> Wrong:
    match node:
        case Item(x=x, places=[Number(value), *rest]):
            feedback = "You took a neighbour. Check where counting starts."
            yield "off_by_one", Item(x, (Number(value + 1), *rest)), feedback
            yield "off_by_one", Item(x, (Number(value - 1), *rest)), feedback
            if not rest and known.rank(x) == 2:
                yield (
                    "column_for_row",
                    Item(x, (Span(None, None), node.places[0])),
                    "You took a column; take the *row*.",
                )
        case Item(x=x, places=[Span(None, None), Number() as place]):
            yield "row_for_column", Item(x, (place,)), "You took a row; take the *column*."
        case Item(x=x, places=[Span(None, int() as stop), *rest]) if stop < 0:
            yield (
                "off_by_one",
                Item(x, (Span(-stop, None), *rest)),
                "You started one place too far on. Counting begins at 0.",
            )
            yield from _first_row(x, known)
        case Item(x=x, places=[Span(int() as start, None), *rest]) if start > 0:
            yield (
                "off_by_one",
                Item(x, (Span(None, -start), *rest)),
                "You started at the first place, and that’s too early.",
            )
            yield from _first_row(x, known)
        case Item(x=x, places=[Name() as word]):
            yield "off_by_one", Item(call("_next", x), (word,)), NEIGHBOUR
            if known.rank(x) == 2:
                yield (
                    "column_for_row",
                    Item(Transposed(x), (word,)),
                    "You took the word’s column; take its *row*.",
                )
        case Binary(sign=("+" | "-") as sign, left=left, right=Name() as right):
            if known.rank(left) == known.rank(right) == 2:
                told = NEIGHBOUR if known.of_words else "You took a neighbour’s row; use its own."
                yield "off_by_one", Binary(sign, left, call("_previous", right)), told


def _taken_rows(node: Node, known: Known) -> Wrong:
    match node:
        case Call(function="take", arguments=[E, ids]):
            if known.shape(node) == known.shape(E):
                yield "order_ignored", E, "You left the rows in place. Each moves."
                yield (
                    "moved_back",
                    call("take", E, call("_inverse", ids)),
                    "You moved the rows the opposite way. For each new row, ask which one is "
                    "there now.",
                )
            yield (
                "off_by_one",
                call("take", E, Binary("-", ids, Number(1))),
                "You counted the rows from 1, but they start at 0. Go one row further down.",
            )
            yield (
                "position_for_id",
                call("take", E, call("_counted", ids)),
                f"You copied the first rows of {known.latex(E)}. Copy the rows that "
                f"{known.latex(ids)} points to.",
            )
            yield (
                "order_lost",
                call("take", E, call("_sorted", ids)),
                f"You’ve got the right rows, but in the order of {known.latex(E)}. Keep the order "
                f"of {known.latex(ids)}.",
                Binary(
                    ">", call("max", call("abs", Binary("-", ids, call("_sorted", ids)))), Number(0)
                ),
            )
            yield (
                "columns_moved",
                Transposed(call("take", Transposed(E), ids)),
                "You moved the columns. Take whole rows, and leave the columns in place.",
            )
            yield (
                "both_moved",
                Transposed(call("take", Transposed(node), ids)),
                "You moved the columns too. Move the rows alone.",
            )


def _first_row(x: Node, known: Known) -> Wrong:
    if known.rank(x) == 2:
        yield (
            "first_position",
            Item(x, (Number(0),)),
            f"You took the first row of {known.latex(x)} throughout. Each row has its own.",
        )


def _other_operands(node: Node, known: Known) -> Wrong:
    """Yield products and sums with another name of the same shape, the likeliest alone."""
    match node:
        case Binary(sign="@", left=left, right=right):
            for part, beside in ((left, right), (right, left)):
                if known.is_weights(left) or (part is right and known.rank(part) == 2):
                    continue
                others = [x for x in known.alike(part)[:1] if beside not in (x, Transposed(x))]
                yield from _replaced(node, part, others, known)
        case Binary(sign=("+" | "-" | "*" | "/")) | Call(function="stack"):
            read = {name.name for name in _operands(known.whole)}
            for part in children(node):
                others = [other for other in known.alike(part) if other.name not in read]
                yield from _replaced(node, part, others, known)


def _replaced(node: Node, part: Node, others: list[Name], known: Known) -> Wrong:
    for other in [other for other in others if not _is_bias(other)][:1]:
        if isinstance(part, Name) and not _is_bias(part):
            yield (
                f"{other.name}_for_{part.name}",
                replaced(node, part, other),
                f"You used {known.latex(other)}; this step needs {known.latex(part)}.",
            )


def _is_bias(name: Name) -> bool:
    return name.name.partition("_")[0] == "b"


def _operands(node: Node) -> Iterator[Name]:
    """Yield the names outside of products of matrices."""
    if isinstance(node, Name):
        yield node
    elif not (isinstance(node, Binary) and node.sign == "@"):
        for child in children(node):
            yield from _operands(child)


def _earlier_results(node: Node, known: Known) -> Wrong:
    """Yield an earlier step of the same form, given again."""
    if node is not known.whole:
        return
    for name, tree in reversed([*known.earlier.items()]):
        if name not in names_in(node) and _has_form(tree, node):
            yield (
                "same_output",
                Name(name),
                f"You gave {known.latex(Name(name))} again. Here other numbers go in.",
            )
            return


def _has_form(one: Node, other: Node) -> bool:
    """Return whether two formulas differ in their names alone."""
    if isinstance(one, Name) and isinstance(other, Name):
        return True
    parts, others = [*children(one)], [*children(other)]
    if not parts:
        return one == other
    return (
        type(one) is type(other)
        and len(parts) == len(others)
        and getattr(one, "sign", "") == getattr(other, "sign", "")
        and getattr(one, "function", "") == getattr(other, "function", "")
        and all(map(_has_form, parts, others))
    )


RULES: tuple[Rule, ...] = (_neighbours, _taken_rows, _other_operands, _earlier_results)
