"""Problem families: a statement, givens, steps, and the mistakes known at each step.

Everything here is frozen. A family's formulas are functions `(way, v)`: `way` computes (exactly or
as a careful rounder), `v` holds the givens and the earlier steps by name. They must work under any
leading batch axes, because answers are marked a batch at a time.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from types import MappingProxyType
from typing import Any

import numpy as np

from attention_core.errors import AuthorError, BadOptions
from attention_core.maths.arrays import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.facts import Facts, Sizes
from attention_core.problems.fingerprint import fingerprint
from attention_core.problems.rounding import CAREFUL, EXACT, Way

type Options = Mapping[str, int]
type Words = Mapping[str, tuple[str, ...]]

# The parts of the model, from a word's vector to the whole: the order of all lists of families.
PARTS = ("vectors", "dot_product", "softmax", "attention", "heads", "block", "whole")

_NAME = re.compile("[A-Za-z_][A-Za-z0-9_]*")


class Values(dict[str, Array]):
    """Givens and earlier steps by name, read as attributes: `v.Q`."""

    def __getattr__(self, name: str) -> Array:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"no given and no earlier step is called {name!r}") from None


def name_fault(key: str) -> str:
    """Return why formulas cannot read `v.key`; "" if they can.

    >>> name_fault("W_2"), name_fault("2nd")
    ('', "'2nd' is no name that a formula can read")
    >>> name_fault("items")
    "'items' is taken: to a formula v.items is a method"
    """
    if not _NAME.fullmatch(key):
        return f"{key!r} is no name that a formula can read"
    if hasattr(Values, key):
        return f"{key!r} is taken: to a formula v.{key} is a method"
    return ""


type Compute = Callable[[Way, Values], Array]
type Cell = Callable[[Values, int, int], str]
type Condition = Callable[[Values], bool | np.ndarray]


def always(_: Values) -> bool:
    """Return True: the default condition."""
    return True


def no_fixed_cells(v: Values) -> np.ndarray | None:
    """Return None: by default every cell of a step is typed."""
    return None


@dataclass(frozen=True)
class Drawn:
    """A family's draw: numbers by name, and the words that label them."""

    numbers: Mapping[str, Array]
    words: Words = field(default_factory=dict)

    def __post_init__(self) -> None:
        for why in filter(None, map(name_fault, self.numbers)):
            raise AuthorError(f"the numbers drawn: {why}")


@dataclass(frozen=True)
class Given:
    """A number, vector or matrix that the student is given.

    A word or a number of the statement on which an answer depends is a given too, even if it is
    not drawn, so that nobody has to find it in a sentence.

    Attributes:
        key: its name in the formulas.
        label: its caption, in Markdown; `{…}` takes words.
        axes: the words (or "places", numbered from 1) that label its rows and columns: none for a
            scalar, one name for a vector, two for a matrix.
        value: computes the number from those drawn, if it is none of them.
        text: words instead of a number; `{…}` takes words.
        name: its name in programs on the page, if that is not its key; `{…}` takes words.
    """

    key: str
    label: str
    axes: tuple[str, ...] = ()
    value: Callable[[Values], float] | None = None
    text: str = ""
    name: str = ""


@dataclass(frozen=True)
class Mistake:
    """A real wrong computation that replaces one step.

    Attributes:
        key: its code, the same in every family.
        compute: the wrong step, run on the exact earlier values or on the student's own.
        feedback: the sentence that the student reads.
        when: the sizes at which it can be told apart from the right step and from the others;
            one truth value, or one for each entry of the batch axes.
    """

    key: str
    compute: Compute
    feedback: str
    when: Condition = always


@dataclass(frozen=True)
class Step:
    """One array to type, with the right computation and the known wrong ones.

    Attributes:
        key: its name in the formulas of later steps.
        label: the instruction what to type, in Markdown; `{…}` takes words.
        axes: labels of rows and columns, as for `Given`.
        compute: the right computation.
        how: one sentence of the worked solution.
        worked: LaTeX of one cell written out with this variant's numbers.
        nudge: the first hint: one sentence, in Markdown, that points the way and computes nothing.
        formula: the second hint: LaTeX of the whole step in the lessons' notation, without numbers.
        cell: the same of any cell, by its row and column and without its name; None where there is
            nothing to work out.
        mistakes: the known mistakes, in the order in which they are tried.
        fixed: cells determined by construction (masked, a lone 1): shown, never typed. A boolean
            array over the step's cells, or None.
        weight: the step's part of the item's points.
        seconds: the seconds that a practised student needs to compute and type one cell.
        decimals: the decimals asked for; 0 asks for whole numbers, exactly.
        choices: the words among which the student chooses; then the step's value is the place of
            the right one, counted from 0, and nothing is typed.
        wrong_choice: the feedback on any other choice.
    """

    key: str
    label: str
    axes: tuple[str, ...]
    compute: Compute
    how: str
    worked: Callable[[Values], str]
    mistakes: tuple[Mistake, ...]
    fixed: Callable[[Values], np.ndarray | None] = no_fixed_cells
    weight: int = 1
    seconds: int = 15
    decimals: int = 3
    choices: str = ""
    wrong_choice: str = ""
    cell: Cell | None = None
    nudge: str = ""
    formula: str = ""

    def mistake(self, key: str) -> Mistake:
        """Return the mistake under this key. Raise AuthorError if there is none."""
        for mistake in self.mistakes:
            if mistake.key == key:
                return mistake
        raise AuthorError(f"step {self.key} knows no mistake {key!r}")


