"""The format that a problem is written in: plain text, one thing a line.

    title: Attention
    sizes: T = 3, 2; d_k = 2, 3
    tokens: sentence(T)
    Q, K, V: tenths(T, d_k)
    keep max(abs(scores)) <= 4
    statement: Work through attention for “{tokens}”.

    scores = Q @ K.T / sqrt(d_k)
        hint: Start with one cell.
    weights = softmax(scores)
    output = weights @ V
    keys_mixed: output = weights @ K : "Mix the values, not the keys."

Indented lines say more of the line above; a `#` at the start of a line hides it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from keyword import iskeyword

from attention_core.errors import FormulaError
from attention_core.formulas.functions import FUNCTIONS
from attention_core.formulas.hints import instead_of, nearest
from attention_core.formulas.shapes import DRAWS
from attention_core.formulas.trees import MAX_LINE, Call, Either, Node, parse, shown
from attention_core.problems.family import PARTS, name_fault

MAX_TEXT = 8_000
MAX_GIVENS, MAX_STEPS, MAX_MISTAKES, MAX_COMBINATIONS = 16, 12, 24, 24
MAX_NAMES = 32

_HEADS = ("title", "summary", "part", "version", "statement", "sizes")
_OF_GIVEN = ("label", "axes")
_OF_STEP = (
    "label", "axes", "how", "hint", "formula", "symbol", "first", "cell", "seconds", "weight",
    "decimals", "fixed", "mistakes", "without", "reword",
)  # fmt: skip

# The lines that need words after their colon, and those that students read as Markdown.
SAYING = ("label", "how", "hint", "formula", "symbol", "first", "title", "statement")
_PROSE = ("label", "hint", "how")

# “np” is NumPy in programs, which call “len” as well.
_TAKEN = frozenset([*_HEADS, "keep", "np", "len"])
_NAME = "[A-Za-z][A-Za-z0-9_]*"
_SIZE = re.compile(rf"\s*({_NAME})\s*(?:\(({_NAME})\))?\s*=\s*([0-9][0-9,\s]*)")
_STEP = re.compile(rf"({_NAME})\s*=(?!=)")
_GIVENS = re.compile(rf"({_NAME}(?:\s*,\s*{_NAME})*)\s*:")
_MISTAKE = re.compile(rf"({_NAME})\s*:\s*({_NAME})\s*=(?!=)(.*):\s*\"(.*)\"\s*$")
_LISTED = re.compile(r"[-*|] |[0-9]+\. ")
# What can’t be seen, and half a character, which no database stores.
_INVISIBLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_LABELLED = re.compile(r"(.*?)\s*\"(.*)\"\s*$")
_DRAWS = "|".join(sorted(DRAWS))
_CURLY = re.compile(r"([^\"“„”]*)[“„”]([^\"]*)[“”]\s*$")
# A draw, and a caption that isn’t in quotation marks as it should be.
_CAPTION = re.compile(rf"\s*((?:{_DRAWS})\([^\"'“‘]*?\))\s*([^\s()+*/@<>=-].*)$")
_OWN = re.compile(rf"({_NAME})\s*:\s*({_NAME})\s*=(?!=)")
_DRAWN = re.compile(rf"({_NAME})\s*=\s*((?:{_DRAWS})\s*\(.*)$")
_DEFINED = re.compile(rf"({_NAME})\s*:=")


@dataclass(frozen=True)
class Attribute:
    """An indented line: its value, and where that stands."""

    value: str
    line: int
    column: int

    def fault(self, message: str) -> FormulaError:
        """Return an error at this place."""
        return FormulaError(message, self.line, self.column)


@dataclass
class Entry:
    """A given, a step or a mistake: its names, its formula or draw, and what is said of it."""

    names: tuple[str, ...]
    tree: Node
    line: int
    attributes: dict[str, Attribute] = field(default_factory=dict)
    rewordings: dict[str, Attribute] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Its one name, or its first."""
        return self.names[0]

    def get(self, attribute: str, default: str = "") -> str:
        """Return what an indented line says; the default if there is none."""
        found = self.attributes.get(attribute)
        return found.value if found else default

    def number(self, attribute: str, default: int, least: int, most: int) -> int:
        """Return the whole number of an indented line. Raise FormulaError if it isn't one."""
        found = self.attributes.get(attribute)
        if not found:
            return default
        if not re.fullmatch("[0-9]{1,4}", found.value) or not least <= int(found.value) <= most:
            raise found.fault(f"{attribute} must be a whole number from {least} to {most}.")
        return int(found.value)

    def keys(self, attribute: str) -> tuple[str, ...] | None:
        """Return the names listed by an indented line; None if there is none."""
        found = self.attributes.get(attribute)
        return tuple(re.findall(r"[^\s,]+", found.value)) if found else None


