"""Typed text to tokens, or a sentence that says what to do about it."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from attention_core.errors import NothingToRead, TooManyWords, UnknownWord
from attention_core.machine.grammar import LONGEST
from attention_core.machine.words import START, VOCABULARY

NUMBER_OF = {word: number for number, word in enumerate(VOCABULARY)}
# One token is <start>.
MOST_WORDS = LONGEST - 1

_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|\S")
_NEAREST = 3
# No word of ours is half as long; comparing takes time that grows with the length.
_COMPARED = 20


def tokens_of(text: str) -> tuple[str, ...]:
    """The tokens of a text, <start> first.

    Args:
        text: words in any case, with spaces between them; a full stop is a word of its own.

    Raises:
        NothingToRead, TooManyWords, UnknownWord: each with the sentence that the learner reads.

    >>> tokens_of("The king sleeps.")
    ('<start>', 'the', 'king', 'sleeps', '.')
    >>> tokens_of("an ant")
    Traceback (most recent call last):
    attention_core.errors.UnknownWord: The machine does not know “an”. Try “and”, “man” or “a”.
    """
    # <start> may be typed, too: it is shown everywhere.
    words = _TOKEN.findall(text.lower().strip().removeprefix(START))
    if not words:
        raise NothingToRead("There is no word to read. Type one, such as “the”.")
    if len(words) > MOST_WORDS:
        raise TooManyWords(
            f"The machine reads up to {MOST_WORDS} words; these are {len(words)}. "
            "Leave some out at the end.",
            len(words),
            MOST_WORDS,
        )
    check_known(words)
    return (START, *words)


def check_known(words: Sequence[str]) -> None:
    """Raise where the machine does not know one of the words.

    Raises:
        UnknownWord: with the known words that look most like it.

    >>> check_known(["king", "."])
    """
    for word in words:
        if word not in NUMBER_OF:
            nearest = nearest_words(word)
            told = f"“{', “'.join(f'{near}”' for near in nearest[:-1])} or “{nearest[-1]}”"
            raise UnknownWord(
                f"The machine does not know “{word[:_COMPARED]}”. Try {told}.", word, nearest
            )


def nearest_words(word: str) -> tuple[str, ...]:
    """The known words that look most like this one.

    >>> nearest_words("quen")
    ('queen', 'queens', 'men')
    """
    # What is compared with many is the second sequence: what was found of it is kept.
    matcher = SequenceMatcher(b=word[:_COMPARED].lower(), autojunk=False)

    def likeness(known: str) -> float:
        matcher.set_seq1(known)
        return -matcher.ratio()

    return tuple(sorted(VOCABULARY[1:], key=likeness)[:_NEAREST])
