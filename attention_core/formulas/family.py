"""A text of formulas becomes a family, which is drawn, proven and marked as any other."""

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from attention_core.errors import AuthorError, FormulaError
from attention_core.formulas import draws
from attention_core.formulas.cells import worked_cell
from attention_core.formulas.compute import compute
from attention_core.formulas.known import KnownMistakes
from attention_core.formulas.lengths import Length, Shape, in_words
from attention_core.formulas.names import Names
from attention_core.formulas.programs import numpy_line
from attention_core.formulas.sayings import sayings
from attention_core.formulas.shapes import infer
from attention_core.formulas.symbols import cell_name, latex, symbol
from attention_core.formulas.text import Entry, Text, read_lines
from attention_core.formulas.trees import COMPARISONS, Binary, Call, Name, names_in, parse, walk
from attention_core.formulas.trial import try_mistakes
from attention_core.formulas.wrong import batched
from attention_core.problems.drawing import Stream
from attention_core.problems.family import (
    Drawn,
    Family,
    Given,
    Options,
    Step,
    Values,
    no_fixed_cells,
)
from attention_core.problems.rounding import EXACT


def read(
    text: str, key: str, *, version: int | None = None, trials: Mapping[str, Any] | None = None
) -> Family:
    r"""Return the family that a text describes.

    Args:
        text: lines in the format of `attention_core.formulas.text`.
        key: the family's name everywhere.
        version: the family's, instead of the text's own.
        trials: the result of `try_text` for this text, key and version, which saves the time that
            the trials of its mistakes take.

    Raises:
        FormulaError: what is wrong, with its line and column.

    >>> family = read("sizes: d = 3, 2\nq, k: tenths(d)\nscore = q @ k", key="own_score")
    >>> family.steps[0].formula, [known.key for known in family.steps[0].mistakes]
    ('q \\cdot k', ['signs_dropped', 'sums_multiplied'])
    """
    builder = _checked(text, key, version)
    family = builder.family()
    # Mistakes are tried last, because that takes longer than telling a fault may.
    if trials is None:
        trials = builder.tried(family)
    return builder.known.without_indistinct(family, trials)


def try_text(text: str, key: str, *, version: int | None = None) -> dict[str, Any]:
    r"""Return how the mistakes of a text turn out on drawn variants, for `read`; fit for JSON.

    Under "off" stand the sizes at which each step's mistakes can't be told apart, by step and
    mistake. Under "own" stand the author's own mistakes that are off at some sizes: for that
    reason, or because they have another shape there.

    Raises:
        FormulaError: as `read` does.

    >>> text = "sizes: n = 1, 3\nx: tenths(n)\nout = sum(x)"
    >>> try_text(f'{text}\ntripled: out = 3 * mean(x) : "Add them up."', "own_sum")["own"]
    {'out': {'tripled': [{'n': 3}]}}
    """
    builder = _checked(text, key, version)
    return builder.tried(builder.family())


def sketch(text: str, key: str, *, version: int | None = None) -> Family:
    r"""Return the family that a text describes, in little time: its mistakes aren't tried.

    Some of them may look like the right answer, and a step may have no numbers.

    Raises:
        FormulaError: a fault that shows without a trial, as `read` does.

    >>> family = sketch("sizes: d = 3, 2\nq, k: tenths(d)\nscore = q @ k", key="own_score")
    >>> family.key, family.options
    ('own_score', {'d': (3, 2)})
    """
    builder = _checked(text, key, version)
    family = builder.family()
    builder.names.check_worth()
    return family


def _checked(text: str, key: str, version: int | None) -> "_Builder":
    builder = _Builder(read_lines(text), key, version)
    builder.check()
    return builder


# The number that an indented line says: the usual one, the least and the most.
_NUMBERS = {"weight": (1, 1, 10), "seconds": (15, 1, 600)}

# The signs, names and numbers of steps, which rules look at; those of all formulas; and these at
# each combination of the sizes. So a preview takes no longer than a page may.
MAX_PARTS, MAX_ALL_PARTS, MAX_WORK = 120, 300, 1_500
# The characters of a kind's name, such as own_score/1/{"d": 3}, of its key and its version.
MAX_KIND, MAX_KEY, MAX_VERSION = 200, 60, 6
MAX_NUMBERS = 1_000  # of all givens together
LARGE, LARGEST = 10_000, 1e12  # what's larger still has its fault elsewhere, as the proof tells
FEW_DRAWS = 8  # show whether a step has numbers, and a mistake a result of its own


