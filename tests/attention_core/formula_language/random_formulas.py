"""Random formulas that fit random names, and random texts that may not read, the same each time."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from random import Random

import numpy as np

from attention_core.errors import FormulaError
from attention_core.formulas import read
from attention_core.formulas.compute import compute
from attention_core.formulas.functions import NAMES
from attention_core.formulas.lengths import Length, Shape
from attention_core.formulas.shapes import Axis, Scope, infer
from attention_core.formulas.trees import (
    Binary,
    Call,
    Item,
    Minus,
    Name,
    Node,
    Number,
    Span,
    Transposed,
    parse,
)
from attention_core.formulas.written import written
from attention_core.problems.family import Values
from attention_core.problems.rounding import EXACT

CELLS = ("sqrt", "exp", "log", "abs", "sign", "cos", "sin", "relu", "gelu", "silu")
MILD = ("abs", "cos", "sin", "relu")
REDUCING = ("sum", "mean", "max", "min", "var")
COMPARING = ("<", "<=", ">", ">=", "==", "!=")


def random_scope(rng: Random) -> Scope:
    """Return names of every rank, with sizes from 1 to 4 that may be equal."""
    n, m = (Length(rng.randint(1, 4), name) for name in "nm")
    shapes = {
        "s": (), "t": (), "x": (n,), "y": (n,), "z": (m,), "A": (n, m), "B": (n, m), "C": (m, n),
        "D": (n, n), "word": (n,),
    }  # fmt: skip
    sizes = {"n": n, "m": m, "k": Length(rng.randint(1, 4), "k")}
    read_off = {"n": Axis("C", -1), "m": Axis("C", -2)}
    return Scope(shapes, sizes, read_off, frozenset(["word"]))


def random_values(rng: Random, scope: Scope, largest: float = 2.0) -> Values:
    """Return numbers of few decimals for all names, and sizes that no given shows."""
    values = {
        name: np.array([rng.randint(-20, 20) / 20 * largest for _ in range(int(np.prod(shape)))])
        for name, shape in scope.shapes.items()
    }
    values = {name: flat.reshape(scope.shapes[name]) for name, flat in values.items()}
    words = scope.shapes["word"][0]
    values["word"] = np.eye(words)[rng.randrange(words)]
    hidden = scope.sizes.keys() - scope.read_off.keys()
    return Values(values | {name: np.array(float(scope.sizes[name])) for name in sorted(hidden)})


class Formulas:
    """Random trees over a scope; `mild` ones keep the errors of rounding small."""

    def __init__(self, rng: Random, scope: Scope, *, mild: bool = False) -> None:
        self.rng, self.scope, self.mild = rng, scope, mild

    def any(self, depth: int) -> Node:
        shapes = [*{*self.scope.shapes.values()}]
        return self.of(self.rng.choice(sorted(shapes)), depth)

    def of(self, shape: Shape, depth: int) -> Node:
        """Return a tree of this shape."""
        ways: list[Callable[[Shape, int], Node]] = [self.leaf]
        if depth:
            ways += [
                self.cells,
                self.signed,
                self.whole,
                (self.number, self.vector, self.matrix)[len(shape)],
            ]
            ways += [self.signed, ways[-1], ways[-1]]
        if depth and not self.mild:
            ways += [self.chosen, self.compared]
        return self.rng.choice(ways if not depth else ways[1:])(shape, depth - 1)

    def leaf(self, shape: Shape, _: int) -> Node:
        names = [name for name, own in self.scope.shapes.items() if own == shape and name != "word"]
        if not shape and not self.mild:
            names += [*self.scope.sizes]
        if names and self.rng.random() < 0.8:
            return Name(self.rng.choice(names))
        if not shape:
            return Number(self.rng.choice([0.0, 1.0, 2.0, 0.5, 1.5, -1.0, -0.25, 3.0]))
        if len(shape) == 1:
            return Call(
                "onehot", (Number(float(self.rng.randrange(shape[0]))), self.size(shape[0]))
            )
        return Call("outer", (self.leaf(shape[:1], 0), self.leaf(shape[1:], 0)))

    def size(self, length: int) -> Node:
        return Number(float(length))

    def less(self, shape: Shape) -> Shape:
        """Return the shape, or one that is spread over it."""
        return self.rng.choice([shape, shape[self.rng.randint(0, len(shape)) :]])

    def cells(self, shape: Shape, depth: int) -> Node:
        return Call(self.rng.choice(MILD if self.mild else CELLS), (self.of(shape, depth),))

    def signed(self, shape: Shape, depth: int) -> Node:
        sides = [self.of(shape, depth), self.of(self.less(shape), depth)]
        self.rng.shuffle(sides)
        return Binary(self.rng.choice("+-" if self.mild else ["+", "-", "*", "/", "**"]), *sides)

    def compared(self, shape: Shape, depth: int) -> Node:
        sides = [self.of(shape, depth), self.of(self.less(shape), depth)]
        self.rng.shuffle(sides)
        return Binary(self.rng.choice(COMPARING), *sides)

    def whole(self, shape: Shape, depth: int) -> Node:
        x = self.of(shape, depth)
        if not shape or self.rng.random() < 0.2:
            return x if isinstance(x, Number) else Minus(x)
        name = "softmax" if self.mild else self.rng.choice(["softmax", "layer_norm", "rms_norm"])
        if name == "softmax" and self.rng.random() < 0.4:
            axis = Number(float(self.rng.randrange(-len(shape), len(shape))))
            return self.rng.choice([Call(name, (x, axis)), Call(name, (x,), (("axis", axis),))])
        return Call(name, (x,))

    def chosen(self, shape: Shape, depth: int) -> Node:
        parts = [self.of(self.less(shape), depth) for _ in range(2)]
        if self.rng.random() < 0.5:
            return Call("where", (self.compared(shape, depth), *parts))
        return Call("mask", (self.of(shape, depth), self.compared(self.less(shape), depth)))

    def number(self, shape: Shape, depth: int) -> Node:
        own = self.rng.choice([self.scope.shapes[name] for name in "xzAC"])
        x = self.of(own, depth)
        kinds = [lambda: Call(self.rng.choice(REDUCING), (x,)), lambda: self.item(x, own, 0)]
        if len(own) == 1:
            y = self.of(own, depth)
            kinds += [lambda: Binary("@", x, y), lambda: Call("dot", (x, y))]
            kinds += [lambda: Call("norm", (x,)), lambda: Call("argmax", (x,))]
        if self.mild:
            kinds = [lambda: Call(self.rng.choice(["mean", "max", "min"]), (x,))]
        return self.rng.choice(kinds)()

    def vector(self, shape: Shape, depth: int) -> Node:
        other = self.rng.choice([self.scope.shapes[name] for name in "xz"])
        wide, high = self.of((*shape, *other), depth), self.of((*other, *shape), depth)
        reducing = ("mean", "max", "min") if self.mild else (*REDUCING, "argmax")
        kinds = [
            lambda: Binary("@", wide, self.of(other, depth)),
            lambda: Binary("@", self.of(other, depth), high),
            lambda: Call(self.rng.choice(reducing), (wide,), (("axis", Number(1.0)),)),
            lambda: Call(self.rng.choice(reducing), (high, Number(0.0))),
            lambda: self.item(high, (*other, *shape), 1),
            lambda: Item(wide, (Span(None, None), Number(float(self.rng.randrange(other[0]))))),
            partial(self.part, shape, depth),
        ]
        return self.rng.choice(kinds)()

    def matrix(self, shape: Shape, depth: int) -> Node:
        other = self.rng.choice([self.scope.shapes[name] for name in "xz"])
        kinds = [
            lambda: Binary(
                "@", self.of((shape[0], *other), depth), self.of((*other, shape[1]), depth)
            ),
            lambda: Transposed(self.of(shape[::-1], depth)),
            lambda: Call("outer", (self.of(shape[:1], depth), self.of(shape[1:], depth))),
            lambda: Call("tril", (self.of(shape, depth),)),
            partial(self.part, shape, depth),
        ]
        if shape[0] == shape[1]:
            kinds.append(lambda: Call("tril", (self.size(shape[0]),)))
        if not shape[1] % 2:
            kinds.append(lambda: Call("rope", (self.of(shape, depth),)))
        return self.rng.choice(kinds)()

    def part(self, shape: Shape, depth: int) -> Node:
        """Return a part of something wider, or two parts side by side."""
        width = shape[-1]
        if width > 1 and self.rng.random() < 0.5:
            cut = self.rng.randrange(1, width)
            sides = [(*shape[:-1], Length(cut)), (*shape[:-1], Length(width - cut))]
            return Call("concat", tuple(self.of(side, depth) for side in sides))
        parts = self.rng.randint(1, 3)
        wider = self.of((*shape[:-1], Length(width * parts)), depth)
        place = self.rng.randrange(parts)
        if self.rng.random() < 0.5:
            return Call("split", (wider, Number(float(parts)), Number(float(place))))
        span = Span(place * width or None, (place + 1) * width if place + 1 < parts else None)
        return Item(wider, (*[Span(None, None)] * (len(shape) - 1), span))

    def item(self, x: Node, shape: Shape, left: int) -> Node:
        words = self.scope.shapes["word"]
        if left == len(shape) - 1 and shape[:1] == words and self.rng.random() < 0.5:
            return Item(x, (Name("word"),))
        places = [self.rng.randrange(-length, length) for length in shape[: len(shape) - left]]
        return Item(x, tuple(Number(float(place)) for place in places))


def random_trees(
    seed: int, count: int, *, mild: bool = False
) -> Iterator[tuple[Random, Scope, Node]]:
    """Yield random formulas of up to some thirty parts, each with its names."""
    for number in range(count):
        rng = Random(f"{seed} {number}")
        scope = random_scope(rng)
        yield rng, scope, Formulas(rng, scope, mild=mild).any(rng.randint(1, 3))


# Texts that may not read -------------------------------------------------------------------------

TOKENS = (
    "Q", "K", "x", "T", "word", "(", ")", "[", "]", ",", ":", "=", "==", "<", "+", "-", "*", "**",
    "/", "@", ".T", ".", "0", "1", "2.5", "1e9", "1e400", "softmax", "sum", "axis", "axis=0",
    "mask", "tril", "onehot", "split", "concat", "if", "else", "lambda", "None", "not", "and", "in",
    "for", "yield", "await", "_", "__class__", "\'", "\"", "{", "}", "#", "\\", ";", "~", "%", "!",
    "$", "é", "𝐐", "\u200b", "\ud800", "\0", "\t", "\r", "\n", " ",
)  # fmt: skip
VALID = (
    """title: Attention
