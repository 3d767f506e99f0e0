"""Guesses by single words: naive Bayes over the choices of a bank of questions."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from math import log, sqrt

from quizzes.items.tells import Option

_WORD = re.compile(r"\w+")
Bank = Sequence[Sequence[Option]]


class Words:
    """The words of right and of wrong choices, and the log odds that follow from them."""

    def __init__(self, bank: Iterable[Iterable[Option]]) -> None:
        self.counts = {True: Counter[str](), False: Counter[str]()}
        for options in bank:
            for option in options:
                self.counts[option.correct].update(words_of(option))

    def __sub__(self, other: "Words") -> "Words":
        left = Words([])
        left.counts = {side: self.counts[side] - other.counts[side] for side in self.counts}
        return left

    def log_odds(self, words: Iterable[str]) -> float:
        """Return by how much these words speak for a right choice, with add-one smoothing."""
        vocabulary = len(self.counts[True] | self.counts[False])
        right, wrong = (self.counts[side].total() + vocabulary for side in (True, False))
        return sum(
            log((self.counts[True][word] + 1) / right) - log((self.counts[False][word] + 1) / wrong)
            for word in words
        )


def words_of(option: Option) -> list[str]:
    return _WORD.findall(option.text.lower())


def chance_by_words(bank: Bank) -> float:
    """Return the share of questions answered rightly by words that the other questions taught.

    The choice with the highest log odds is chosen; among equals, any. How often choices are right
    speaks for all alike, so it is left out.
    """
    everything, right = Words(bank), 0.0
    for options in bank:
        others = everything - Words([options])
        odds = [others.log_odds(words_of(option)) for option in options]
        best = [option for option, each in zip(options, odds, strict=True) if each == max(odds)]
        right += sum(option.correct for option in best) / len(best)
    return right / len(bank)


def telling_words(bank: Bank, most: int = 30) -> list[str]:
    """Return the words most out of proportion, with their uses in right and wrong choices."""
    counts = Words(bank).counts
    right, wrong = counts[True], counts[False]
    share = right.total() / (right.total() + wrong.total())

    def surprise(word: str) -> float:
        # In standard deviations, as if each occurrence were drawn.
        uses = right[word] + wrong[word]
        return abs(right[word] - share * uses) / sqrt(share * (1 - share) * uses)

    often = [word for word, uses in (right + wrong).items() if uses >= 5]
    found = sorted(often, key=surprise, reverse=True)[:most]
    return [f"{word} ({right[word]} right, {wrong[word]} wrong)" for word in found]
