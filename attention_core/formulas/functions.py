"""The functions that a formula may call: shapes, values in any way of computing, and prints."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from attention_core.errors import FormulaError
from attention_core.formulas.lengths import Length, Shape, broadcast, in_words
from attention_core.formulas.trees import Call, Minus, Name, Node, Number
from attention_core.maths.activations import gelu, relu, silu
from attention_core.maths.arrays import Array
from attention_core.maths.positions import rotary_positions
from attention_core.problems.mistakes import (
    one_hot_largest,
    sample_norm,
    uniform_weights,
    variance_norm,
)
from attention_core.problems.rounding import Way

type Sizes = Mapping[str, Length]
type ShapeRule = Callable[[Call, list[Shape], Sizes], Shape]
# Computes from the way, the arguments and the axes, each counted from the last.
type Computed = Callable[[Way, Sequence[Array], tuple[int, ...]], Array]


@dataclass(frozen=True)
class Function:
    """A function of formulas.

    Attributes:
        name: what an author types.
        shape: returns its value's shape, or raises FormulaError.
        compute: computes it; arguments keep their batch axes.
        program: its NumPy; `{0}` is an argument, `{axis}` the axis. "" where signs write it.
        latex: its LaTeX; `{0}` is an argument. "" where signs write it.
        example: a call that can be put into a text.
        aligned: whether the arguments are combined cell by cell.
        over: the axes that it works along unless one is named: "all", "last" or "".
    """

    name: str
    shape: ShapeRule
    compute: Computed
    program: str
    latex: str
    example: str
    aligned: bool = False
    over: str = ""


def axes_of(call: Call, rank: int) -> tuple[int, ...]:
    """Return the axes along which a call works, each counted from the last.

    Axis 0 is the rows of a matrix and the one axis of a vector, as in NumPy.

    >>> from attention_core.formulas.trees import parse
    >>> axes_of(parse("softmax(scores, 0)"), 2), axes_of(parse("sum(x)"), 2)
    ((-2,), (-2, -1))
    """
    function = FUNCTIONS[call.function]
    named = call.option("axis")
    if named is None and function.over and len(call.arguments) == 2:
        named = call.arguments[1]
    if named is None:
        return tuple(range(-rank, 0)) if function.over == "all" else (-1,) if function.over else ()
    axis = named.value if isinstance(named, Number) else None
    if axis is None or axis != int(axis) or not -rank <= axis < rank:
        raise FormulaError(
            f"The axis of a {'vector must be 0' if rank == 1 else 'matrix must be 0 or 1'}.",
            *named.at,
        )
    return (int(axis) - rank if axis >= 0 else int(axis),)


# Shapes ------------------------------------------------------------------------------------------


def _count(call: Call, least: int, most: int) -> None:
    if not least <= len(call.arguments) <= most:
        wanted = str(least) if least == most else f"{least} to {most}"
        example = FUNCTIONS[call.function].example
        arguments = "argument" if most == 1 else "arguments"
        raise FormulaError(f"{call.function} takes {wanted} {arguments}: {example}.")
    if names := {name for name, _ in call.options} - {"axis"}:
        raise FormulaError(f"{call.function} has no option {min(names)}.")
    if call.options and len(call.arguments) == 2 and most == 2:
        raise FormulaError(f"{call.function} can’t have two axes: write only one.")
    if call.options and not FUNCTIONS[call.function].over:
        raise FormulaError(f"{call.function} works on single cells, so it has no axis.")


def _same(call: Call, shapes: list[Shape], sizes: Sizes) -> Shape:
    _count(call, 1, 1)
    return shapes[0]


def _along(call: Call, shapes: list[Shape], sizes: Sizes) -> Shape:
    """Return the shape of softmax and the norms: the argument's."""
    _count(call, 1, 2)
    if not shapes[0]:
        raise FormulaError(f"{call.function} needs a vector or a matrix, not a number.")
    axes_of(call, len(shapes[0]))
    return shapes[0]


def _last_alone(call: Call, shapes: list[Shape], sizes: Sizes) -> Shape:
    _count(call, 1, 1)
    if not shapes[0]:
        raise FormulaError(f"{call.function} needs a vector or a matrix, not a number.")
    return shapes[0]


