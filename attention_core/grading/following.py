"""Follow-through: right results from a student's own earlier steps, and their tolerances."""

from dataclasses import dataclass, field

import numpy as np

from attention_core.grading.typed import TypedStep
from attention_core.maths.arrays import Array
from attention_core.problems.family import Step, Values
from attention_core.problems.mistakes import TRIVIAL_MISTAKES
from attention_core.problems.rounding import CAREFUL, EXACT
from attention_core.problems.tolerance import MAX_TOLERANCE, UNIT, is_within, round_up

# The rounding error of a number typed to three decimals.
HALF_A_UNIT = 0.0005


@dataclass(frozen=True, slots=True)
class Basis:
    """The values that the steps so far hand on, for a batch of answers.

    Attributes:
        values: the givens and each step: the student's array or, where nothing can follow from
            that, the exact one.
        own: for each step, the answers of the batch whose array is the student's.
    """

    values: Values
    own: dict[str, np.ndarray] = field(default_factory=dict)

    def add(self, step: Step, typed: TypedStep) -> None:
        """Add a typed step: the student's array if it is readable and not all 0, else the exact."""
        usable = np.isfinite(typed.numbers).all(axis=typed.cell_axes)
        if not step.choices:
            usable &= typed.numbers.any(axis=typed.cell_axes)
        self.own[step.key] = usable
        self.values[step.key] = np.where(
            typed.broadcast_to_cells(usable), typed.numbers, typed.exact
        )

    def at(self, places: np.ndarray) -> "Basis":
        """Return the basis of the answers at these places of the batch."""
        return Basis(
            Values({key: array[places] for key, array in self.values.items()}),
            {key: own[places] for key, own in self.own.items()},
        )

    def for_step(self, step: Step, typed: TypedStep, exact: Values) -> tuple["Basis", Array]:
        """Return the basis that is handed on to this step, and the right result from it.

        Where own values would make a softmax or a blend trivial, the exact ones are handed on.
        """
        right = step.compute(EXACT, self.values)
        trivial = self._trivial(step, typed, right)
        if not trivial.any():
            return self, right
        values, own = Values(self.values), {}
        for key, was_own in self.own.items():
            own[key] = was_own & ~trivial
            instead = trivial.reshape((-1,) + (1,) * (values[key].ndim - 1))
            values[key] = np.where(instead, exact[key], values[key])
        return Basis(values, own), np.where(typed.broadcast_to_cells(trivial), typed.exact, right)

    def _trivial(self, step: Step, typed: TypedStep, right: Array) -> np.ndarray:
        """Return where every row of the right result is that of equal weights or a choice."""
        ways = [known for known in step.mistakes if known.key in TRIVIAL_MISTAKES]
        if not (self.own and ways):
            return np.zeros(len(right), bool)
        rows = np.zeros(right.shape[:-1], bool)
        for known in ways:
            # A third is typed as 0.333, and three thirds miss 1 by a unit.
            alike = is_within(right, known.compute(EXACT, self.values), typed.tolerance + UNIT)
            rows |= (alike | typed.fixed).all(axis=-1)
        return np.asarray(rows.reshape(len(rows), -1).all(axis=1))

    def tolerance(self, step: Step, typed: TypedStep, right: Array) -> Array:
        """Return each answer's tolerance around the right result from the student's numbers.

        It is the largest of the step's own tolerance, the error of careful rounding from the typed
        numbers, and the error from carrying on numbers with more figures than were typed.
        """
        strayed = np.zeros(len(right))
        for way in CAREFUL:
            strayed = np.maximum(strayed, _largest(step.compute(way, self.values) - right, typed))
        carried = _largest(self._reach(step, right), typed) + HALF_A_UNIT
        needed = np.minimum(MAX_TOLERANCE, round_up(np.maximum(strayed, carried)))
        return np.asarray(np.maximum(typed.tolerance, typed.broadcast_to_cells(needed)))

    def _reach(self, step: Step, right: Array) -> Array:
        """Return how far the right result moves when each typed number moves by half a unit."""
        reach = np.zeros_like(right)
        for key, own in self.own.items():
            array = self.values[key]
            cells = int(np.prod(array.shape[1:]))
            nudges = np.concatenate([np.eye(cells), -np.eye(cells)]) * HALF_A_UNIT
            nudged = {
                name: np.broadcast_to(same, (len(nudges), *same.shape))
                for name, same in self.values.items()
            }
            nudged[key] = nudged[key] + nudges.reshape(-1, 1, *array.shape[1:])
            flat = Values({name: a.reshape(-1, *a.shape[2:]) for name, a in nudged.items()})
            moved = step.compute(EXACT, flat).reshape(2, cells, *right.shape) - right
            # Where a ReLU bends, the two sides differ.
            moved = np.where(np.isfinite(moved), np.abs(moved), 0.0).max(axis=0).sum(axis=0)
            reach += np.where(own.reshape((-1,) + (1,) * (right.ndim - 1)), moved, 0.0)
        return reach


def _largest(errors: Array, typed: TypedStep) -> Array:
    """Return the largest finite error of each answer in the cells that are typed."""
    sizes = np.where(np.isfinite(errors) & ~typed.fixed, np.abs(errors), 0.0)
    return np.asarray(sizes.max(axis=typed.cell_axes))