@dataclass(frozen=True, eq=False)
class Family:
    """One kind of problem. Faults in its parts raise AuthorError when it is built.

    Families are compared by identity, so that what is worked out of one can be cached.

    Attributes:
        key: its name everywhere, and its file's.
        title, summary: the texts in lists.
        part: the part of the model that it is about, one of `PARTS`; "" if it is about none.
        options: the sizes it can be drawn at, by name; the first of each is the default.
        draw: draws the givens for some sizes from a stream.
        fit: further conditions on the exact values, such as small scores.
        statement: Markdown; `{…}` takes words.
        code: lines of NumPy that assign every step by its key, from the givens by theirs, as one
            would write them without this package; `{…}` takes words.
        version: part of the hash that numbers are drawn from. A change of the givens, of the
            solution or of the statement's meaning takes the next one, and so do variants that
            are no longer fit to ask; wider ranges do not.
        facts: what was worked out at its sizes before, so that nobody has to wait for it.
    """

    key: str
    title: str
    summary: str
    options: Mapping[str, tuple[int, ...]]
    draw: Callable[[Stream, Options], Drawn]
    statement: str
    givens: tuple[Given, ...]
    steps: tuple[Step, ...]
    fit: Callable[[Values], bool] = always
    code: str = ""
    part: str = ""
    version: int = 1
    facts: Mapping[Sizes, Facts] = field(default_factory=dict)

    def __post_init__(self) -> None:
        faults = [*_faults(self)]
        if faults:
            raise AuthorError(f"family {self.key}: {'; '.join(faults)}")

    def step(self, key: str) -> Step:
        """Return the step under this key. Raise AuthorError if there is none."""
        for step in self.steps:
            if step.key == key:
                return step
        raise AuthorError(f"{self.key} has no step {key!r}")

    def canonical(self, options: Mapping[str, object]) -> dict[str, int]:
        """Return every option with its value, defaults filled in.

        Raises:
            BadOptions: an option that the family does not have, or a size it does not offer.
        """
        unknown = set(options) - set(self.options)
        if unknown:
            raise BadOptions(
                f"{self.key} has no option {', '.join(sorted(unknown))}; "
                f"it has {', '.join(self.options) or 'none'}"
            )
        chosen: dict[str, int] = {}
        for name, offered in self.options.items():
            value = options.get(name, offered[0])
            if isinstance(value, bool) or not isinstance(value, int) or value not in offered:
                raise BadOptions(f"{self.key}: {name} is one of {offered}, not {value!r}")
            chosen[name] = value
        return chosen

    def combinations(self) -> list[dict[str, int]]:
        """Return every combination of the sizes it offers, the default first."""
        return [
            dict(zip(self.options, sizes, strict=True)) for sizes in product(*self.options.values())
        ]

    def solve(self, givens: Mapping[str, Array], way: Way = EXACT) -> Values:
        """Return the givens with every step computed in this way; batch axes are kept."""
        values = Values(givens)
        for step in self.steps:
            values[step.key] = step.compute(way, values)
        return values


def _faults(family: Family) -> Iterator[str]:
    for name, sizes in family.options.items():
        if not sizes:
            yield f"option {name} offers no size"
        if any(type(size) is not int for size in sizes):
            yield f"option {name} offers {sizes}, and sizes are whole numbers"
    if family.part and family.part not in PARTS:
        yield f"{family.part!r} is no part of the model: there are {', '.join(PARTS)}"
    keys = [given.key for given in family.givens] + [step.key for step in family.steps]
    yield from filter(None, map(name_fault, keys))
    for key in _duplicates(keys):
        yield f"more than one given or step is called {key!r}"
    if not family.steps:
        yield "there is no step"
    for step in family.steps:
        yield from (f"step {step.key}: {fault}" for fault in _step_faults(step))


def _step_faults(step: Step) -> Iterator[str]:
    if step.choices and not step.wrong_choice:
        yield "a choice needs a wrong_choice"
    for key in _duplicates(mistake.key for mistake in step.mistakes):
        yield f"more than one mistake is called {key!r}"
    for mistake in step.mistakes:
        if not mistake.feedback.strip():
            yield f"mistake {mistake.key} has no feedback"


