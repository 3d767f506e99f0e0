"""The names of a text, with their shapes at each combination of its sizes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product as combinations_of
from itertools import takewhile

from attention_core.errors import FormulaError
from attention_core.formulas import draws
from attention_core.formulas.lengths import Length, Shape
from attention_core.formulas.shapes import Axis, Scope, infer
from attention_core.formulas.text import SAYING, Entry, Text
from attention_core.formulas.trees import Call, Item, Name, names_in, walk


@dataclass
class Names:
    """The givens, steps, sizes and words of a text, checked against each other."""

    text: Text
    words: dict[str, Length] = field(default_factory=dict)  # lists of words, and their lengths
    shapes: dict[tuple[int, ...], dict[str, Shape]] = field(default_factory=dict)  # at each sizes
    scopes: dict[tuple[tuple[int, ...], str], Scope] = field(default_factory=dict)

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
        key = tuple(sizes.values()), before
        if key not in self.scopes:
            shapes = self.shapes_at(sizes)
            if before:
                shapes = dict(takewhile(lambda each: each[0] != before, shapes.items()))
            self.scopes[key] = Scope(shapes, sizes, self.read_off, self.pointing)
        return self.scopes[key]

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
                    raise FormulaError(f"Write this draw like {draws.EXAMPLES[name]}.", *at)
                case Call(function="sentence", arguments=[length]):
                    self.one_name(entry)
                    for sizes in self.combinations:
                        draws.check_sentence(draws.length_of(length, sizes), at)
                    self.words[entry.name] = draws.length_of(length, self.combinations[0])
                case Call(function="word_pair", arguments=[]):
                    if len(entry.names) != 2:
                        raise FormulaError(
                            "A pair needs two names, as in “one, other: word_pair()”.", *at
                        )
                case Call(function="meanings", arguments=[length]):
                    if len(entry.names) != 2:
                        raise FormulaError(
                            "Meanings need two names, as in “a, b: meanings(d)”.", *at
                        )
                    for sizes in self.combinations:
                        if draws.length_of(length, sizes) > 4:
                            raise FormulaError("Meanings can have at most 4 dimensions.", *at)
                    self.words["dimensions"] = draws.length_of(length, self.combinations[0])
                case Call(function="choice", arguments=[Name(name=among)]):
                    self.one_name(entry)
                    if among not in self.words or among == "dimensions":
                        raise FormulaError(f"No line above draws a sentence called {among}.", *at)
                case Call(function="word_pair" | "sentence" | "meanings" as name):
                    raise FormulaError(f"Write this draw like {draws.EXAMPLES[name]}.", *at)

    def check_worth(self) -> None:
        """Raise FormulaError for a line that says nothing, and a step with nothing to work out.

        A published text may have these, because earlier readers let them pass. A step that reads
        no name is refused, so every other one reads givens in the end.
        """
        entries = [*self.text.givens, *self.text.steps]
        for lines in (self.text.heads, *(entry.attributes for entry in entries)):
            for key, line in lines.items():
                if key.split()[0] in SAYING and not line.value:
                    raise line.fault(f"Write something after “{key}:”, or leave the line out.")
        for entry in self.text.steps:
            if isinstance(entry.tree, Name):
                copied = entry.tree.name
                raise FormulaError(
                    f"This only copies {copied}, so there’s nothing to work out.", *entry.tree.at
                )
            if not names_in(entry.tree):
                raise FormulaError(
                    "Every student would have the same answer: use a given.", *entry.tree.at
                )

    def one_name(self, entry: Entry) -> None:
        if len(entry.names) != 1:
            raise FormulaError("This draw can have only one name.", entry.line, 1)

    def axes(self, entry: Entry, shape: Shape) -> tuple[str, ...]:
        named = entry.keys("axes")
        if named is None:
            return tuple(self.axis(length) for length in shape)
        if len(named) != len(shape) or not {*named} <= {*self.words, "places"}:
            known = ", ".join([*self.words, "places"])
            raise entry.attributes["axes"].fault(f"Write {len(shape)} of these names: {known}.")
        return named

    def axis(self, length: Length) -> str:
        """Return the words that label an axis: those whose number is its size."""
        for name, of_words in self.words.items():
            if length.size and length.size == of_words.size:
                return name
        return "places"
