"""A text of formulas becomes a family, which is drawn, proven and marked as any other."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product as combinations_of

import numpy as np

from attention_core.errors import AuthorError, FormulaError
from attention_core.formulas import draws
from attention_core.formulas.cells import worked_cell
from attention_core.formulas.compute import compute
from attention_core.formulas.lengths import Length, Shape, told
from attention_core.formulas.programs import numpy_line
from attention_core.formulas.rewriting import find
from attention_core.formulas.rules import RULES
from attention_core.formulas.shapes import Axis, Scope, infer
from attention_core.formulas.symbols import cell_name, latex, symbol
from attention_core.formulas.text import Entry, Text, read_lines
from attention_core.formulas.trees import Call, Item, Name, Node, names_in, parse, walk
from attention_core.formulas.trial import indistinct_mistakes
from attention_core.maths.arrays import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import (
    Compute,
    Condition,
    Drawn,
    Family,
    Given,
    Mistake,
    Options,
    Step,
    Values,
    always,
    no_fixed_cells,
)
from attention_core.problems.rounding import EXACT, Way


def read(text: str, key: str) -> Family:
    r"""Return the family that a text describes.

    Args:
        text: lines in the format of `attention_core.formulas.text`.
        key: the family's name everywhere.

    Raises:
        FormulaError: what is wrong, with its line and column.

    >>> family = read("sizes: d = 3, 2\nq, k: tenths(d)\nscore = q @ k", key="own_score")
    >>> family.steps[0].formula, [known.key for known in family.steps[0].mistakes]
    ('q \\cdot k', ['signs_dropped', 'sums_multiplied'])
    """
    builder = _Builder(read_lines(text), key)
    family = builder.family()
    return builder.without_indistinct(family)


type Scopes = list[Scope]
# The shapes of all givens, in their order.
type Shapes = tuple[tuple[int, ...], ...]


@dataclass
class _Builder:
    """Checks a text against itself, line by line, and builds a family's parts."""

    text: Text
    key: str
    words: dict[str, Length] = field(default_factory=dict)  # lists of words, and their lengths

    def family(self) -> Family:
        text = self.text
        self.check_draws()
        for sizes in self.combinations:
            self.scope_at(sizes)
        steps = tuple(self.step(entry) for entry in text.steps)
        try:
            return Family(
                key=self.key,
                title=text.head("title", self.key.replace("_", " ")),
                summary=text.head("summary"),
                part=text.head("part"),
                options={text.options[name]: offered for name, offered in text.sizes.items()},
                draw=self.draw,
                fit=self.fit(),
                statement=self.statement(),
                givens=self.givens(),
                steps=steps,
                code=self.code(),
                version=self.version(),
            )
        except FormulaError:
            raise
        except AuthorError as error:
            raise FormulaError(str(error), 1, 1) from None

    def without_indistinct(self, family: Family) -> Family:
        """Return the family, its found mistakes off at the sizes where they can't be told apart.

        Where a step lists its mistakes, its author has chosen them.
        """
        chosen = {entry.name for entry in self.text.steps if "mistakes" in entry.attributes}
        if chosen == {step.key for step in family.steps}:
            return family
        off: dict[tuple[str, str], set[Shapes]] = {}
        for sizes, options in zip(self.combinations, family.combinations(), strict=True):
            scope = Scope(self.given_shapes(sizes), sizes, self.read_off, self.pointing)
            for step, keys in indistinct_mistakes(family, options).items():
                for key in keys if step not in chosen else ():
                    off.setdefault((step, key), set()).add(tuple(scope.shapes.values()))
        steps = [
            replace(
                step,
                mistakes=tuple(
                    _off_at(known, off.get((step.key, known.key)), self.given_scope)
                    for known in step.mistakes
                ),
            )
            for step in family.steps
        ]
        return replace(family, steps=tuple(steps))

    # Names and shapes ----------------------------------------------------------------------------

    @cached_property
    def combinations(self) -> list[dict[str, Length]]:
        """Every combination of the sizes, the default first."""
        names = list(self.text.sizes)
        return [
            {name: Length(size, name) for name, size in zip(names, sizes, strict=True)}
            for sizes in combinations_of(*self.text.sizes.values())
        ]

    @cached_property
    def pointing(self) -> frozenset[str]:
        """The words that a formula takes rows by."""
        trees = [entry.tree for entry in (*self.text.steps, *self.text.keeps)]
        trees += [mistake.tree for mistake in self.text.mistakes]
        return frozenset(
            place.name
            for tree in trees
            for part in walk(tree)
            if isinstance(part, Item)
            for place in part.places
            if isinstance(place, Name)
        )

    @cached_property
    def scope(self) -> Scope:
        """The names of all givens and steps, at the default sizes."""
        return self.scope_at(self.combinations[0])

    def scope_at(self, sizes: Mapping[str, Length], before: str = "") -> Scope:
        """Return all names with their shapes at these sizes; those before one step, if named."""
        shapes = self.given_shapes(sizes)
        scope = Scope(shapes, sizes, self.read_off, self.pointing)
        for entry in self.text.steps:
            if entry.name == before:
                break
            shapes[entry.name] = infer(entry.tree, scope)
        return scope

    @cached_property
    def given_scope(self) -> Scope:
        """The names of the givens alone, at the default sizes."""
        sizes = self.combinations[0]
        return Scope(self.given_shapes(sizes), sizes, self.read_off, self.pointing)

    def given_shapes(self, sizes: Mapping[str, Length]) -> dict[str, Shape]:
        shapes: dict[str, Shape] = {}
        scope = Scope(shapes, sizes)
        for entry in self.text.givens:
            match entry.tree:
                case Call(function="sentence" | "word_pair"):
                    continue
                case Call(function="choice", arguments=[Name(name=among)]):
                    if entry.name in self.pointing:
                        shapes[entry.name] = (self.length_of_words(among, sizes),)
                case Call(function="meanings", arguments=[length]):
                    shapes |= dict.fromkeys(entry.names, (draws.length_of(length, sizes),))
                case _:
                    shapes |= dict.fromkeys(entry.names, draws.shape_of_draw(entry.tree, scope))
        return shapes

    def length_of_words(self, name: str, sizes: Mapping[str, Length]) -> Length:
        found = self.words[name]
        return sizes.get(found.size, found)

    @cached_property
    def read_off(self) -> dict[str, Axis]:
        """Where each size shows in a given; of the last that does, as a key's width is d_k."""
        found: dict[str, Axis] = {}
        for given, shape in self.given_shapes(self.combinations[0]).items():
            if given in self.pointing:
                continue
            for axis in range(-len(shape), 0):
                if size := shape[axis].size:
                    found.setdefault(size, Axis(given, axis))
        return found

    def check_draws(self) -> None:
        for entry in self.text.givens:
            at = entry.tree.at
            match entry.tree:
                case Call(function="sentence", arguments=[length]):
                    self.one_name(entry)
                    for sizes in self.combinations:
                        draws.check_sentence(draws.length_of(length, sizes), at)
                    self.words[entry.name] = draws.length_of(length, self.combinations[0])
                case Call(function="word_pair", arguments=[]):
                    if len(entry.names) != 2:
                        raise FormulaError("A pair has two names: one, other: word_pair()", *at)
                case Call(function="meanings", arguments=[length]):
                    if len(entry.names) != 2:
                        raise FormulaError("Meanings have two names: a, b: meanings(d)", *at)
                    for sizes in self.combinations:
                        if draws.length_of(length, sizes) > 4:
                            raise FormulaError("Meanings have at most 4 dimensions.", *at)
                    self.words["dimensions"] = draws.length_of(length, self.combinations[0])
                case Call(function="choice", arguments=[Name(name=among)]):
                    self.one_name(entry)
                    if among not in self.words or among == "dimensions":
                        raise FormulaError(f"{among} isn’t a sentence before this line.", *at)
                case Call(function="word_pair" | "sentence" | "meanings" as name):
                    raise FormulaError(f"This draw is written {draws.EXAMPLES[name]}.", *at)

    def one_name(self, entry: Entry) -> None:
        if len(entry.names) != 1:
            raise FormulaError("This draw has one name.", entry.line, 1)

    # Draws ---------------------------------------------------------------------------------------

    def draw(self, stream: Stream, options: Options) -> Drawn:
        sizes = {name: Length(options[option], name) for name, option in self.text.options.items()}
        drawing = draws.Drawing(stream, sizes, {}, {}, {})
        for entry in self.text.givens:
            if not draws.draw_words(entry.names, entry.tree, drawing):
                for name in entry.names:
                    drawing.numbers[name] = draws.draw_number(entry.tree, drawing)
        for name, place in drawing.places.items():
            if name in self.pointing:
                drawing.numbers[name] = place
        for name in self.sizes_given:
            drawing.numbers[name] = np.array(float(sizes[name]))
        counts = {name: (str(int(sizes[name])),) for name in self.sizes_in_sentences}
        return Drawn(numbers=drawing.numbers, words=drawing.words | counts)

    @cached_property
    def sizes_given(self) -> tuple[str, ...]:
        """The sizes that no given shows and a formula reads: they're givens themselves."""
        read = set().union(*(names_in(entry.tree) for entry in self.text.steps))
        return tuple(name for name in self.text.sizes if name in read and name not in self.read_off)

    @cached_property
    def sizes_in_sentences(self) -> tuple[str, ...]:
        """The sizes that the statement or a label says, and that aren't givens."""
        said = [self.text.head("statement")]
        said += [entry.said("label") for entry in (*self.text.givens, *self.text.steps)]
        outside = re.sub(r"\$[^$]*\$", "", "\n".join(said))
        sizes = (name for name in self.text.sizes if name not in self.sizes_given)
        return tuple(name for name in sizes if f"{{{name}}}" in outside)

    def fit(self) -> Callable[[Values], bool]:
        conditions = []
        for keep in self.text.keeps:
            for sizes in self.combinations:
                if infer(keep.tree, self.scope_at(sizes)):
                    raise FormulaError(
                        "Keep a comparison of numbers: keep max(abs(scores)) <= 4.", keep.line, 6
                    )
            conditions.append(compute(keep.tree, self.scope))
        return lambda v: all(bool(condition(EXACT, v)) for condition in conditions)

    # What students read --------------------------------------------------------------------------

    def statement(self) -> str:
        head = self.text.heads.get("statement")
        if not head:
            return "Work out each step."
        outside = re.sub(r"\$[^$]*\$", "", head.value)
        for name in re.findall(r"\{([^{}]*)\}", outside):
            if name not in self.fillable:
                raise head.fault(f"{{{name}}} stands for no word, no size and no single number.")
        return head.value

    @cached_property
    def fillable(self) -> set[str]:
        """The names that braces in a sentence may hold."""
        words = {name for entry in self.text.givens for name in entry.names
                 if isinstance(entry.tree, Call)
                 and (entry.tree.function in ("sentence", "word_pair")
                      or (entry.tree.function == "choice"
                          and isinstance(entry.tree.arguments[0], Name)))}  # fmt: skip
        if "dimensions" in self.words:
            words |= {"first", "second", "dimensions"}
        numbers = {name for name, shape in self.scope.shapes.items() if not shape}
        return words | numbers | {*self.text.sizes}

    def givens(self) -> tuple[Given, ...]:
        shapes = self.scope.shapes
        found = []
        for entry in self.text.givens:
            for name in entry.names:
                if name in shapes and name not in self.pointing:
                    label = entry.said("label", f"${symbol(name)}$")
                    label = label.replace("{name}", symbol(name))
                    axes = self.axes(entry, shapes[name])
                    found.append(Given(name, label, axes))
        found += [Given(name, f"${symbol(name)}$") for name in self.sizes_given]
        return tuple(found)

    def axes(self, entry: Entry, shape: Shape) -> tuple[str, ...]:
        named = entry.keys("axes")
        if named is None:
            return tuple(self.axis(length) for length in shape)
        if len(named) != len(shape) or not {*named} <= {*self.words, "places"}:
            known = ", ".join([*self.words, "places"])
            raise entry.attributes["axes"].fault(f"{len(shape)} of these: {known}.")
        return named

    def axis(self, length: Length) -> str:
        """Return the words that label an axis: those whose number is its size."""
        for name, of_words in self.words.items():
            if length.size and length.size == of_words.size:
                return name
        return "places"

    def code(self) -> str:
        lines = [numpy_line(entry.name, entry.tree, self.scope) for entry in self.text.steps]
        return "\n" + "\n".join(lines) + "\n"

    def version(self) -> int:
        head = self.text.heads.get("version")
        if not head:
            return 1
        if not re.fullmatch("[0-9]{1,6}", head.value):
            raise head.fault("A version is a whole number.")
        return int(head.value)

    # Steps ---------------------------------------------------------------------------------------

    def step(self, entry: Entry) -> Step:
        scope = self.scope_at(self.combinations[0], before=entry.name)
        shape = infer(entry.tree, scope)
        cell = worked_cell(entry.tree, scope)
        first = entry.said("first", cell_name(entry.said("symbol", entry.name), len(shape)))
        formula = entry.said("formula", latex(entry.tree, scope))
        return Step(
            key=entry.name,
            label=entry.said("label", f"${symbol(entry.name)}$"),
            axes=self.axes(entry, shape),
            compute=_batched(compute(entry.tree, scope), len(shape), self.scope),
            how=entry.said("how", f"${symbol(entry.name)} = {latex(entry.tree, scope)}$"),
            worked=lambda v: f"{first} = {cell(v, 0, 0)}",
            cell=cell if shape else None,
            nudge=entry.said("hint"),
            formula=formula,
            mistakes=self.mistakes(entry),
            fixed=self.fixed(entry),
            weight=entry.number("weight", 1, 1, 10),
            seconds=entry.number("seconds", 15, 1, 600),
            decimals=self.decimals(entry),
        )

    def decimals(self, entry: Entry) -> int:
        decimals = entry.number("decimals", 3, 0, 3)
        if decimals not in (0, 3):
            raise entry.attributes["decimals"].fault("Answers have 0 or 3 decimals.")
        return decimals

    def fixed(self, entry: Entry) -> Callable[[Values], np.ndarray | None]:
        found = entry.attributes.get("fixed")
        if not found:
            return no_fixed_cells
        tree = parse(found.value, found.line, found.column)
        scope = self.scope
        if infer(tree, scope) != scope.shapes[entry.name]:
            raise found.fault(f"This has to be {told(scope.shapes[entry.name])}, as the step is.")
        computed = compute(tree, scope)
        return lambda v: np.asarray(computed(EXACT, v) != 0)

    def mistakes(self, entry: Entry) -> tuple[Mistake, ...]:
        scopes = [self.scope_at(sizes, before=entry.name) for sizes in self.combinations]
        found = {each.key: each for each in self.found_mistakes(entry, scopes)}
        own = {each.key: each for each in self.own_mistakes(entry, scopes)}
        # Their author's come first: where a found one is the same, it's theirs that is named.
        known = own | {key: each for key, each in found.items() if key not in own}
        picked, without = entry.keys("mistakes"), entry.keys("without") or ()
        for attribute, keys in (("mistakes", picked or ()), ("without", without)):
            for key in keys:
                if key not in known:
                    raise entry.attributes[attribute].fault(
                        f"This step knows no mistake {key}; there are {', '.join(known)}."
                    )
        if picked is not None:
            known = {key: known[key] for key in (*picked, *(own.keys() - picked))}
        kept = {key: known[key] for key in known if key not in without}
        for key, reworded in entry.rewordings.items():
            if key not in kept:
                raise reworded.fault(f"This step knows no mistake {key}.")
            kept[key] = Mistake(key, kept[key].compute, reworded.value, kept[key].when)
        return tuple(kept.values())

    def found_mistakes(self, entry: Entry, scopes: Scopes) -> Iterator[Mistake]:
        for found in find(entry.tree, scopes[0], self.blended_names(entry), RULES):
            wrong = _Wrong(found.tree, entry.tree, found.condition)
            if fitting := wrong.fitting(scopes):
                yield self.mistake(found.key, wrong, found.feedback, scopes, fitting)

    def own_mistakes(self, entry: Entry, scopes: Scopes) -> Iterator[Mistake]:
        for own in self.text.mistakes:
            if own.step == entry.name:
                if own.tree == entry.tree:
                    raise FormulaError("This is the right formula.", own.line, 1)
                infer(own.tree, scopes[0])
                wrong = _Wrong(own.tree, entry.tree)
                fitting = wrong.fitting(scopes)
                if not fitting:
                    raise FormulaError("It has another shape than the step.", own.line, 1)
                yield self.mistake(own.key, wrong, own.feedback, scopes, fitting)
            elif own.step not in {each.name for each in self.text.steps}:
                raise FormulaError(f"There’s no step {own.step}.", own.line, 1)

    def blended_names(self, entry: Entry) -> frozenset[str]:
        """Return the givens and earlier steps that hold weights which sum to 1."""
        names = set()
        for given in self.text.givens:
            if isinstance(given.tree, Call) and given.tree.function == "shares":
                names |= set(given.names)
        for step in self.text.steps:
            if step is entry:
                break
            if isinstance(step.tree, Call) and step.tree.function == "softmax":
                names.add(step.name)
        return frozenset(names)

    def mistake(
        self, key: str, wrong: "_Wrong", feedback: str, scopes: Scopes, fitting: Scopes
    ) -> Mistake:
        rank = len(infer(wrong.right, scopes[0]))
        computed = _batched(compute(wrong.tree, fitting[0]), rank, self.scope)
        return Mistake(key, computed, feedback, when=wrong.when(scopes, fitting))