def _duplicates(keys: Iterable[str]) -> list[str]:
    return [key for key, times in Counter(keys).items() if times > 1]


@dataclass(frozen=True)
class Problem:
    """One variant: a family's question with its own numbers.

    Givens are read-only. `tolerance` may be empty while a draw is being proved.
    """

    family: Family
    options: Mapping[str, int]
    seed: str
    givens: Mapping[str, Array]
    words: Words
    tolerance: Mapping[str, float] = field(default_factory=dict)
    version: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "givens", MappingProxyType(_frozen(self.givens)))

    @cached_property
    def fingerprint(self) -> str:
        """The hash of the givens, which all variants with the same numbers share."""
        return fingerprint(self.givens)

    @cached_property
    def values(self) -> Values:
        """Givens and exact solution together."""
        return self.family.solve(self.givens)

    @property
    def solution(self) -> dict[str, Array]:
        """The exact array of every step."""
        return {step.key: self.values[step.key] for step in self.family.steps}

    @cached_property
    def careful(self) -> dict[str, Array]:
        """Each step that asks for decimals, computed with every intermediate result rounded."""
        careful = self.family.solve(self.givens, CAREFUL[0])
        return {
            step.key: np.round(careful[step.key], step.decimals)
            for step in self.family.steps
            if step.decimals and not step.choices
        }

    @cached_property
    def typed(self) -> dict[str, np.ndarray]:
        """The cells of every step that are typed or chosen, and count: booleans by step key."""
        typed = {}
        for step in self.family.steps:
            fixed = step.fixed(self.values)
            shape = self.values[step.key].shape
            typed[step.key] = np.ones(shape, bool) if fixed is None else ~fixed
        return typed

    def fixed_cells(self, step: str) -> list[tuple[int, int, float]]:
        """Return row, column and value of a step's filled-in cells; a vector is one row."""
        grid, typed = np.atleast_2d(self.values[step]), np.atleast_2d(self.typed[step])
        return [
            (row, column, float(grid[row, column])) for row, column in np.argwhere(~typed).tolist()
        ]

    @property
    def cells(self) -> int:
        """The number of cells that the student types."""
        return int(sum(cells.sum() for cells in self.typed.values()))

    @property
    def minutes(self) -> float:
        """The minutes that a practised student needs: reading, then each cell."""
        steps = self.family.steps
        return (self.seconds_to_read + sum(self.seconds_of(step) for step in steps)) / 60

    @property
    def seconds_to_read(self) -> int:
        """The seconds that a practised student reads before typing."""
        return 20

    def seconds_of(self, step: Step) -> int:
        """Return the seconds that a practised student needs for all cells of a step."""
        return int(self.typed[step.key].sum()) * step.seconds

    @property
    def statement(self) -> str:
        """The question in Markdown, with this variant's words."""
        return self.fill_in(self.family.statement)

    def fill_in(self, text: str) -> str:
        """Return the text with `{name}` replaced by this variant's words and lone numbers."""
        return fill_in(
            text, self.words, {name: array.tolist() for name, array in self.givens.items()}
        )

    def shown(self, given: Given) -> Array | str:
        """Return an array, or words, as the student sees the given."""
        if given.text:
            return self.fill_in(given.text)
        if given.value:
            return np.array(float(given.value(Values(self.givens))))
        return self.givens[given.key]

    def labels(self, axes: Sequence[str], shape: Sequence[int]) -> list[list[str]]:
        """Return the labels along each axis of an array: words, or places counted from 1."""
        return labels(axes, shape, self.words)


def fill_in(text: str, words: Mapping[str, Sequence[str]], givens: Mapping[str, Any]) -> str:
    """Return the text with `{name}` replaced by a variant's words, or by a given that is a number.

    It needs no family, so that a question can still be shown after that has changed or gone.

    >>> fill_in("{word} sees {n} words", {"word": ("the", "cat")}, {"n": 3.0, "a": [1.0]})
    'the cat sees 3 words'
    """
    for name, parts in words.items():
        text = text.replace("{" + name + "}", " ".join(parts))
    for name, value in givens.items():
        if not isinstance(value, list):
            text = text.replace("{" + name + "}", f"{value:g}")
    return text


def labels(
    axes: Sequence[str], shape: Sequence[int], words: Mapping[str, Sequence[str]]
) -> list[list[str]]:
    """Return the labels along each axis of an array: words, or places counted from 1.

    >>> labels(("word", "places"), (2, 3), {"word": ("the", "cat")})
    [['the', 'cat'], ['1', '2', '3']]
    """
    return [
        list(words[axis]) if axis in words else [str(n + 1) for n in range(size)]
        for axis, size in zip(axes, shape, strict=True)
    ]


def _frozen(arrays: Mapping[str, Array]) -> dict[str, Array]:
    frozen = {}
    for name, array in arrays.items():
        frozen[name] = np.array(array, dtype=np.float64)
        frozen[name].flags.writeable = False
    return frozen
