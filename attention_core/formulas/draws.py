"""The draws of givens: what stands after a given's colon, its shape and its value."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from attention_core.errors import FormulaError
from attention_core.formulas.compute import COMPARE, compute
from attention_core.formulas.functions import FUNCTIONS
from attention_core.formulas.hints import nearest
from attention_core.formulas.lengths import Length, Shape
from attention_core.formulas.shapes import Scope, infer
from attention_core.formulas.trees import Binary, Call, Either, Name, Node, Number
from attention_core.formulas.written import written
from attention_core.maths.arrays import Array
from attention_core.problems.drawing import Stream, align_keys
from attention_core.problems.family import Values
from attention_core.problems.meanings import draw_word_pair
from attention_core.problems.rounding import EXACT
from attention_core.problems.sentences import SENTENCES

type Sizes = Mapping[str, Length]

# Draws of numbers whose arguments are lengths, with their shapes.
ARRAYS: Mapping[str, str] = {
    "tenths": "tenths(T, d_k, low=-2, high=2)",
    "hundredths": "hundredths(T)",
    "integers": "integers(T, low=0, high=9)",
}
LINES: Mapping[str, str] = {"lopsided": "lopsided(d)", "shares": "shares(T)", "scores": "scores(T)"}
WORDS: Mapping[str, str] = {
    "sentence": "sentence(T)",
    "word_pair": "word_pair()",
    "choice": "choice(tokens)",
}
OTHERS: Mapping[str, str] = {
    "suited": "suited(tenths(T, d_k), Q)",
    "choice": "choice(2, 3, 5)",
    "meanings": "meanings(d)",
}
EXAMPLES: Mapping[str, str] = {**ARRAYS, **LINES, **WORDS, **OTHERS}


@dataclass
class Drawing:
    """The numbers and words drawn so far, by name."""

    stream: Stream
    sizes: Sizes
    numbers: dict[str, Array]
    words: dict[str, tuple[str, ...]]
    places: dict[str, Array]  # of words among others, 1 at its place


def shape_of_draw(node: Node, scope: Scope) -> Shape:
    """Return the shape of what is drawn. Raise FormulaError where it can't be drawn.

    >>> from attention_core.formulas.trees import parse
    >>> shape_of_draw(parse("tenths(T, 2)"), Scope({}, {"T": Length(3, "T")}))
    (3, 2)
    """
    match node:
        case Call(function=name, options=[_, *_]) if name in EXAMPLES and name not in ARRAYS:
            raise FormulaError(f"Write this draw like {EXAMPLES[name]}.", *node.at)
        case Either(one=one, condition=condition, other=other):
            _check_condition(condition, scope)
            shapes = shape_of_draw(one, scope), shape_of_draw(other, scope)
            if shapes[0] != shapes[1]:
                raise FormulaError("Both draws around “if” need the same shape.", *node.at)
            return shapes[0]
        case Call(function=name, arguments=arguments) if name in ARRAYS:
            _check_range(node)
            if bounds := _bounds(node, scope.sizes):
                raise FormulaError(f"Bounds have names: write {bounds}.", *node.at)
            if len(arguments) > 2:
                raise FormulaError("A given has at most two axes.", *node.at)
            return tuple(length_of(each, scope.sizes) for each in arguments)
        case Call(function=name, arguments=[length]) if name in LINES:
            found = length_of(length, scope.sizes)
            if name == "shares" and found > 19:
                raise FormulaError(
                    "Each share is at least 0.05, so there can be at most 19.", *node.at
                )
            return (found, found) if name == "scores" else (found,)
        case Call(function="suited", arguments=[draw, Name(name=queries)]):
            if scope.shapes.get(queries) != (shape := shape_of_draw(draw, scope)):
                raise FormulaError("suited needs keys of the same shape as the queries.", *node.at)
            if not shape:
                raise FormulaError("suited needs a vector or a matrix of keys.", *node.at)
            return shape
        case Call(function="choice", arguments=arguments):
            if not arguments or not all(isinstance(each, Number) for each in arguments):
                raise FormulaError(f"Choose among numbers: {EXAMPLES['choice']}.", *node.at)
            return ()
        case Call(function=name) if name in EXAMPLES:
            raise FormulaError(f"Write this draw like {EXAMPLES[name]}.", *node.at)
        case Call(function=name) if name not in FUNCTIONS:
            known = nearest(name, EXAMPLES).strip() or f"The draws: {', '.join(sorted(EXAMPLES))}."
            raise FormulaError(f"There’s no draw {name}. {known}", *node.at)
        case Call():
            return infer(node, scope)
    raise FormulaError(f"Say how it’s drawn, for example {ARRAYS['tenths']}.", *node.at)


def draw_number(node: Node, drawing: Drawing) -> Array:
    """Return what a given's line draws from the stream.

    >>> from attention_core.formulas.trees import parse
    >>> drawing = Drawing(Stream("seed"), {"T": Length(3)}, {}, {}, {})
    >>> draw_number(parse("tenths(T, low=0)"), drawing).shape
    (3,)
    """
    stream, sizes = drawing.stream, drawing.sizes
    match node:
        case Either(one=one, condition=Binary() as condition, other=other):
            return draw_number(one if _holds(condition, sizes) else other, drawing)
        case Call(function="suited", arguments=[keys, Name(name=queries)]):
            return align_keys(draw_number(keys, drawing), drawing.numbers[queries])
        case Call(function="choice", arguments=arguments):
            offered = [each.value for each in arguments if isinstance(each, Number)]
            return np.array(stream.choice(offered))
        case Call(function=name, arguments=arguments) if name in ARRAYS:
            shape = [int(length_of(each, sizes)) for each in arguments]
            ends = {key: value.value for key, value in node.options if isinstance(value, Number)}
            if name == "integers":
                low, high = int(ends.get("low", 0)), int(ends.get("high", 9))
                drawn = [low + stream.below(high - low + 1) for _ in range(int(np.prod(shape)))]
                return np.array(drawn, dtype=np.float64).reshape(shape)
            draw: Callable[..., Array] = getattr(stream, name)
            return draw(*shape, **ends)
        case Call(function=name, arguments=[length]) if name in LINES:
            return np.asarray(getattr(stream, name)(int(length_of(length, sizes))))
    scope = Scope({key: _shape(array) for key, array in drawing.numbers.items()}, sizes)
    values = Values({key: np.array(float(size)) for key, size in sizes.items()} | drawing.numbers)
    return np.asarray(compute(node, scope)(EXACT, values))


def draw_words(names: tuple[str, ...], node: Node, drawing: Drawing) -> bool:
    """Draw words, with the numbers that come with them. Return whether this line draws words.

    >>> from attention_core.formulas.trees import parse
    >>> drawing = Drawing(Stream("seed"), {}, {}, {}, {})
    >>> draw_words(("tokens",), parse("sentence(3)"), drawing), len(drawing.words["tokens"])
    (True, 3)
    """
    stream = drawing.stream
    match node:
        case Call(function="sentence", arguments=[length]):
            drawing.words[names[0]] = stream.sentence(int(length_of(length, drawing.sizes)))
        case Call(function="word_pair"):
            for name, word in zip(names, stream.word_pair(), strict=True):
                drawing.words[name] = (word,)
        case Call(function="meanings", arguments=[length]):
            drawn = draw_word_pair(stream, int(length_of(length, drawing.sizes)))
            drawing.numbers |= dict(zip(names, drawn.numbers.values(), strict=True))
            drawing.words |= drawn.words
        case Call(function="choice", arguments=[Name(name=among)]):
            words = drawing.words[among]
            place = stream.below(len(words))
            drawing.words[names[0]] = (words[place],)
            drawing.places[names[0]] = np.eye(len(words))[place]
        case _:
            return False
    return True


def check_sentence(length: int, at: tuple[int, int]) -> None:
    """Raise FormulaError if there are no sentences of so many words.

    >>> check_sentence(9, (1, 1))
    Traceback (most recent call last):
    attention_core.errors.FormulaError: There are sentences of 2, 3, 4, 5 words, not of 9.
    """
    if length not in SENTENCES:
        lengths = ", ".join(map(str, sorted(SENTENCES)))
        raise FormulaError(f"There are sentences of {lengths} words, not of {length}.", *at)


def length_of(node: Node, sizes: Sizes) -> Length:
    """Return a length that is written, or a size's. Raise FormulaError if it's neither.

    >>> length_of(Name("T"), {"T": Length(3, "T")})
    3
    """
    if isinstance(node, Name) and node.name in sizes:
        return sizes[node.name]
    if isinstance(node, Number) and node.value == int(node.value) and 1 <= node.value <= 20:
        return Length(int(node.value))
    if isinstance(node, Name):
        if not sizes:
            raise FormulaError(
                f"{node.name} isn’t in sizes: write a line “sizes: {node.name} = 3”.", *node.at
            )
        raise FormulaError(
            f"{node.name} isn’t in sizes: {', '.join(sizes)}. {nearest(node.name, sizes)}"
            f"Else add “; {node.name} = 3” to that line.",
            *node.at,
        )
    raise FormulaError("A length must be a size, or a whole number from 1 to 20.", *node.at)


def _bounds(node: Call, sizes: Sizes) -> str:
    """Return the draw with its bounds named, if the last two numbers seem to be bounds; else ""."""
    match node.arguments:
        case [*lengths, Number() as low, Number() as high] if low.value < high.value:
            if len(lengths) == 1 or low.value <= 0:
                ends = (("low", low), ("high", high))
                default = Name(next(iter(sizes), "")) if sizes else Number(3)
                return written(Call(node.function, tuple(lengths) or (default,), ends))
    return ""


def _check_range(node: Call) -> None:
    ends = {"low": -2.0, "high": 2.0}
    if node.function == "integers":
        ends = {"low": 0.0, "high": 9.0}
    for name, value in node.options:
        if name not in ends or not isinstance(value, Number):
            raise FormulaError(f"Write this draw like {EXAMPLES[node.function]}.", *node.at)
        ends[name] = value.value
    if not -1e6 <= ends["low"] < ends["high"] <= 1e6:
        raise FormulaError("The lowest number must be below the highest.", *node.at)


def _check_condition(node: Node, scope: Scope) -> None:
    match node:
        case Binary(sign=sign, left=Name(name=name), right=Number()) if name in scope.sizes:
            if sign in COMPARE:
                return
    raise FormulaError("After “if” compare a size with a number: if T == 2.", *node.at)


def _holds(node: Binary, sizes: Sizes) -> bool:
    left = sizes[node.left.name] if isinstance(node.left, Name) else 0
    right = node.right.value if isinstance(node.right, Number) else 0.0
    return bool(COMPARE[node.sign](left, right))


def _shape(array: Array) -> Shape:
    return tuple(Length(length) for length in array.shape)