@dataclass
class Mistake:
    """A mistake of the author's own."""

    key: str
    step: str
    tree: Node
    feedback: str
    line: int


@dataclass
class Text:
    """A problem as its lines say it."""

    heads: dict[str, Attribute] = field(default_factory=dict)
    sizes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)  # a size's name among the options
    givens: list[Entry] = field(default_factory=list)
    keeps: list[Entry] = field(default_factory=list)
    steps: list[Entry] = field(default_factory=list)
    mistakes: list[Mistake] = field(default_factory=list)

    def head(self, name: str, default: str = "") -> str:
        """Return what stands behind `title:`, for example."""
        found = self.heads.get(name)
        return found.value if found else default

    @property
    def prose(self) -> list[tuple[int, str]]:
        """The line and the words of all that students read as Markdown."""
        read = [self.heads[name] for name in ("summary", "statement") if name in self.heads]
        for entry in (*self.givens, *self.steps):
            read += [entry.attributes[name] for name in _PROSE if name in entry.attributes]
            read += entry.rewordings.values()
        own = [(mistake.line, mistake.feedback) for mistake in self.mistakes]
        return [*((each.line, each.value) for each in read), *own]


def read_lines(text: str) -> Text:
    r"""Return what a text says, not yet checked against itself.

    Raises:
        FormulaError: a line that isn't understood, with its number.

    >>> read_lines("q, k: tenths(3)\nscore = q @ k").steps[0].name
    'score'
    """
    if len(text) > MAX_TEXT:
        raise FormulaError(f"This text has over {MAX_TEXT:,} characters; shorten it.", 1, 1)
    return _Lines().read(text)