@dataclass(frozen=True)
class _Wrong:
    """A wrong formula for a right one, and the condition under which it shows, if there is one."""

    tree: Node
    right: Node
    condition: Node | None = None

    def fits(self, scope: Scope) -> bool:
        """Return whether both have the same shape, so that one can be taken for the other."""
        try:
            return infer(self.tree, scope) == infer(self.right, scope)
        except FormulaError:
            return False

    def fitting(self, scopes: Scopes) -> Scopes:
        return [scope for scope in scopes if self.fits(scope)]

    def when(self, scopes: Scopes, fitting: Scopes) -> Condition:
        """Return the condition on a variant: its shapes, then its numbers."""
        shows = compute(self.condition, fitting[0]) if self.condition else None
        fits = None if len(fitting) == len(scopes) else _Fits(self, scopes[0])
        if not shows:
            return fits or always

        def condition(v: Values) -> bool | np.ndarray:
            return (not fits or fits(v)) and shows(EXACT, v) != 0

        return condition


class _Fits:
    """A condition on the shapes of a variant's givens, which are the same throughout a batch."""

    def __init__(self, wrong: _Wrong, scope: Scope) -> None:
        self.wrong, self.scope = wrong, scope
        self.known: dict[Shapes, bool] = {}

    def __call__(self, v: Values) -> bool:
        shapes = _shapes(v, self.scope)
        if shapes not in self.known:
            self.known[shapes] = self.wrong.fits(self.at(shapes))
        return self.known[shapes]

    def at(self, shapes: Shapes) -> Scope:
        lengths = {
            name: tuple(map(Length, shape))
            for name, shape in zip(self.scope.shapes, shapes, strict=True)
        }
        sizes = {
            size: Length(lengths[self.scope.read_off[size].given][self.scope.read_off[size].axis])
            if size in self.scope.read_off
            else length
            for size, length in self.scope.sizes.items()
        }
        return Scope(lengths, sizes, self.scope.read_off, self.scope.words)


def _shapes(v: Values, scope: Scope) -> Shapes:
    """Return the shapes of some names' values, without the axes of the batch."""
    return tuple(
        np.shape(v[name])[np.ndim(v[name]) - len(shape) :] for name, shape in scope.shapes.items()
    )


def _off_at(known: Mistake, off: set[Shapes] | None, givens: Scope) -> Mistake:
    """Return a mistake that isn't known at some shapes of the givens."""
    if not off:
        return known
    return replace(known, when=lambda v: _shapes(v, givens) not in off and known.when(v))


def _batched(computed: Compute, rank: int, scope: Scope) -> Compute:
    """Return the function whose result has the batch axes of the givens, even if it's constant."""
    name, shape = next(iter(scope.shapes.items()))
    axes = len(shape)

    def in_batch(way: Way, v: Values) -> Array:
        result = np.asarray(computed(way, v))
        batch = np.ndim(v[name]) - axes
        if result.ndim == rank and batch:
            return np.broadcast_to(result, (*np.shape(v[name])[:batch], *result.shape))
        return result

    return in_batch
