"""Several concept questions in one Markdown text, as an author writes or pastes them.

    ## Why is the dot product divided by $\\sqrt{d_k}$?

    - [ ] To make it a cosine.
      A cosine divides by both lengths.
    - [x] To keep its variance near one.
      A sum of $d_k$ products has a variance of $d_k$.

    > Large scores make softmax saturate.

A heading begins a question, and goes on below it until the first choice. What stands under a
choice, indented, is said to those who choose it; what is quoted is said to everybody afterwards.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from lessons.errors import ContentError
from lessons.rendering import check_markdown

MOST_QUESTIONS = 100
LONGEST = 200_000
_HEADING = re.compile(r"#{1,6}[ \t]+(?P<text>.*)")
_CHOICE = re.compile(r"[-*+][ \t]+\[(?P<mark>[ xX])\][ \t]+(?P<text>.*)")


@dataclass
class PastedChoice:
    """A choice with what is said to those who choose it."""

    line: int
    text: str
    correct: bool
    feedback: list[str] = field(default_factory=list)


@dataclass
class PastedQuestion:
    """A question as it was written, with the line it begins in."""

    line: int
    prompt: list[str]
    choices: list[PastedChoice] = field(default_factory=list)
    explanation: list[str] = field(default_factory=list)


def read_questions(text: str) -> list[PastedQuestion]:
    """The questions of a text.

    Raises:
        ContentError: something belongs to none of them, or is no Markdown; it names the line.
    """
    found = list(_questions(text.replace("\r\n", "\n").replace("\r", "\n")))
    if not found:
        raise ContentError(
            _("Each question must start with a heading: ## followed by the question.")
        )
    if len(found) > MOST_QUESTIONS:
        words = _("You can add at most %(most)s questions at once. There are %(count)s here.")
        raise ContentError(words % {"most": MOST_QUESTIONS, "count": len(found)})
    for question in found:
        _check(question)
    return found


def _questions(text: str) -> Iterator[PastedQuestion]:
    question: PastedQuestion | None = None
    for number, line in enumerate(text.split("\n"), start=1):
        if heading := _HEADING.fullmatch(line):
            if question:
                yield question
            question = PastedQuestion(number, [heading["text"]])
        elif question is None:
            if line.strip():
                words = _("this comes before the first question, which must start with ##")
                raise ContentError(words, line=number)
        else:
            _take(question, number, line)
    if question:
        yield question


def _take(question: PastedQuestion, number: int, line: str) -> None:
    """Put one line of a question where it belongs."""
    if choice := _CHOICE.fullmatch(line):
        made = PastedChoice(number, choice["text"].strip(), choice["mark"] != " ")
        question.choices.append(made)
    elif line.startswith(">"):
        question.explanation.append(line[1:].removeprefix(" "))
    elif not question.choices:
        question.prompt.append(line)
    elif line.startswith((" ", "\t")):
        question.choices[-1].feedback.append(line.strip())
    elif line.strip():
        words = _("feedback under a choice must be indented")
        raise ContentError(words, line=number)


def _check(question: PastedQuestion) -> None:
    """Let wrong Markdown be told of with a line of the whole text."""
    texts = [
        (question.line, joined(question.prompt)),
        (question.line, joined(question.explanation)),
    ]
    for choice in question.choices:
        texts += [(choice.line, choice.text), (choice.line + 1, joined(choice.feedback))]
    for line, text in texts:
        try:
            check_markdown(text)
        except ContentError as wrong:
            raise ContentError(wrong.message, line=line + (wrong.line or 1) - 1) from None


def joined(lines: list[str]) -> str:
    """Lines as the text they are."""
    return "\n".join(lines).strip()
