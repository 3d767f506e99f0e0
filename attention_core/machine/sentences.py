"""Sentences, their blanks, and the pen that writes them."""

from dataclasses import dataclass, replace
from random import Random

from attention_core.machine.words import START, STOP, Verb


@dataclass(frozen=True)
class Blank:
    """A word that follows from the words before it.

    Attributes:
        kind: the kind of knowledge that it takes.
        place: the word's position; the token before it has to predict it.
        wrong: the other candidates; guessing is right once in 1 + len(wrong).
        because: the position of the word from which it follows.
    """

    kind: str
    place: int
    wrong: tuple[str, ...]
    because: int


@dataclass(frozen=True)
class Sentence:
    """A sentence: its words from <start> to the full stop, and its blanks."""

    words: tuple[str, ...]
    blanks: tuple[Blank, ...]

    def __str__(self) -> str:
        return " ".join(self.words[1:])

    def followed_by(self, more: "Sentence") -> "Sentence":
        """Return this sentence and another, one after the other, as one text."""
        moved = len(self.words) - 1
        blanks = (
            replace(blank, place=blank.place + moved, because=blank.because + moved)
            for blank in more.blanks
        )
        return Sentence((*self.words, *more.words[1:]), (*self.blanks, *blanks))


class Pen:
    """The writer of one sentence, which records its blanks."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self._words = [START]
        self._blanks: list[Blank] = []

    def write(self, text: str) -> int:
        """Append these words. Return the place of the last one."""
        self._words += text.split()
        return len(self._words) - 1

    def infer(self, kind: str, right: str, *candidates: str, because: int) -> int:
        """Append a word as a blank, the right one of these candidates. Return its place."""
        wrong = tuple(word for word in dict.fromkeys(candidates) if word != right)
        self._blanks.append(Blank(kind, len(self._words), wrong, because))
        return self.write(right)

    def coin(self) -> bool:
        """Return True or False, each half the time."""
        return self.random.random() < 0.5

    def two[T](self, of: tuple[T, ...]) -> tuple[T, T]:
        """Return two different items."""
        first, second = self.random.sample(of, 2)
        return first, second

    def finished(self) -> Sentence:
        """Return the sentence, with its full stop."""
        return Sentence((*self._words, STOP), tuple(self._blanks))


@dataclass(frozen=True)
class Subject:
    """The subject of a sentence: its number, its pronoun and its place."""

    one: bool
    pronoun: str
    place: int

    def form(self, verb: Verb) -> str:
        """Return the form of the verb that agrees with this subject."""
        return verb.one if self.one else verb.many
