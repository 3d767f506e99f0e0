"""A text as its author sees it while writing: its fault, one variant, and its mistakes."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from django.template.loader import render_to_string
from django.utils.functional import cached_property
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from design.fragments import render_fragment
from design.matrix import MINUS, decimal_sign
from lessons.errors import ContentError
from quizzes import problems
from quizzes.authoring.presenters.slots import format_cost
from quizzes.authoring.services import publishing
from quizzes.items.presenters import texts
from quizzes.items.presenters.asked_item import render_preview, step_of
from quizzes.items.presenters.worked_solution import solved_steps
from quizzes.problems.answers import nest_as_grid
from quizzes.written.services.writing import VARIANTS_ON_PUBLISHING

# A mistake's numbers beyond these rows and columns are left out: a few tell which it is.
MAX_ROWS, MAX_COLUMNS = 6, 6


@dataclass(frozen=True)
class Fault:
    """A fault of a text: what it is, and where; `source` is that line."""

    line: int
    column: int
    message: str
    source: str

    @property
    def before(self) -> str:
        """The part of the line before the fault."""
        return self.source[: self.column - 1]

    @property
    def at(self) -> str:
        """The part of the line that begins with the fault."""
        return self.source[self.column - 1 :]


@dataclass(frozen=True)
class ShownMistake:
    """A mistake that can be ticked and reworded; without numbers if the text leaves it out."""

    step: str
    key: str
    is_on: bool
    feedback: str = ""
    html: SafeString | str = ""
    numbers: str = ""
    is_right: bool = False
    stays: bool = False

    @property
    def field(self) -> str:
        """The end of its fields’ names."""
        return f"{self.step}.{self.key}"


@dataclass(frozen=True)
class Builder:
    """All that the page shows of a text.

    Attributes:
        seed: the number of the variant.
        sizes: chosen for the variant.
        trials: which mistakes a proof of this text has switched off.
    """

    text: str
    seed: int
    sizes: Mapping[str, int]
    trials: Mapping[str, Any] | None = None

    @cached_property
    def lines(self) -> range:
        """The numbers of the text’s lines."""
        return range(1, self.text.count("\n") + 2)

    @cached_property
    def _found(self) -> problems.Sketch | Fault | None:
        if not self.text.strip():
            return None
        try:
            sketch = problems.sketch_variant(self.text, str(self.seed), self.sizes, self.trials)
        except problems.FormulaError as error:
            return _fault(self.text, error.line, error.column, str(error))
        for line, words in sketch.prose:
            try:
                texts.check_line(words)
            except ContentError as error:
                return _fault(self.text, line, 1, _sentence(error.message))
        return sketch

    @property
    def sketch(self) -> problems.Sketch | None:
        """The variant; None if the text has a fault."""
        return self._found if isinstance(self._found, problems.Sketch) else None

    @property
    def fault(self) -> Fault | None:
        """The fault of the text, if it has one."""
        return self._found if isinstance(self._found, Fault) else None

    @cached_property
    def frame(self) -> SafeString:
        """The page with the variant as a student sees it, and its solution below."""
        sketch = self.sketch
        steps = solved_steps(sketch.shown, sketch.solution.steps, has_tolerance=False)
        context = {
            "asked": render_preview(sketch.shown),
            "title": sketch.title,
            "steps": tuple(steps.values()),
            "program": sketch.solution.program,
        }
        return render_to_string("quizzes/admin/written/_frame.html", context)

    @property
    def facts(self) -> list[str]:
        """Lines on what the variant takes a student, and the shapes of all arrays."""
        cost = format_cost(problems.Cost(self.sketch.cells, self.sketch.minutes))
        shapes = "; ".join(_shape(each) for each in self.sketch.shapes)
        return [cost, _("Shapes: %(shapes)s") % {"shapes": shapes}]

    @property
    def variants_on_publishing(self) -> int:
        """The number of variants that are proven before a version is published."""
        return VARIANTS_ON_PUBLISHING

    @property
    def offered(self) -> list[tuple[str, Sequence[int], int]]:
        """Name, offered sizes and shown size of each size that can be chosen."""
        chosen = self.sketch.options
        found = self.sketch.offered.items()
        return [(name, sizes, chosen[name]) for name, sizes in found if len(sizes) > 1]

    @property
    def mistakes_to_tick(self) -> SafeString:
        """The mistakes of each step, each with a tick and a field for other words."""
        return self._render_mistakes(read_only=False)

    @property
    def mistakes_to_read(self) -> SafeString:
        """The mistakes of each step."""
        return self._render_mistakes(read_only=True)

    def _render_mistakes(self, *, read_only: bool) -> SafeString:
        template = "quizzes/admin/written/_mistakes.html"
        return render_fragment(template, steps=self._mistakes(), read_only=read_only)

    @property
    def too_large(self) -> int:
        """The most cells that a quiz has room for, if the variant has more; else 0."""
        return publishing.MAX_CELLS if self.sketch.cells > publishing.MAX_CELLS else 0

    def _mistakes(self) -> list[tuple[SafeString | str, list[ShownMistake]]]:
        """Return the mistakes of each step, below its label."""
        sketch, by_step, sign = self.sketch, defaultdict(list), decimal_sign()
        for known in sketch.mistakes:
            by_step[known.step].append(_mistake(sketch, known, sign))
        for step, keys in sketch.left_out.items():
            by_step[step] += [ShownMistake(step, key, False) for key in keys]
        return [
            (texts.render_line(step_of(sketch.shown, step)["label"]), found)
            for step, found in by_step.items()
        ]


def _mistake(sketch: problems.Sketch, known: problems.KnownMistake, sign: str) -> ShownMistake:
    decimals = step_of(sketch.shown, known.step)["decimals"]
    return ShownMistake(
        known.step,
        known.key,
        True,
        known.feedback,
        texts.render_line(known.feedback),
        _numbers(known.values, decimals, sign),
        (known.step, known.key) in sketch.right,
        problems.is_relied_on(known.key),
    )


def _numbers(values: Any, decimals: int, sign: str) -> str:
    """Return the first rows and columns of an array as lines, their numbers one below the other."""
    rows = nest_as_grid(values)
    texts_of = [
        [_number(value, decimals, sign) for value in row[:MAX_COLUMNS]] for row in rows[:MAX_ROWS]
    ]
    width = max((len(text) for row in texts_of for text in row), default=0)
    lines = ["  ".join(text.rjust(width) for text in row) for row in texts_of]
    if len(rows[0]) > MAX_COLUMNS:
        lines = [f"{line}  …" for line in lines]
    return "\n".join([*lines, *(["…"] if len(rows) > MAX_ROWS else [])])


def _number(value: float, decimals: int, sign: str) -> str:
    # Hundreds of them: `format_number` asks for the language's decimal sign each time.
    if not isfinite(value):
        return "–"
    text = f"{value:.{decimals}f}"
    if text.startswith("-"):
        text = (MINUS if text.strip("-0.") else "") + text[1:]
    return text.replace(".", sign)


def _shape(shape: problems.Shape) -> str:
    if not shape.sizes:
        return _("%(name)s: a number") % {"name": shape.name}
    sizes = " × ".join(map(str, shape.sizes))
    return _("%(name)s: %(sizes)s") % {"name": shape.name, "sizes": sizes}


def _fault(text: str, line: int, column: int, message: str) -> Fault:
    lines = text.split("\n")
    line = min(max(line, 1), len(lines))
    return Fault(line, max(column, 1), message, lines[line - 1].rstrip("\r"))


def _sentence(message: str) -> str:
    return f"{message[:1].upper()}{message[1:]}".removesuffix(".") + "."


def fault_of(text: str) -> Fault | None:
    """Return the fault of a text; None if it is sound."""
    return Builder(text, 1, {}).fault


def format_sizes(facts: Mapping[str, Any] | None) -> str:
    """Return a line on the combinations of sizes that a proof has found."""
    count = len(facts["sizes"]) if facts else 0
    words = ngettext("%(count)s combination", "%(count)s combinations", count)
    return words % {"count": count} if count else ""
