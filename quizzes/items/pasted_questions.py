r"""Concept questions in one Markdown text, as an author writes or pastes them.

    ## Why is the dot product divided by $\sqrt{d_k}$?

    - [ ] To make it a cosine.
      A cosine divides by both lengths.
    - [x] To keep its variance near one.
      A sum of $d_k$ products has a variance of $d_k$.

    > Large scores make softmax saturate.

A heading begins a question, which continues below it until the first choice. The indented text
under a choice is the feedback to those who choose it; a quotation is the explanation for everybody.

The Markdown parser decides what each line is, so code may contain any of these signs. A text is
kept as it was typed, except for the signs of headings, choices and quotations, the indentation of
feedback as deep as that of its first line, and blank lines around each text.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _
from markdown_it.token import Token

from lessons.errors import ContentError
from lessons.markdown.parsing import blocks_of
from lessons.rendering import check_markdown

MAX_QUESTIONS = 100
MAX_LENGTH = 200_000
_CHOICE = re.compile(
    r"(?P<marker> {0,3}[-*+][ \t]+)\[(?P<mark>[ xX])\](?:[ \t]+(?P<text>.*))?", re.DOTALL
)
_QUOTED = re.compile(r"(?P<marker> {0,3}>)(?P<text>.*)", re.DOTALL)
_TAB = 4


class Passage(list[str]):
    """The lines of one text, each with its line number in the whole."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers: list[int] = []

    def take(self, number: int, line: str) -> None:
        """Add a line, unless it is a blank one at the beginning."""
        if self or line.strip():
            self.append(line)
            self.numbers.append(number)


@dataclass
class PastedChoice:
    """A choice with its feedback."""

    line: int
    text: str
    correct: bool
    feedback: Passage = field(default_factory=Passage)


@dataclass
class PastedQuestion:
    """A question as it was written, with the line it begins in."""

    line: int
    prompt: Passage = field(default_factory=Passage)
    choices: list[PastedChoice] = field(default_factory=list)
    explanation: Passage = field(default_factory=Passage)


def parse_questions(text: str) -> list[PastedQuestion]:
    """Return the questions of a text.

    Raises:
        ContentError: something belongs to no question, or is not Markdown; it names the line.
    """
    found = list(_questions(text.replace("\r\n", "\n").replace("\r", "\n")))
    if not found:
        raise ContentError(
            _("Each question must start with a heading: ## followed by the question.")
        )
    if len(found) > MAX_QUESTIONS:
        words = _("You can add at most %(most)s questions at once. There are %(count)s here.")
        raise ContentError(words % {"most": MAX_QUESTIONS, "count": len(found)})
    for question in found:
        _check(question)
    return found


@dataclass
class _Block:
    """Lines that belong together, with their numbers, as the parser sees them."""

    kind: str
    lines: list[tuple[int, str]]
    heading: str = ""

    @property
    def number(self) -> int:
        return self.lines[0][0]

    @property
    def is_blank(self) -> bool:
        return not any(line.strip() for _number, line in self.lines)


def _questions(text: str) -> Iterator[PastedQuestion]:
    question: PastedQuestion | None = None
    for block in _blocks(text):
        if block.kind == "heading":
            if question:
                yield question
            question = PastedQuestion(block.number)
            question.prompt.take(block.number, block.heading)
        elif question is None and block.is_blank:
            continue
        elif question is None:
            words = _("this comes before the first question, which must start with ##")
            raise ContentError(words, line=block.number)
        else:
            _take(question, block)
    if question:
        yield question


def _blocks(text: str) -> Iterator[_Block]:
    """Yield the outermost blocks, each list item by itself, and each line outside of any block."""
    lines = list(enumerate(text.split("\n"), start=1))
    tokens = blocks_of(text)
    last = 0
    for place, token in enumerate(tokens):
        start, end = token.map or (0, 0)
        is_outermost = token.level == 0 and token.type != "bullet_list_open"
        is_item = token.level == 1 and token.type == "list_item_open"
        if end <= start or start < last or not (is_outermost or is_item):
            continue
        yield from _between(lines[last:start])
        kind = _kind_of(token, lines[start][1])
        heading = tokens[place + 1].content if kind == "heading" else ""
        yield _Block(kind, lines[start:end], heading)
        last = end
    yield from _between(lines[last:])