@dataclass
class _Builder:
    """Checks a text line by line, and builds a family's parts."""

    text: Text
    key: str
    set_version: int | None = None  # instead of the text's

    @cached_property
    def names(self) -> Names:
        """The names of the text, with their shapes."""
        return Names(self.text)

    @cached_property
    def known(self) -> KnownMistakes:
        """The mistakes of its steps."""
        return KnownMistakes(self.names)

    def check(self) -> None:
        """Raise FormulaError for any fault of the text."""
        self.check_work()
        self.check_kind_names()
        self.names.check_draws()
        for sizes in self.names.combinations:
            shapes = self.names.given_shapes(sizes).values()
            if (numbers := sum(math.prod(shape) for shape in shapes)) > MAX_NUMBERS:
                raise FormulaError(
                    f"The givens have {numbers:,} numbers, but at most {MAX_NUMBERS:,} are "
                    "allowed: draw fewer or smaller arrays.",
                    self.text.givens[0].line,
                    1,
                )
            self.names.scope_at(sizes)
        if not self.names.given_scope.shapes:
            raise FormulaError("The problem gives no numbers: write “name: draw”.", 1, 1)
        for entry in self.text.steps:
            self.check_step(entry)

    def check_kind_names(self) -> None:
        """Raise FormulaError for options whose names make the names of kinds too long."""
        largest = {
            self.text.options[name]: max(offered) for name, offered in self.text.sizes.items()
        }
        longest = MAX_KIND - MAX_KEY - MAX_VERSION - len("//")
        if (length := len(json.dumps(largest, sort_keys=True))) > longest:
            raise self.text.heads["sizes"].fault(
                f"The names of all sizes have too many letters together, {length - longest} "
                "more than allowed: shorten them."
            )

    def check_work(self) -> None:
        """Raise FormulaError for formulas that take longer than a page may."""
        text = self.text
        of_steps = sum(1 for each in text.steps for _ in walk(each.tree))
        if of_steps > MAX_PARTS:
            raise FormulaError(
                f"The steps’ formulas have {of_steps} names, numbers and signs, but at most "
                f"{MAX_PARTS} are allowed: ask for fewer steps, or make two problems of them.",
                text.steps[0].line,
                1,
            )
        others = [*(each.tree for each in text.mistakes), *(each.tree for each in text.keeps)]
        parts = of_steps + sum(1 for tree in others for _ in walk(tree))
        parts += sum(len(re.findall(r"\w+|\S", each.get("fixed"))) for each in text.steps)
        if parts > MAX_ALL_PARTS:
            raise FormulaError(
                f"All formulas have {parts} names, numbers and signs, but at most "
                f"{MAX_ALL_PARTS} are allowed: write fewer mistakes or conditions.",
                1,
                1,
            )
        if parts * len(self.names.combinations) > MAX_WORK:
            raise FormulaError(
                "This is too much to try at so many combinations of sizes: offer fewer, "
                "or ask for fewer steps.",
                text.heads["sizes"].line,
                1,
            )

    def tried(self, family: Family) -> dict[str, Any]:
        """Return the trials of a family. Raise FormulaError for a fault that shows in numbers."""
        self.names.check_worth()
        self.check_values(self.family(found=False))
        return self.known.trials(family)

    def check_values(self, family: Family) -> None:
        """Raise FormulaError for a step without fit numbers, and for a mistake that is right."""
        sizes = family.combinations()
        few = try_mistakes(family, sizes[0], FEW_DRAWS)
        lost = few.lost and try_mistakes(family, sizes[0]).lost
        for entry in self.text.steps:
            if entry.name in lost:
                raise FormulaError(
                    "This never gives a number: it divides by 0, takes a root or a logarithm that "
                    "doesn’t exist, or grows too large.",
                    *entry.tree.at,
                )
            if (
                LARGE <= few.largest.get(entry.name, 0) < LARGEST
                and family.step(entry.name).decimals
            ):
                raise FormulaError(
                    f"Its numbers reach {few.largest[entry.name]:,.0f}, which is long to type with "
                    "three decimals. Ask for thousands: divide by 1000, and say so in the label.",
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
                raise FormulaError(
                    "This mistake gives the right result: change its formula, or remove it.",
                    own.line,
                    1,
                )

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

    def draw(self, stream: Stream, options: Options) -> Drawn:
        sizes = {name: Length(options[option], name) for name, option in self.text.options.items()}
        drawing = draws.Drawing(stream, sizes, {}, {}, {})
        for entry in self.text.givens:
            if not draws.draw_words(entry.names, entry.tree, drawing):
                for name in entry.names:
                    drawing.numbers[name] = draws.draw_number(entry.tree, drawing)
        for name, place in drawing.places.items():
            if name in self.names.pointing:
                drawing.numbers[name] = place
        for name in self.sizes_given:
            drawing.numbers[name] = np.array(float(sizes[name]))
        counts = {name: (str(int(sizes[name])),) for name in self.sizes_in_sentences}
        return Drawn(numbers=drawing.numbers, words=drawing.words | counts)

    @cached_property
    def sizes_given(self) -> tuple[str, ...]:
        """The sizes that no given shows and a formula reads: they're givens themselves."""
        read = set().union(*(names_in(entry.tree) for entry in self.text.steps))
        return tuple(
            name for name in self.text.sizes if name in read and name not in self.names.read_off
        )

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
            ranks = {
                len(infer(keep.tree, self.names.scope_at(sizes)))
                for sizes in self.names.combinations
            }
            if not compares or ranks != {0}:
                raise FormulaError(
                    "After “keep” compare two numbers: keep max(abs(scores)) <= 4.", keep.line, 6
                )
            conditions.append(compute(keep.tree, self.names.scope))
        return lambda v: all(bool(condition(EXACT, v)) for condition in conditions)

    def statement(self) -> str:
        head = self.text.heads.get("statement")
        if not head:
            return "Work out each step."
        outside = re.sub(r"\$[^$]*\$", "", head.value)
        for name in re.findall(r"\{([^{}]*)\}", outside):
            if name not in self.fillable:
                raise head.fault(f"{{{name}}} isn’t a word, a size or a single number.")
        return head.value

    @cached_property
    def fillable(self) -> set[str]:
        """The names that braces in a sentence may hold."""
        words = {name for entry in self.text.givens for name in entry.names
                 if isinstance(entry.tree, Call)
                 and (entry.tree.function in ("sentence", "word_pair")
                      or (entry.tree.function == "choice"
                          and isinstance(entry.tree.arguments[0], Name)))}  # fmt: skip
        if "dimensions" in self.names.words:
            words |= {"first", "second", "dimensions"}
        numbers = {name for name, shape in self.names.scope.shapes.items() if not shape}
        return words | numbers | {*self.text.sizes}

    def givens(self) -> tuple[Given, ...]:
        shapes = self.names.scope.shapes
        found = []
        for entry in self.text.givens:
            for name in entry.names:
                if name in shapes and name not in self.names.pointing:
                    label = entry.get("label", f"${symbol(name)}$")
                    label = entry.get(f"label {name}", label)
                    axes = self.names.axes(entry, shapes[name])
                    found.append(Given(name, label, axes))
        found += [Given(name, f"${symbol(name)}$") for name in self.sizes_given]
        return tuple(found)

    def code(self) -> str:
        lines = [numpy_line(entry.name, entry.tree, self.names.scope) for entry in self.text.steps]
        return "\n" + "\n".join(lines) + "\n"

    def version(self) -> int:
        if self.set_version is not None:
            return self.set_version
        head = self.text.heads.get("version")
        if not head:
            return 1
        if not re.fullmatch("[0-9]{1,6}", head.value):
            raise head.fault("A version must be a whole number.")
        return int(head.value)

    def step(self, entry: Entry, *, found: bool = True) -> Step:
        own = [*self.known.own_wrongs(entry)]
        scope = self.names.scope_at(self.names.combinations[0], before=entry.name)
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
            axes=self.names.axes(entry, shape),
            compute=batched(compute(entry.tree, scope), len(shape), self.names.scope),
            how=entry.get("how", said.how or f"${symbol(entry.name)} = {written}$"),
            worked=lambda v: first(v, *shown),
            cell=cell,
            nudge=entry.get("hint", said.hint),
            formula=entry.get("formula", said.formula or written),
            mistakes=self.known.mistakes(entry, self.known.kept_keys(entry) if found else own),
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
            raise found.fault("Write a cell as its row and its column, counted from 0: 0, 1.")
        return int(match[1]), int(match[2])

    def decimals(self, entry: Entry) -> int:
        decimals = entry.number("decimals", 3, 0, 3)
        if decimals not in (0, 3):
            raise entry.attributes["decimals"].fault("Answers can only have 0 or 3 decimals.")
        return decimals

    def fixed(self, entry: Entry) -> Callable[[Values], np.ndarray | None]:
        found = entry.attributes.get("fixed")
        if not found:
            return no_fixed_cells
        tree = parse(found.value, found.line, found.column)
        scope = self.names.scope
        if infer(tree, scope) != scope.shapes[entry.name]:
            raise found.fault(f"This must be {in_words(scope.shapes[entry.name])}, like the step.")
        computed = compute(tree, scope)
        return lambda v: np.asarray(computed(EXACT, v) != 0)

    def check_step(self, entry: Entry) -> None:
        """Raise FormulaError for a fault in the lines that belong to a step."""
        self.names.axes(entry, self.names.scope.shapes[entry.name])
        self.shown_cell(entry, self.names.scope.shapes[entry.name])
        self.decimals(entry)
        self.fixed(entry)
        for attribute, (default, least, most) in _NUMBERS.items():
            entry.number(attribute, default, least, most)
        self.known.own_wrongs(entry)
        if entry.rewordings or {"mistakes", "without"} & entry.attributes.keys():
            self.known.kept_keys(entry)