def _reduced(call: Call, shapes: list[Shape], sizes: Sizes) -> Shape:
    _count(call, 1, 2)
    shape = shapes[0]
    if not shape:
        raise FormulaError(f"{call.function} needs a vector or a matrix, not a number.")
    gone = axes_of(call, len(shape))
    return tuple(
        length for at, length in zip(range(-len(shape), 0), shape, strict=True) if at not in gone
    )


def _argmax(call: Call, shapes: list[Shape], sizes: Sizes) -> Shape:
    if shapes and len(shapes[0]) == 2 and len(axes_of(call, 2)) == 2:
        raise FormulaError("argmax of a matrix needs an axis: argmax(weights, 1).")
    return _reduced(call, shapes, sizes)


def _vectors(count: int, call: Call, shapes: list[Shape], sizes: Sizes) -> Shape:
    _count(call, count, count)
    for shape in shapes:
        if len(shape) != 1:
            raise FormulaError(f"{call.function} needs vectors, and this is {in_words(shape)}.")
    if count == 2 and call.function == "outer":
        return shapes[0] + shapes[1]
    if any(shape != shapes[0] for shape in shapes):
        each = " and ".join(map(in_words, shapes))
        raise FormulaError(f"{call.function} needs vectors of the same length: {each}.")
    return ()


def _cell_by_cell(count: int, call: Call, shapes: list[Shape], sizes: Sizes) -> Shape:
    _count(call, count, count)
    try:
        return broadcast(*shapes)
    except ValueError:
        each = ", ".join(map(in_words, shapes))
        raise FormulaError(f"{call.function} needs the same shape throughout: {each}.") from None


def _concat(call: Call, shapes: list[Shape], sizes: Sizes) -> Shape:
    _count(call, 2, 8)
    ranks = {len(shape) for shape in shapes}
    if ranks not in ({1}, {2}) or len({shape[:-1] for shape in shapes}) > 1:
        each = ", ".join(map(in_words, shapes))
        raise FormulaError(
            f"concat needs vectors, or matrices with the same number of rows: {each}."
        )
    return (*shapes[0][:-1], Length(sum(shape[-1] for shape in shapes)))


def _dealt(call: Call, shapes: list[Shape], sizes: Sizes) -> Shape:
    if len({*shapes}) > 1:
        raise FormulaError("Columns can only be taken in turn from arrays of the same shape.")
    return _concat(call, shapes, sizes)


def _take(call: Call, shapes: list[Shape], sizes: Sizes) -> Shape:
    _count(call, 2, 2)
    if [*map(len, shapes)] != [2, 1]:
        raise FormulaError("take needs a matrix and a vector of row numbers: take(E, ids).")
    return (shapes[1][0], shapes[0][1])


def _stack(call: Call, shapes: list[Shape], sizes: Sizes) -> Shape:
    """Return the shape of numbers in a row, or of rows one below the other."""
    _count(call, 2, 8)
    if not any(shapes):
        return (Length(len(shapes)),)
    if not all(shapes) or len({shape[-1] for shape in shapes}) > 1:
        each = ", ".join(map(in_words, shapes))
        raise FormulaError(f"stack takes numbers, or rows of the same width: {each}.")
    rows = sum(shape[0] if len(shape) == 2 else 1 for shape in shapes)
    return (Length(rows), shapes[0][-1])


