"""Tokens of typed text, with error messages that a learner can act on."""

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher

from attention_core.errors import NothingToRead, TooManyWords, UnknownWord
from attention_core.machine.grammar import MAX_TOKENS
from attention_core.machine.words import START, VOCABULARY

NUMBER_OF = {word: number for number, word in enumerate(VOCABULARY)}
# One token is <start>.
MAX_WORDS = MAX_TOKENS - 1

_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|\S")
_NEAREST = 2
# From this ratio on, one may mean the other: “queen” and “quen”, not “man” and “my”.
_ALIKE = 0.7
# Known words are at most half as long; comparing takes time that grows with the length.
_COMPARED = 20


def tokens_of(text: str) -> tuple[str, ...]:
    """Return the tokens of a text, <start> first.

    Args:
        text: words in any case, with spaces between them; a full stop is a word of its own.

    Raises:
        NothingToRead, TooManyWords, UnknownWord: each with the sentence that the learner reads.

    >>> tokens_of("The king sleeps.")
    ('<start>', 'the', 'king', 'sleeps', '.')
    >>> tokens_of("my quen sleeps")
    Traceback (most recent call last):
    attention_core.errors.UnknownWord: The machine does not know “my”, “quen” (“queen”, “queens”?).
    """
    # <start> may be typed, too: it is shown everywhere.
    words = _TOKEN.findall(text.lower().strip().removeprefix(START))
    if not words:
        raise NothingToRead("There’s no word to read. Type one, such as “the”.")
    if len(words) > MAX_WORDS:
        raise TooManyWords(
            f"The machine reads up to {MAX_WORDS} words; these are {len(words)}. "
            "Leave some out at the end.",
            len(words),
            MAX_WORDS,
        )
    check_known(words)
    return (START, *words)


def check_known(words: Sequence[str]) -> None:
    """Check that the machine knows all the words.

    Raises:
        UnknownWord: with all unknown words, each with the known words that look like it.

    >>> check_known(["king", "."])
    """
    unknown = {word[:_COMPARED]: nearest_words(word) for word in words if word not in NUMBER_OF}
    if unknown:
        raise UnknownWord(f"The machine does not know {format_unknown(unknown)}.", unknown)


def format_unknown(unknown: Mapping[str, tuple[str, ...]]) -> str:
    """Format unknown words, each with the known words that look like it.

    >>> format_unknown({"my": (), "quen": ("queen",)})
    '“my”, “quen” (“queen”?)'
    """
    return ", ".join(
        f"“{word}” ({', '.join(f'“{near}”' for near in nearest)}?)" if nearest else f"“{word}”"
        for word, nearest in unknown.items()
    )


def nearest_words(word: str) -> tuple[str, ...]:
    """Return the known words, two at most, that look enough like this one to be meant.

    >>> nearest_words("quen"), nearest_words("my")
    (('queen', 'queens'), ())
    """
    # The word is compared with many, so it is the second sequence, whose analysis is cached.
    matcher = SequenceMatcher(b=word[:_COMPARED].lower(), autojunk=False)

    def likeness(known: str) -> float:
        matcher.set_seq1(known)
        return -matcher.ratio()

    alike = (known for known in VOCABULARY[1:] if -likeness(known) >= _ALIKE)
    return tuple(sorted(alike, key=likeness)[:_NEAREST])
