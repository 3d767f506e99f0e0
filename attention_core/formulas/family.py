"""A text of formulas becomes a family, which is drawn, proven and marked as any other."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product as combinations_of
from itertools import takewhile

import numpy as np

from attention_core.errors import AuthorError, FormulaError
from attention_core.formulas import draws
from attention_core.formulas.cells import worked_cell
from attention_core.formulas.compute import compute
from attention_core.formulas.lengths import Length, Shape, in_words
from attention_core.formulas.programs import numpy_line
from attention_core.formulas.rewriting import find
from attention_core.formulas.rules import RULES
from attention_core.formulas.sayings import sayings
from attention_core.formulas.shapes import Axis, Scope, infer
from attention_core.formulas.symbols import cell_name, latex, symbol
from attention_core.formulas.text import Entry, Text, read_lines
from attention_core.formulas.trees import (
    COMPARISONS,
    Binary,
    Call,
    Item,
    Name,
    Node,
    names_in,
    parse,
    walk,
)
from attention_core.formulas.trial import try_mistakes
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
    builder.check()
    # Mistakes are found last, because that takes longer than telling a fault may.
    return builder.without_indistinct(builder.family())


# The number that an indented line says: the usual one, the least and the most.
_NUMBERS = {"weight": (1, 1, 10), "seconds": (15, 1, 600)}

# Each part of each step is tried at each combination of the sizes.
MAX_WORK = 3_000
FEW_DRAWS = 8  # show whether a step has numbers, and a mistake a result of its own

type Scopes = list[Scope]
# The shapes of all givens, in their order.
type Shapes = tuple[tuple[int, ...], ...]


@dataclass
class _Builder:
    """Checks a text against itself, line by line, and builds a family's parts."""

    text: Text
    key: str
    words: dict[str, Length] = field(default_factory=dict)  # lists of words, and their lengths
    found: dict[str, dict[str, "_Wrong"]] = field(default_factory=dict)  # mistakes of each step
    shapes: dict[tuple[int, ...], dict[str, Shape]] = field(default_factory=dict)  # at each sizes

    def check(self) -> None:
        """Raise FormulaError for any fault of the text."""
        text = self.text
        trees = [*(each.tree for each in text.steps), *(each.tree for each in text.mistakes)]
        parts = sum(1 for tree in trees for _ in walk(tree))
        if parts * len(self.combinations) > MAX_WORK:
            raise FormulaError(
                "This is too much to try at so many combinations of sizes: offer fewer, "
                "or ask for fewer steps.",
                1,
                1,
            )
        self.check_draws()
        for sizes in self.combinations:
            self.scope_at(sizes)
        if not self.given_scope.shapes:
            raise FormulaError("There’s no number given: write “name: draw”.", 1, 1)
        for entry in text.steps:
            self.check_step(entry)
        self.check_values(self.family(found=False))

    def check_values(self, family: Family) -> None:
        """Raise FormulaError for a step without numbers, and for a mistake that is right."""
        sizes = family.combinations()
        lost = (
            try_mistakes(family, sizes[0], FEW_DRAWS).lost and try_mistakes(family, sizes[0]).lost
        )
        for entry in self.text.steps:
            if entry.name in lost:
                raise FormulaError(
                    "This is never a number: it divides by 0, or takes a root or a logarithm of "
                    "what has none, or grows too large.",
                    *entry.tree.at,
                )
        # A mistake may be right at some sizes, and told apart at others.
        unsure, right = {(own.step, own.key): own for own in self.text.mistakes}, set()
        for options in sizes:
            if unsure:
                trial = try_mistakes(family, options, FEW_DRAWS)
                right |= {(step, key) for step, keys in trial.right.items() for key in keys}
                for step, keys in trial.wrong.items():
                    for key in keys:
                        unsure.pop((step, key), None)
        for place, own in unsure.items():
            if place in right:
                raise FormulaError("This gives the right result.", own.line, 1)

    def family(self, *, found: bool = True) -> Family:
        """Return the family; without the mistakes that rules find, if they aren't `found`."""
        text = self.text
        steps = tuple(self.step(entry, found=found) for entry in text.steps)
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
            for step, keys in try_mistakes(family, options).off.items():
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
        words = {
            entry.name
            for entry in self.text.givens
            if isinstance(entry.tree, Call)
            and entry.tree.function == "choice"
            and any(isinstance(each, Name) for each in entry.tree.arguments)
        }
        trees = [entry.tree for entry in (*self.text.steps, *self.text.keeps)]
        trees += [mistake.tree for mistake in self.text.mistakes]
        return frozenset(
            place.name
            for tree in trees
            for part in walk(tree)
            if isinstance(part, Item)
            for place in part.places
            if isinstance(place, Name) and place.name in words
        )

    @cached_property
    def scope(self) -> Scope:
        """The names of all givens and steps, at the default sizes."""
        return self.scope_at(self.combinations[0])

    def scope_at(self, sizes: Mapping[str, Length], before: str = "") -> Scope:
        """Return all names with their shapes at these sizes; those before one step, if named."""
        shapes = self.shapes_at(sizes)
        if before:
            shapes = dict(takewhile(lambda each: each[0] != before, shapes.items()))
        return Scope(shapes, sizes, self.read_off, self.pointing)

    def shapes_at(self, sizes: Mapping[str, Length]) -> dict[str, Shape]:
        """Return the shapes of all givens and steps at these sizes."""
        key = tuple(sizes.values())
        if key not in self.shapes:
            shapes = self.given_shapes(sizes)
            scope = Scope(shapes, sizes, self.read_off, self.pointing)
            for entry in self.text.steps:
                shapes[entry.name] = infer(entry.tree, scope)
            self.shapes[key] = shapes
        return self.shapes[key]

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
        """Where each size shows: in the first given that has it, or the one it's named after."""
        found: dict[str, Axis] = {}
        for given, shape in self.given_shapes(self.combinations[0]).items():
            if given in self.pointing:
                continue
            for axis in range(-len(shape), 0):
                if size := shape[axis].size:
                    found.setdefault(size, Axis(given, axis))
                    # d_k is the width of a key, though a query shows it too.
                    if size.lower().endswith(f"_{given.lower()}"):
                        found[size] = Axis(given, axis)
        return found

    def check_draws(self) -> None:
        for entry in self.text.givens:
            at = entry.tree.at
            match entry.tree:
                case Call(function=name, options=[_, *_]) if name in draws.WORDS:
                    raise FormulaError(f"This draw is written {draws.EXAMPLES[name]}.", *at)
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
        said += [entry.get("label") for entry in (*self.text.givens, *self.text.steps)]
        outside = re.sub(r"\$[^$]*\$", "", "\n".join(said))
        sizes = (name for name in self.text.sizes if name not in self.sizes_given)
        return tuple(name for name in sizes if f"{{{name}}}" in outside)

    def fit(self) -> Callable[[Values], bool]:
        conditions = []
        for keep in self.text.keeps:
            compares = any(
                isinstance(part, Binary) and part.sign in COMPARISONS.values()
                for part in walk(keep.tree)
            )
            ranks = {len(infer(keep.tree, self.scope_at(sizes))) for sizes in self.combinations}
            if not compares or ranks != {0}:
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
                    label = entry.get("label", f"${symbol(name)}$")
                    label = entry.get(f"label {name}", label)
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

    def step(self, entry: Entry, *, found: bool = True) -> Step:
        own = [*self.own_wrongs(entry)]
        scope = self.scope_at(self.combinations[0], before=entry.name)
        shape = infer(entry.tree, scope)
        cell = worked_cell(entry.tree, scope)
        shown = self.shown_cell(entry, shape)
        name = entry.get("first", cell_name(entry.get("symbol", entry.name), len(shape)))
        first = worked_cell(entry.tree, scope, name)
        said = sayings(entry.tree, scope)
        written = latex(entry.tree, scope)
        return Step(
            key=entry.name,
            label=entry.get("label", f"${symbol(entry.name)}$"),
            axes=self.axes(entry, shape),
            compute=_batched(compute(entry.tree, scope), len(shape), self.scope),
            how=entry.get("how", said.how or f"${symbol(entry.name)} = {written}$"),
            worked=lambda v: first(v, *shown),
            cell=cell,
            nudge=entry.get("hint", said.hint),
            formula=entry.get("formula", said.formula or written),
            mistakes=self.mistakes(entry, self.kept_keys(entry) if found else own),
            fixed=self.fixed(entry),
            weight=entry.number("weight", *_NUMBERS["weight"]),
            seconds=entry.number("seconds", said.seconds, *_NUMBERS["seconds"][1:]),
            decimals=self.decimals(entry),
        )

    def shown_cell(self, entry: Entry, shape: Shape) -> tuple[int, int]:
        """Return the row and the column of the cell that the worked solution writes out."""
        found = entry.attributes.get("cell")
        if not found:
            return 0, 0
        match = re.fullmatch(r"([0-9]{1,2}), *([0-9]{1,2})", found.value)
        rows, columns = (1, 1, *shape)[-2:]
        if not match or int(match[1]) >= rows or int(match[2]) >= columns:
            raise found.fault("A cell is its row and its column, counted from 0: 0, 1.")
        return int(match[1]), int(match[2])

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
            raise found.fault(
                f"This has to be {in_words(scope.shapes[entry.name])}, as the step is."
            )
        computed = compute(tree, scope)
        return lambda v: np.asarray(computed(EXACT, v) != 0)

    def check_step(self, entry: Entry) -> None:
        """Raise FormulaError for a fault in the lines that belong to a step."""
        self.axes(entry, self.scope.shapes[entry.name])
        self.shown_cell(entry, self.scope.shapes[entry.name])
        self.decimals(entry)
        self.fixed(entry)
        for attribute, (default, least, most) in _NUMBERS.items():
            entry.number(attribute, default, least, most)
        self.own_wrongs(entry)
        if entry.rewordings or {"mistakes", "without"} & entry.attributes.keys():
            self.kept_keys(entry)

    def mistakes(self, entry: Entry, kept: list[str]) -> tuple[Mistake, ...]:
        scopes, shapes = self.scopes_of(entry)
        feedback = {key: reworded.value for key, reworded in entry.rewordings.items()}
        wrongs = self.own_wrongs(entry)
        if not wrongs.keys() >= set(kept):
            wrongs = self.found_wrongs(entry) | wrongs
        return tuple(
            self.mistake(key, wrongs[key], feedback.get(key), scopes, shapes) for key in kept
        )

    def kept_keys(self, entry: Entry) -> list[str]:
        """Return the keys of a step's mistakes, in the order in which they are tried."""
        own = [*self.own_wrongs(entry)]
        known = [*dict.fromkeys([*self.found_wrongs(entry), *own])]
        picked, without = entry.keys("mistakes"), entry.keys("without") or ()
        for attribute, keys in (("mistakes", picked or ()), ("without", without)):
            for key in keys:
                if key not in known:
                    raise entry.attributes[attribute].fault(
                        f"This step knows no mistake {key}; there are: "
                        f"{', '.join(known) or 'none'}."
                    )
        if picked is not None:
            known = [*dict.fromkeys([*picked, *own])]
        kept = [key for key in known if key not in without]
        for key, reworded in entry.rewordings.items():
            if key not in kept:
                raise reworded.fault(f"This step knows no mistake {key}.")
        return kept

    def scopes_of(self, entry: Entry) -> tuple[Scopes, list[Shape]]:
        """Return the names before a step, and its shape, at each combination of the sizes."""
        scopes = [self.scope_at(sizes, before=entry.name) for sizes in self.combinations]
        return scopes, [self.shapes_at(sizes)[entry.name] for sizes in self.combinations]

    def found_wrongs(self, entry: Entry) -> dict[str, "_Wrong"]:
        """Return the mistakes that rules find in a step, where their shapes fit at any sizes."""
        if entry.name not in self.found:
            scopes, shapes = self.scopes_of(entry)
            earlier = {
                each.name: each.tree for each in self.text.steps if each.name in scopes[0].shapes
            }
            found = find(entry.tree, scopes[0], self.blended_names(entry), RULES, earlier)
            wrongs = {
                each.key: _Wrong(each.tree, entry.tree, each.feedback, each.condition)
                for each in found
            }
            self.found[entry.name] = {
                key: wrong for key, wrong in wrongs.items() if any(map(wrong.fits, scopes, shapes))
            }
        return self.found[entry.name]

    def own_wrongs(self, entry: Entry) -> dict[str, "_Wrong"]:
        """Return the mistakes that the author wrote for a step."""
        wrongs = {}
        scopes, shapes = self.scopes_of(entry)
        for own in self.text.mistakes:
            if own.step == entry.name:
                if own.tree == entry.tree:
                    raise FormulaError("This is the right formula.", own.line, 1)
                infer(own.tree, scopes[0])
                wrong = _Wrong(own.tree, entry.tree, own.feedback)
                if not any(map(wrong.fits, scopes, shapes)):
                    raise FormulaError("It has another shape than the step.", own.line, 1)
                wrongs[own.key] = wrong
            elif own.step not in {each.name for each in self.text.steps}:
                raise FormulaError(f"There’s no step {own.step}.", own.line, 1)
        return wrongs

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
        self, key: str, wrong: "_Wrong", reworded: str | None, scopes: Scopes, shapes: list[Shape]
    ) -> Mistake:
        fits = [*map(wrong.fits, scopes, shapes)]
        fitting = scopes[fits.index(True)]
        computed = _batched(compute(wrong.tree, fitting), len(shapes[0]), self.scope)
        when = wrong.when(fitting, everywhere=all(fits))
        return Mistake(key, computed, reworded or wrong.feedback, when=when)


@dataclass(frozen=True)
class _Wrong:
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
        fits = None if everywhere else _Fits(self, fitting)
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