def _between(lines: Sequence[tuple[int, str]]) -> Iterator[_Block]:
    yield from (_Block("text", [line]) for line in lines)


def _kind_of(token: Token, line: str) -> str:
    if token.type == "heading_open" and token.markup.startswith("#"):
        return "heading"
    if token.type == "blockquote_open":
        return "quotation"
    choice = _CHOICE.fullmatch(line) if token.type == "list_item_open" else None
    # Text farther from its marker is code.
    return "choice" if choice and _gap(choice["marker"]) <= _TAB else "text"


def _take(question: PastedQuestion, block: _Block) -> None:
    """Add a block to the part of the question that it belongs to."""
    if block.kind == "choice":
        question.choices.append(_choice(block))
    elif block.kind == "quotation":
        question.explanation.take(block.number, "")
        for number, line in block.lines:
            question.explanation.take(number, _unquoted(line))
    elif not question.choices:
        for number, line in block.lines:
            question.prompt.take(number, line)
    else:
        _take_feedback(question.choices[-1], block.lines, _indent(block.lines[0][1]))


def _choice(block: _Block) -> PastedChoice:
    (number, line), *below = block.lines
    choice = _CHOICE.fullmatch(line)
    text = (choice["text"] or "").strip() if choice else ""
    if choice is None or not text:
        raise ContentError(_("a choice needs its text on the same line"), line=number)
    made = PastedChoice(number, text, choice["mark"] != " ")
    # Right below a choice any indentation continues it; later, deeper lines are code.
    first = below[0][1] if below else ""
    deep = _indent(first) if first.strip() else len(choice["marker"].expandtabs(_TAB))
    _take_feedback(made, below, deep)
    return made


def _take_feedback(choice: PastedChoice, lines: Sequence[tuple[int, str]], deep: int) -> None:
    for number, line in lines:
        if line.strip() and not line.startswith((" ", "\t")):
            words = _("feedback under a choice must be indented")
            raise ContentError(words, line=number)
        choice.feedback.take(number, _dedented(line, deep))


def _gap(marker: str) -> int:
    """Return the width of the space behind a list marker."""
    return len(marker.expandtabs(_TAB)) - len(marker.rstrip())


def _indent(line: str) -> int:
    return len(line[: len(line) - len(line.lstrip(" \t"))].expandtabs(_TAB))


def _dedented(line: str, deep: int) -> str:
    """Return the line with that much less indentation."""
    return " " * (_indent(line) - deep) + line.lstrip(" \t")


def _unquoted(line: str) -> str:
    """Return a line of a quotation without its sign; continuation lines have none."""
    quoted = _QUOTED.fullmatch(line)
    if quoted is None:
        return line
    text = quoted["text"]
    if not text.startswith("\t"):
        return text.removeprefix(" ")
    # A tab is as wide as the way to its stop, less the one space that belongs to the sign.
    after = len(quoted["marker"])
    return " " * (_TAB - after % _TAB - 1) + text[1:]


def _check(question: PastedQuestion) -> None:
    """Check the Markdown; an error names its line in the whole text."""
    texts = [(question.prompt, question.prompt.numbers)]
    texts += [(question.explanation, question.explanation.numbers)]
    for choice in question.choices:
        texts += [([choice.text], [choice.line]), (choice.feedback, choice.feedback.numbers)]
    for lines, numbers in texts:
        try:
            check_markdown(join_lines(lines))
        except ContentError as wrong:
            line = numbers[min(wrong.line or 1, len(numbers)) - 1] if numbers else question.line
            raise ContentError(wrong.message, line=line) from None


def join_lines(lines: Sequence[str]) -> str:
    """Join lines to a text without blank lines at its end."""
    return "\n".join(lines).rstrip()
