"""Exceptions of the core: errors of authors, and errors of learners.

An author's mistake (a wrong shape, an unknown option) is a bug to fix; a learner's is explained to
them, and the quiz goes on. No exception is of both types.
"""

from collections.abc import Mapping


class AuthorError(ValueError):
    """An error in a call, a family or a quiz, which its author has to fix."""


class ShapeError(AuthorError):
    """Arrays that cannot be combined; the message names each argument and the shape it had."""


class UnknownFamily(AuthorError):
    """A key that no problem family has."""


class BadOptions(AuthorError):
    """An option that a family does not have, or a size that it does not offer."""


class FormulaError(AuthorError):
    """A fault in a problem written as formulas, at a line and a column counted from 1."""

    def __init__(self, message: str, line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.line, self.column = line, column


class NoFitVariant(AuthorError):
    """A family without a fit variant within the draws allowed: `rejects` counts them by cause."""

    def __init__(self, message: str, rejects: Mapping[str, int] | None = None) -> None:
        super().__init__(message)
        self.rejects = dict(rejects or {})


class LearnerError(ValueError):
    """Typed text that cannot be used; the message is the sentence that the learner reads."""


class UnreadableNumber(LearnerError):
    """Typed text that does not read as a number."""


class UnreadableText(LearnerError):
    """Typed text that the machine cannot read."""


class NothingToRead(UnreadableText):
    """A text without words."""


class TooManyWords(UnreadableText):
    """A text of more words than the machine reads: `words` of them, of which it reads `most`."""

    def __init__(self, message: str, words: int, most: int) -> None:
        super().__init__(message)
        self.words, self.most = words, most


class UnknownWord(UnreadableText):
    """Words that the machine has never seen, each with those it knows that look like it."""

    def __init__(self, message: str, unknown: Mapping[str, tuple[str, ...]]) -> None:
        super().__init__(message)
        self.unknown = unknown
