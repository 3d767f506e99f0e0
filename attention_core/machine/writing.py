"""Text generation: a word is drawn, appended, and read in its turn."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from attention_core.errors import AuthorError
from attention_core.machine.model import Machine
from attention_core.machine.words import STOP
from attention_core.maths.arrays import Array
from attention_core.maths.sampling import pick_token


@dataclass(frozen=True)
class Written:
    """One word that the machine wrote.

    Attributes:
        word: the word that was drawn.
        probabilities: (V,) the distribution it was drawn from.
        cached: how many tokens were in the cache then: all before this word.
        cache_bytes: the memory that their keys and values take.
    """

    word: str
    probabilities: Array
    cached: int
    cache_bytes: int


def write(
    machine: Machine,
    tokens: Sequence[str],
    *,
    most: int | None = None,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    seed: int = 0,
    caching: bool = True,
) -> list[Written]:
    """Continue these tokens to the next full stop, or while there is room.

    Args:
        machine, tokens: as for `Machine.read`.
        most: the number of words at most.
        temperature, top_k, top_p: as for `next_probabilities`; a top_k of 1 takes the likeliest.
        seed: the same one draws the same words, on every machine.
        caching: cache keys and values, so that each word costs one row; otherwise the whole text
            is read again for each word. The words are the same.

    Raises:
        As for `Machine.read` and `next_probabilities`.
        AuthorError: most is below 1.

    >>> from attention_core.machine.model import machine
    >>> start = ("<start>", "paris", "is", "the", "capital")
    >>> [written.word for written in write(machine(), start, top_k=1)]
    ['of', 'france', '.']
    """
    if most is not None and most < 1:
        raise AuthorError(f"there is at least one word to write; most was {most}")
    # The only method of Random that Python promises never to change.
    share = Random(seed).random
    room = machine.longest - len(tokens) + 1
    memory = machine.memory()
    read, unread = tuple(tokens), tuple(tokens)
    words: list[Written] = []
    for _ in range(room if most is None else min(most, room)):
        reading = machine.read(unread, memory=memory) if caching else machine.read(read)
        drawn_by = reading.probabilities(temperature=temperature, top_k=top_k, top_p=top_p)
        word = machine.vocabulary[pick_token(drawn_by, share())]
        words.append(Written(word, drawn_by, memory.tokens, memory.bytes))
        if word == STOP:
            break
        read, unread = (*read, word), (word,)
    return words
