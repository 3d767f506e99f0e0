"""Wrong formulas for a right one: when they can be made, and what they give."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from attention_core.errors import FormulaError
from attention_core.formulas.compute import compute
from attention_core.formulas.lengths import Length, Shape
from attention_core.formulas.shapes import Scope, infer
from attention_core.formulas.trees import Node
from attention_core.maths.arrays import Array
from attention_core.problems.family import Compute, Condition, Mistake, Values, always
from attention_core.problems.rounding import EXACT, Way

# The shapes of all givens, in their order.
type Shapes = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Wrong:
    """A wrong formula for a right one, and the condition under which it shows, if there is one."""

    tree: Node
    right: Node
    feedback: str
    condition: Node | None = None

    def fits(self, scope: Scope, shape: Shape | None = None) -> bool:
        """Return whether it has the right one's shape, so that one can be taken for the other."""
        try:
            return infer(self.tree, scope) == (shape or infer(self.right, scope))
        except FormulaError:
            return False

    def when(self, fitting: Scope, *, everywhere: bool) -> Condition:
        """Return the condition on a variant: its shapes, then its numbers."""
        shows = compute(self.condition, fitting) if self.condition else None
        fits = None if everywhere else Fits(self, fitting)
        if not shows:
            return fits or always

        def condition(v: Values) -> bool | np.ndarray:
            return (not fits or fits(v)) and shows(EXACT, v) != 0

        return condition


class Fits:
    """A condition on the shapes of a variant's givens, which are the same throughout a batch."""

    def __init__(self, wrong: Wrong, scope: Scope) -> None:
        self.wrong, self.scope = wrong, scope
        self.hidden = tuple(size for size in scope.sizes if size not in scope.read_off)
        self.known: dict[tuple[Shapes, tuple[int, ...]], bool] = {}

    def __call__(self, v: Values) -> bool:
        shapes = shapes_of(v, self.scope)
        # Sizes that no given shows are givens themselves.
        hidden = tuple([int(v[name].flat[0]) if name in v else 0 for name in self.hidden])
        if (shapes, hidden) not in self.known:
            sizes = {name: size for name, size in zip(self.hidden, hidden, strict=True) if size}
            self.known[shapes, hidden] = self.wrong.fits(self.at(shapes, sizes))
        return self.known[shapes, hidden]

    def at(self, shapes: Shapes, hidden: Mapping[str, int]) -> Scope:
        if shapes == tuple(self.scope.shapes.values()) and all(
            self.scope.sizes[name] == size for name, size in hidden.items()
        ):
            return self.scope
        key = shapes, tuple(hidden.items())
        if key not in self.scope.at_sizes:
            self.scope.at_sizes[key] = self.new_at(shapes, hidden)
        return self.scope.at_sizes[key]

    def new_at(self, shapes: Shapes, hidden: Mapping[str, int]) -> Scope:
        lengths = {
            name: tuple(map(Length, shape))
            for name, shape in zip(self.scope.shapes, shapes, strict=True)
        }
        sizes = {
            size: Length(lengths[self.scope.read_off[size].given][self.scope.read_off[size].axis])
            if size in self.scope.read_off
            else Length(hidden.get(size, length))
            for size, length in self.scope.sizes.items()
        }
        return Scope(lengths, sizes, self.scope.read_off, self.scope.words)


def shapes_of(v: Values, scope: Scope) -> Shapes:
    """Return the shapes of some names' values, without the axes of the batch.

    >>> shapes_of(Values(x=np.zeros((5, 3))), Scope({"x": (Length(3),)}))
    ((3,),)
    """
    return tuple(
        [v[name].shape[v[name].ndim - len(shape) :] for name, shape in scope.shapes.items()]
    )


def off_at(known: Mistake, off: set[Shapes] | None, givens: Scope) -> Mistake:
    """Return a mistake that isn't known at some shapes of the givens.

    >>> known = Mistake("none", lambda way, v: v.x, "No.")
    >>> scope = Scope({"x": (Length(3),)})
    >>> off_at(known, {((3,),)}, scope).when(Values(x=np.zeros(3)))
    False
    """
    if not off:
        return known
    return replace(known, when=lambda v: shapes_of(v, givens) not in off and known.when(v))


def batched(computed: Compute, rank: int, scope: Scope) -> Compute:
    """Return the function whose result has the batch axes of the givens, even if it's constant.

    >>> one = batched(lambda way, v: np.array(1.0), 0, Scope({"x": (Length(3),)}))
    >>> one(EXACT, Values(x=np.zeros((2, 3)))).tolist()
    [1.0, 1.0]
    """
    name, shape = next(iter(scope.shapes.items()))
    axes = len(shape)

    def in_batch(way: Way, v: Values) -> Array:
        result = np.asarray(computed(way, v))
        batch = np.ndim(v[name]) - axes
        if result.ndim == rank and batch:
            return np.broadcast_to(result, (*np.shape(v[name])[:batch], *result.shape))
        return result

    return in_batch