class _Lines:
    def __init__(self) -> None:
        self.found = Text()
        # What an indented line belongs to: a head, or the last given or step.
        self.above: Entry | Attribute | None = None
        self.head_above = ""
        self.kind: tuple[str, ...] = ()
        self.blank = False  # whether the line above is blank

    def read(self, text: str) -> Text:
        text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\t", " ")
        for number, line in enumerate(text.split("\n"), 1):
            if hidden := _INVISIBLE.search(line):
                raise FormulaError(
                    f"There’s an invisible character, {shown(hidden[0])}; delete it.",
                    number,
                    hidden.start() + 1,
                )
            if not line.strip() or line.startswith("#"):
                self.blank |= not line.strip()
                continue
            if len(line) > MAX_LINE:
                raise FormulaError(
                    f"This line has over {MAX_LINE} characters; split it.", number, 1
                )
            if line[0] == " ":
                self.indented(line, number)
            else:
                self.line(line, number)
            self.blank = False
        self.check_counts()
        return self.found

    def line(self, line: str, number: int) -> None:
        head, colon, rest = line.partition(":")
        if colon and head in _HEADS:
            if head in self.found.heads:
                raise FormulaError(f"There’s already a line “{head}”: keep only one.", number, 1)
            column = len(line) - len(rest.lstrip()) + 1
            self.found.heads[head] = Attribute(rest.strip(), number, column)
            self.head_above, self.above = head, None
            if head == "sizes":
                self.sizes(rest, number, len(head) + 2)
            return
        if line.startswith("keep "):
            self.found.keeps.append(Entry((), parse(line[5:], number, 6), number))
            self.head_above, self.above = "", None
            return
        if curly := _CURLY.match(line):
            line = f'{curly[1]}"{curly[2]}"'
        if match := _MISTAKE.match(line):
            tree = parse(match[3], number, match.start(3) + 1)
            if not match[4].strip():
                raise FormulaError(
                    "Write feedback between the quotation marks.", number, match.start(4)
                )
            if any((match[1], match[2]) == (each.key, each.step) for each in self.found.mistakes):
                raise FormulaError(
                    f"{match[2]} already has a mistake {match[1]}: choose another name.", number, 1
                )
            self.found.mistakes.append(Mistake(match[1], match[2], tree, match[4], number))
            self.head_above, self.above = "", None
        elif match := _STEP.match(line):
            if drawn := _DRAWN.match(line):
                raise FormulaError(
                    f"A given has a colon: {drawn[1]}: {drawn[2].strip()}.", number, match.end()
                )
            self.name(match[1], number)
            self.entry(Entry((match[1],), parse(line[match.end():], number, match.end() + 1),
                             number), self.found.steps, _OF_STEP)  # fmt: skip
        elif match := _GIVENS.match(line):
            self.givens(match, line, number)
        else:
            raise self.unknown(line, number)

    def givens(self, match: re.Match[str], line: str, number: int) -> None:
        names = tuple(re.split(r"\s*,\s*", match[1]))
        rest, start = line[match.end():], match.end() + 1  # fmt: skip
        labelled = _LABELLED.match(rest)
        try:
            tree = parse(labelled[1] if labelled else rest, number, start)
        except FormulaError as error:
            draws = re.match(rf"\s*(?:{_DRAWS})\s*\(", rest)
            meant = self.uncaptioned(match, rest, number) if draws else self.meant(line, number)
            raise (meant or error) from None
        if not isinstance(tree, Call | Either) and (meant := self.meant(line, number)):
            raise meant
        for place, name in enumerate(names):
            self.name(name, number)
            if name in names[:place]:
                raise FormulaError(
                    f"{name} is already the name of something else: choose another.", number, 1
                )
        entry = Entry(names, tree, number)
        if labelled:
            entry.attributes["label"] = Attribute(labelled[2], number, start + labelled.start(2))
        self.entry(entry, self.found.givens, _OF_GIVEN)

    def unknown(self, line: str, number: int) -> FormulaError:
        """Return the error of a line that is no given and no step."""
        if meant := self.meant(line, number):
            return meant
        sign = re.search("[:=]", line)
        name = line[: sign.start()].strip() if sign else ""
        if strange := re.search(r"[^\x00-\x7f]", name):
            instead = instead_of(strange[0]) or "type names with A–Z, a–z, 0–9 and _"
            return FormulaError(
                f"{shown(strange[0])} isn’t a plain character: {instead}.",
                number,
                strange.start() + 1,
            )
        plain = "_".join(re.findall("[A-Za-z0-9_]+", name))
        if plain != name:
            such = plain if re.fullmatch(_NAME, plain) else "mean_x"
            return FormulaError(
                f"A name has letters, digits and _ only, such as {such}.", number, 1
            )
        return FormulaError(
            "Write “name = formula” for a step, “name: draw” for a given.", number, 1
        )

    def meant(self, line: str, number: int) -> FormulaError | None:
        """Return the error of a line that begins with a key, misspelt or out of place, or None."""
        if defined := _DEFINED.match(line):
            return FormulaError(
                f"To define {defined[1]}, write = instead of :=.", number, defined.end() - 1
            )
        if own := _OWN.match(line):
            steps = {name for entry in self.found.steps for name in entry.names}
            if own[2] in steps or not nearest(own[1], _HEADS):
                form = f'{own[1]}: {own[2]} = … : "feedback"'
                return FormulaError(f"Write a mistake with feedback: {form}.", number, 1)
        key, colon, _ = line.partition(":")
        word = re.split("[^A-Za-z_]", key, maxsplit=1)[0]
        if word.lower() == "keep" or (not colon and nearest(word, ["keep"])):
            form = "Write a condition as “keep”, a space and a comparison: keep max(x) <= 4."
            return FormulaError(form, number, 1)
        if not colon:
            if word in _HEADS and line.startswith(f"{word} "):
                return FormulaError(f"Write a colon after {word}.", number, len(word) + 1)
            return None
        if word in _OF_STEP:
            belongs = "it belongs to the step or given above"
            return FormulaError(f"Begin this line with spaces: {belongs}.", number, 1)
        if near := nearest(word, _HEADS + _OF_STEP).replace("? ", ":?"):
            return FormulaError(near, number, 1)
        return None

    def uncaptioned(self, match: re.Match[str], rest: str, number: int) -> FormulaError | None:
        """Return the error of a caption that isn’t in straight quotation marks, or None."""
        caption = _CAPTION.match(rest)
        if not caption:
            return None
        form = f'{match[1]}: {caption[1]} "…"'
        return FormulaError(
            f"Put the caption in straight quotes: {form}.",
            number,
            match.end() + caption.start(2) + 1,
        )

    def entry(self, entry: Entry, among: list[Entry], kind: tuple[str, ...]) -> None:
        among.append(entry)
        self.above, self.head_above, self.kind = entry, "", kind

    def indented(self, line: str, number: int) -> None:
        text = line.strip()
        column = line.index(text) + 1
        if self.head_above:
            before = self.found.heads[self.head_above]
            # A paragraph goes on, unless a blank line or the mark of a list begins another line.
            between = "\n\n" if self.blank else "\n" if _LISTED.match(text) else " "
            joined = f"{before.value}{between}{text}".strip()
            self.found.heads[self.head_above] = Attribute(joined, before.line, before.column)
            if self.head_above == "sizes":
                self.sizes(text, number, column)
            return
        key, colon, rest = text.partition(":")
        words = key.split()
        if not isinstance(self.above, Entry):
            raise FormulaError("An indented line must follow a given or a step.", number, column)
        if not colon or not words or words[0] not in self.kind:
            if colon and words and words[0] in _HEADS:
                raise FormulaError("Begin this line without spaces.", number, column)
            near = nearest(words[0], self.kind) if words else ""
            known = near.replace("? ", ":?") or (
                f"Here an indented line can begin with: {', '.join(self.kind)}."
            )
            raise FormulaError(known, number, column)
        found = Attribute(rest.strip(), number, min(column + len(key) + 2, len(line) + 1))
        if words[0] == "label" and words[1:] and words[1] in self.above.names:
            self.above.attributes[f"label {words[1]}"] = found
        elif words[0] == "reword":
            if len(words) != 2:
                raise FormulaError("Write “reword mistake: new feedback”.", number, column)
            if not found.value:
                raise found.fault("Write the feedback after the colon.")
            self.above.rewordings[words[1]] = found
        elif len(words) > 1 or words[0] in self.above.attributes:
            raise FormulaError(
                f"Write {words[0]} only once, with a colon right after it.", number, column
            )
        else:
            self.above.attributes[words[0]] = found

    def sizes(self, text: str, number: int, column: int) -> None:
        for part in text.split(";"):
            if part.strip():
                match = _SIZE.fullmatch(part)
                if not match:
                    raise FormulaError("Write sizes as “T = 3, 2; d_k = 2, 4”.", number, column)
                name, option = match[1], match[2] or match[1]
                offered = tuple(int(each) for each in re.findall("[0-9]+", match[3]))
                if name in self.found.sizes or option in self.found.options.values():
                    raise FormulaError(
                        f"There are two sizes called {name}: rename one.", number, column
                    )
                if len(set(offered)) < len(offered) or not all(1 <= n <= 64 for n in offered):
                    raise FormulaError(
                        "Sizes must be from 1 to 64, and each can appear only once.", number, column
                    )
                self.name(name, number)
                self.found.sizes[name] = offered
                self.found.options[name] = option
            column += len(part) + 1

    def name(self, name: str, number: int) -> None:
        taken = {*self.found.sizes, *_all_names(self.found)}
        if name in taken:
            raise FormulaError(
                f"{name} is already the name of something else: choose another.", number, 1
            )
        if name in FUNCTIONS:
            raise FormulaError(f"{name} is the name of a function: choose another.", number, 1)
        if name in _TAKEN or iskeyword(name) or name_fault(name):
            raise FormulaError(f"{name} can’t be used as a name: choose another.", number, 1)

    def check_counts(self) -> None:
        combinations = 1
        for offered in self.found.sizes.values():
            combinations *= len(offered)
        for count, most, what in (
            (combinations, MAX_COMBINATIONS, "combinations of sizes"),
            (len(self.found.givens), MAX_GIVENS, "lines of givens"),
            (sum(len(each.names) for each in self.found.givens), MAX_NAMES, "names of givens"),
            (len(self.found.steps), MAX_STEPS, "steps"),
            (len(self.found.mistakes), MAX_MISTAKES, "mistakes of your own"),
        ):
            if count > most:
                raise FormulaError(
                    f"There are {count} {what}, but at most {most} are allowed.", 1, 1
                )
        if not self.found.steps:
            raise FormulaError("There’s no step: write “name = formula”.", 1, 1)
        part = self.found.heads.get("part")
        if part and part.value not in PARTS:
            raise part.fault(f"The part must be one of: {', '.join(PARTS)}.")


def _all_names(text: Text) -> Iterator[str]:
    for entry in (*text.givens, *text.steps):
        yield from entry.names