sizes: T = 3; d_k = 2
tokens: sentence(T)
Q, K: tenths(T, d_k)
V: suited(tenths(T, 2), Q) "$V$, the values"
keep max(abs(scores)) <= 4
statement: Work through “{tokens}”.
scores = Q @ K.T / sqrt(d_k)
    hint: Start with one cell.
    weight: 2
weights = softmax(mask(scores, tril(T)))
    mistakes: column_softmax, uniform
output = weights @ V
keys_mixed: output = weights @ K : "Mix the values."
""",
    """sizes: d (width) = 4, 2
x: lopsided(d)
s: choice(2, 3) if d == 2 else choice(5)
tokens: sentence(3)
word: choice(tokens)
E: tenths(3, d, low=-1, high=1)
row = E[word] + x
    decimals: 3
    reword subtracted: Add them.
normed = layer_norm(where(row > 0, row, -row) ** 2)
score = dot(normed, x)[0:1] if d == 2 else s
""",
    "p: shares(4)\na, b: meanings(3)\nentropy = -sum(p * log(p))\ncosine = dot(a, b) / norm(a)\n",
)
SCOPE = random_scope(Random(3))
NUMBERS = ("0", "1", "2", "3", "-1", "0.5", "400", "1e9", "1e14", "1e400")
SIGNS = ("+", "-", "*", "**", "/", "@", "<", "==", ",", ".T", "[0]", "(", ")")
WORDS = (*SCOPE.shapes, *SCOPE.sizes, *NAMES)


def typed_anything(rng: Random, kind: str) -> str:
    """Return a soup of tokens, a formula or a text; the last two with parts exchanged."""
    if kind == "soup":
        if rng.random() < 0.5:
            return rng.choice(["", " "]).join(rng.choices(TOKENS, k=rng.randint(1, 60)))
        text = written(Formulas(rng, SCOPE).any(rng.randint(1, 3)))
    else:
        text = rng.choice(VALID)
    for _ in range(rng.randint(0, 2)):
        parts = re.findall(r"[0-9.]+|\w+|.", text, re.DOTALL) or [" "]
        place = rng.randrange(len(parts))
        if rng.random() < 0.3:
            parts[place] = rng.choice(["", *TOKENS])
        else:
            words = sorted({part for part in parts if part.isidentifier()} or {"x"})
            alike = rng.choice([WORDS, words])
            alike = alike if parts[place].isidentifier() else SIGNS
            parts[place] = rng.choice(NUMBERS if parts[place][0].isdigit() else alike)
        text = "".join(parts)
    if kind == "text" and rng.random() < 0.4:
        lines = text.split("\n")
        if rng.random() < 0.5:
            rng.shuffle(lines)
        else:
            del lines[rng.randrange(len(lines))]
        text = "\n".join(lines)
    return text


def read_anything(typed: str, kind: str) -> bool:
    """Return whether a text or a formula is refused. Any other error is a fault of the reader."""
    try:
        if kind == "text":
            read(typed, "own")
        else:
            tree = parse(typed)
            shape = infer(tree, SCOPE)
            values = random_values(Random(0), SCOPE)
            with np.errstate(all="ignore"):
                result = np.asarray(compute(tree, SCOPE)(EXACT, values))
            if (result.shape, result.dtype) != (shape, np.float64) or not result.size:
                raise TypeError(f"{typed} gives {result!r}")
    except FormulaError as error:
        lines = typed.split("\n")
        if not 1 <= error.line <= len(lines) or error.column < 1 or not str(error).encode():
            raise IndexError(f"{typed!r} is refused at {error.line}:{error.column}") from error
        return True
    return False