def _split(call: Call, shapes: list[Shape], sizes: Sizes) -> Shape:
    _count(call, 3, 3)
    parts, place = (_whole(node, sizes) for node in call.arguments[1:])
    if not shapes[0] or parts < 1 or shapes[0][-1] % parts:
        raise FormulaError(f"{in_words(shapes[0])} can’t be split into {parts} equal parts.")
    if not 0 <= place < parts:
        raise FormulaError(f"The parts are numbered from 0 to {parts - 1}.")
    return (*shapes[0][:-1], Length(shapes[0][-1] // parts))


def _tril(call: Call, shapes: list[Shape], sizes: Sizes) -> Shape:
    _count(call, 1, 1)
    if shapes[0]:
        if len(shapes[0]) != 2:
            raise FormulaError("tril needs a matrix, or a size.")
        return shapes[0]
    rows = _size(call.arguments[0], sizes)
    return (rows, rows)


def _onehot(call: Call, shapes: list[Shape], sizes: Sizes) -> Shape:
    _count(call, 2, 2)
    if shapes[0]:
        raise FormulaError("onehot needs a place and a size: onehot(0, T).")
    return (_size(call.arguments[1], sizes),)


def _rows(call: Call, shapes: list[Shape], sizes: Sizes) -> Shape:
    _count(call, 1, 1)
    if len(shapes[0]) != 2 or shapes[0][-1] % 2:
        raise FormulaError(f"{call.function} needs a matrix of an even width.")
    return shapes[0]


def _size(node: Node, sizes: Sizes) -> Length:
    """Return a whole number from 1 to 400 that is written, or a size."""
    size = _whole(node, sizes)
    if not size:
        raise FormulaError("An array needs at least one place.")
    return size


def _whole(node: Node, sizes: Sizes) -> Length:
    """Return a whole number from 0 to 400 that is written, or a size."""
    if isinstance(node, Name) and node.name in sizes:
        return sizes[node.name]
    value = node.value if isinstance(node, Number) else -1.0
    if isinstance(node, Minus) or value != int(value) or not 0 <= value <= 400:
        raise FormulaError("Write a whole number, or a size, here.")
    return Length(int(value))


# Values ------------------------------------------------------------------------------------------


def _rounded(function: Callable[[Array], Array]) -> Computed:
    def compute(way: Way, x: Sequence[Array], axes: tuple[int, ...]) -> Array:
        return way.round(function(x[0]))

    return compute


def _exact(function: Callable[..., Array]) -> Computed:
    """Return a function whose result nobody rounds."""
    return lambda way, x, axes: function(*x)


def _sum(way: Way, x: Sequence[Array], axes: tuple[int, ...]) -> Array:
    return way.round(x[0].sum(axis=axes))


def _mean(way: Way, x: Sequence[Array], axes: tuple[int, ...]) -> Array:
    return way.round(x[0].mean(axis=axes))


def _var(way: Way, x: Sequence[Array], axes: tuple[int, ...]) -> Array:
    mean = way.round(x[0].mean(axis=axes, keepdims=True))
    if way.shortcut:
        squares = way.round((x[0] * x[0]).mean(axis=axes, keepdims=True))
        return (squares - way.round(mean * mean)).squeeze(axes)
    deviations = way.round(x[0] - mean)
    return way.round((deviations * deviations).mean(axis=axes))


def _argmax_of(way: Way, x: Sequence[Array], axes: tuple[int, ...]) -> Array:
    return np.asarray(x[0].argmax(axis=axes[0]), dtype=np.float64)


def _softmax(way: Way, x: Sequence[Array], axes: tuple[int, ...]) -> Array:
    return way.softmax(x[0], axis=axes[0])


def _first(array: Array) -> int:
    """Return a whole number that is the same throughout a batch."""
    return int(np.asarray(array).flat[0])


def _split_of(way: Way, x: Sequence[Array], axes: tuple[int, ...]) -> Array:
    width = x[0].shape[-1] // _first(x[1])
    start = _first(x[2]) * width
    return x[0][..., start : start + width]


def _tril_of(way: Way, x: Sequence[Array], axes: tuple[int, ...]) -> Array:
    return np.tril(x[0])  # not a product, which makes NaN of −∞


def _onehot_of(way: Way, x: Sequence[Array], axes: tuple[int, ...]) -> Array:
    return np.asarray(x[0][..., None] == np.arange(_first(x[1])), dtype=np.float64)


def _dealt_out(way: Way, x: Sequence[Array], axes: tuple[int, ...]) -> Array:
    """Set the columns of several arrays side by side in turn."""
    each = np.stack(np.broadcast_arrays(*x), axis=-1)
    return each.reshape(*each.shape[:-2], -1)


def _take_of(way: Way, x: Sequence[Array], axes: tuple[int, ...]) -> Array:
    """Return the rows with these numbers, counted from 0; NaN for rows that there aren't."""
    matrix, numbers = x
    is_row = np.isin(numbers, np.arange(matrix.shape[-2]))[..., None]
    places = np.where(is_row, numbers[..., None], 0).astype(int)
    batch = np.broadcast_shapes(matrix.shape[:-2], places.shape[:-2])
    matrix = np.broadcast_to(matrix, (*batch, *matrix.shape[-2:]))
    places = np.broadcast_to(places, (*batch, *places.shape[-2:]))
    return np.where(is_row, np.take_along_axis(matrix, places, axis=-2), np.nan)


def _joined(way: Way, x: Sequence[Array], axes: tuple[int, ...]) -> Array:
    """Set arrays side by side, or along the axis counted from the last."""
    axis = axes[0] if axes else -1
    batch = np.broadcast_shapes(*(each.shape[:axis] for each in x))
    parts = [np.broadcast_to(each, (*batch, *each.shape[axis:])) for each in x]
    return np.concatenate(parts, axis=axis)


def _where_of(way: Way, x: Sequence[Array], axes: tuple[int, ...]) -> Array:
    return np.where(x[0] != 0, x[1], x[2])


def _mask_of(way: Way, x: Sequence[Array], axes: tuple[int, ...]) -> Array:
    return np.where(x[1] != 0, x[0], -np.inf)


def _outer_of(way: Way, x: Sequence[Array], axes: tuple[int, ...]) -> Array:
    return way.round(x[0][..., :, None] * x[1][..., None, :])


def _rope_of(way: Way, x: Sequence[Array], axes: tuple[int, ...]) -> Array:
    return way.round(rotary_positions(x[0]))


def _softmax_of_all(way: Way, x: Sequence[Array], axes: tuple[int, ...]) -> Array:
    return way.softmax(x[0].reshape(*x[0].shape[:-2], -1)).reshape(x[0].shape)


def _sample_variance(way: Way, x: Sequence[Array], axes: tuple[int, ...]) -> Array:
    deviations = way.deviations(x[0])
    return way.round((deviations * deviations).sum(axis=-1) / (x[0].shape[-1] - 1))


def _inner(
    name: str, compute: Computed, shape: ShapeRule = _last_alone, over: str = ""
) -> Function:
    return Function(name, shape, compute, "", "", "", over=over)


_ALL = [
    Function("sqrt", _same, lambda way, x, axes: way.root(x[0]),
             "np.sqrt({0})", r"\sqrt{{{0}}}", "sqrt(d_k)"),
    Function("exp", _same, _rounded(np.exp), "np.exp({0})", r"e^{{{0}}}", "exp(x)"),
    Function("log", _same, _rounded(np.log), "np.log({0})", r"\ln({0})", "log(x)"),
    Function("abs", _same, _exact(np.abs), "np.abs({0})", r"\lvert {0} \rvert", "abs(x)"),
    Function("sign", _same, _exact(np.sign), "np.sign({0})", r"\mathrm{{sign}}({0})", "sign(x)"),
    Function("cos", _same, _rounded(np.cos), "np.cos({0})", r"\cos({0})", "cos(x)"),
    Function("sin", _same, _rounded(np.sin), "np.sin({0})", r"\sin({0})", "sin(x)"),
    Function("relu", _same, _exact(relu), "np.maximum({0}, 0)", r"\mathrm{{ReLU}}({0})", "relu(x)"),
    Function("gelu", _same, _rounded(gelu), "gelu({0})", r"\mathrm{{GELU}}({0})", "gelu(x)"),
    Function("silu", _same, _rounded(silu), "", r"\mathrm{{SiLU}}({0})", "silu(x)"),
    Function("softmax", _along, _softmax, "softmax({0}{axis})", r"\mathrm{{softmax}}({0})",
             "softmax(scores)", over="last"),
    Function("layer_norm", _last_alone, lambda way, x, axes: way.layer_norm(x[0]),
             "layer_norm({0})", r"\mathrm{{LayerNorm}}({0})", "layer_norm(x)"),
    Function("rms_norm", _last_alone, lambda way, x, axes: way.rms_norm(x[0]),
             "rms_norm({0})", r"\mathrm{{RMSNorm}}({0})", "rms_norm(x)"),
    Function("sum", _reduced, _sum, "np.sum({0}{axis})", r"\textstyle\sum {0}", "sum(x)",
             over="all"),
    Function("mean", _reduced, _mean, "np.mean({0}{axis})", r"\mathrm{{mean}}({0})", "mean(x)",
             over="all"),
    Function("var", _reduced, _var, "np.var({0}{axis})", r"\mathrm{{var}}({0})", "var(x)",
             over="all"),
    Function("max", _reduced, lambda way, x, axes: x[0].max(axis=axes),
             "np.max({0}{axis})", r"\max({0})", "max(x)", over="all"),
    Function("min", _reduced, lambda way, x, axes: x[0].min(axis=axes),
             "np.min({0}{axis})", r"\min({0})", "min(x)", over="all"),
    Function("argmax", _argmax, _argmax_of, "np.argmax({0}{axis})",
             r"\mathrm{{argmax}}({0})", "argmax(weights, 1)", over="all"),
    Function("dot", partial(_vectors, 2), lambda way, x, axes: way.dot(x[0], x[1]),
             "", "", "dot(q, k)"),
    Function("norm", partial(_vectors, 1), lambda way, x, axes: way.length(x[0]),
             "np.linalg.norm({0})", r"\lVert {0} \rVert", "norm(a)"),
    Function("outer", partial(_vectors, 2), _outer_of, "np.outer({0}, {1})",
             r"{0} \otimes {1}", "outer(a, b)"),
    Function("onehot", _onehot, _onehot_of, "np.eye({1})[{0}]", r"e_{{{0}}}", "onehot(0, T)"),
    Function("concat", _concat, _joined, "np.concatenate([{all}], axis=-1)",
             r"[{all}]", "concat(head_1, head_2)"),
    Function("stack", _stack, _joined, "np.vstack([{all}])", r"[{all}]", "stack(K, k)"),
    Function("take", _take, _take_of, "np.take({0}, np.int64({1}), axis=0)",
             "{{{0}}}_{{{1}}}", "take(E, ids)"),
    Function("split", _split, _split_of, "np.split({0}, {1}, axis=-1)[{2}]",
             r"{0}^{{({2})}}", "split(Q, 2, 0)"),
    Function("tril", _tril, _tril_of, "np.tril({0})", r"\mathrm{{tril}}({0})", "tril(T)"),
    Function("mask", partial(_cell_by_cell, 2), _mask_of, "np.where({1}, {0}, -np.inf)",
             r"\mathrm{{mask}}({0})", "mask(scores, tril(T))", aligned=True),
    Function("where", partial(_cell_by_cell, 3), _where_of, "np.where({0}, {1}, {2})",
             r"({1}\text{{ if }}{0}\text{{, else }}{2})", "where(x > 0, x, 0)", aligned=True),
    Function("rope", _rows, _rope_of, "rope({0})", r"\mathrm{{RoPE}}({0})", "rope(Q)"),
    # Those below are no part of the language: rewrites use them.
    _inner("_as_number", lambda way, x, axes: x[0], shape=_same),
    _inner("_largest", lambda way, x, axes: one_hot_largest(x[0])),
    _inner("_reversed", lambda way, x, axes: x[0][..., ::-1]),
    _inner("_uniform", lambda way, x, axes: uniform_weights(x[0])),
    _inner("_even", lambda way, x, axes: way.round(uniform_weights(x[0]))),
    _inner("_exp2", lambda way, x, axes: way.round(np.exp2(x[0]))),
    _inner("_normalised", lambda way, x, axes: way.normalise(x[0])),
    _inner("_softmax_of_all", _softmax_of_all),
    _inner("_deviations", lambda way, x, axes: way.deviations(x[0])),
    _inner("_sample_norm", lambda way, x, axes: sample_norm(way, x[0])),
    _inner("_variance_norm", lambda way, x, axes: variance_norm(way, way.deviations(x[0]))),
    _inner("_sample_mean", lambda way, x, axes: way.round(
        x[0].sum(axis=-1) / (x[0].shape[-1] - 1)), shape=_reduced, over="last"),
    _inner("_next", lambda way, x, axes: np.roll(x[0], -1, axis=axes[0]), over="all"),
    _inner("_previous", lambda way, x, axes: np.roll(x[0], 1, axis=axes[0]), over="all"),
    _inner("_reversed", lambda way, x, axes: x[0][..., ::-1]),
    _inner("_sorted", lambda way, x, axes: np.sort(x[0], axis=-1)),
    _inner("_inverse", lambda way, x, axes: x[0].argsort(axis=-1).astype(np.float64)),
    _inner("_counted", lambda way, x, axes: np.broadcast_to(
        np.arange(float(x[0].shape[-1])), x[0].shape)),
    _inner("_not_itself", lambda way, x, axes: x[0] * (1 - np.eye(*x[0].shape[-2:]))),
    _inner("_not_last", lambda way, x, axes: np.arange(1.0, x[0].shape[-1] + 1) < x[0].shape[-1]),
    _inner("_dealt_out", _dealt_out, shape=_dealt),
    _inner("_sample_variance", _sample_variance, shape=_reduced, over="all"),
]  # fmt: skip

FUNCTIONS: Mapping[str, Function] = {function.name: function for function in _ALL}

# What authors may type.
NAMES = tuple(sorted(name for name in FUNCTIONS if not name.startswith("_")))
