"""What can go wrong, told apart by who has to act on it.

An author's mistake (a wrong shape, an unknown option) is a bug to mend; a learner's is something
to explain while the quiz goes on. The two never share a type.
"""

from collections.abc import Mapping


class AuthorError(ValueError):
    """Whoever wrote the call, the family or the quiz has to mend something."""


class ShapeError(AuthorError):
    """Arrays that cannot be combined; the message names each argument and the shape it had."""


class UnknownFamily(AuthorError):
    """There is no problem family under this key."""


class BadOptions(AuthorError):
    """A family was asked for a size that it does not offer."""


class NoFitVariant(AuthorError):
    """A family did not pass its own proof within the draws allowed."""


class LearnerError(ValueError):
    """Something typed cannot be used; the message is the sentence that the learner reads."""


class UnreadableNumber(LearnerError):
    """The typed text is not a number that we read."""


class UnreadableText(LearnerError):
    """The typed text cannot be read by the machine."""


class NothingToRead(UnreadableText):
    """There is no word in it."""


class TooManyWords(UnreadableText):
    """It has more words than the machine reads: so many, and so many are read."""

    def __init__(self, message: str, words: int, most: int) -> None:
        super().__init__(message)
        self.words, self.most = words, most


class UnknownWord(UnreadableText):
    """Words that the machine has never seen, each with those it knows that look like it."""

    def __init__(self, message: str, unknown: Mapping[str, tuple[str, ...]]) -> None:
        super().__init__(message)
        self.unknown = unknown
