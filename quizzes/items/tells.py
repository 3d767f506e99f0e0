"""Signs that give the right choice away to somebody who knows nothing about the subject.

Guessers choose the longest choice, or one that hedges, and never one that says "always".
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

HEDGES = frozenset(
    (
        *("usually", "often", "mostly", "typically", "generally", "roughly", "about", "may"),
        *("might", "can", "could", "tends", "tend", "sometimes", "partly", "largely", "perhaps"),
    )
)
ABSOLUTES = frozenset(("always", "never", "all", "every", "only", "none", "must", "cannot"))
# A choice this much longer than the longest of the others is noticed at a glance.
NOTICEABLY_LONGER = 1.15
_WORD = re.compile(r"[a-z]+")
_MARKUP = re.compile(r"[*_`$\\{}]")


@dataclass(frozen=True)
class Option:
    """A choice, with only what can be judged without knowing the subject."""

    text: str
    correct: bool

    @property
    def length(self) -> int:
        """The number of characters that are read, without markup."""
        return len(_MARKUP.sub("", self.text).strip())

    @property
    def words(self) -> set[str]:
        return set(_WORD.findall(self.text.lower()))


def is_longest(options: Sequence[Option]) -> bool:
    """Return whether the right choice is noticeably longer than every other.

    >>> is_longest([Option("short", False), Option("the longer one", True)])
    True
    >>> is_longest([Option("short", True), Option("the longer one", False)])
    False
    """
    right = max((each.length for each in options if each.correct), default=0)
    return right > NOTICEABLY_LONGER * max(
        (each.length for each in options if not each.correct), default=0
    )


def find_giveaways(options: Sequence[Option]) -> list[str]:
    """Return what gives the right choice away, a sentence each."""
    right = [each for each in options if each.correct and each.text.strip()]
    wrong = [each for each in options if not each.correct and each.text.strip()]
    if not right or not wrong:
        return []
    found = []
    if is_longest(options):
        found.append(_("The right choice is the longest, which gives it away."))
    if right[0].words & HEDGES and not any(each.words & HEDGES for each in wrong):
        found.append(_("Only the right choice hedges, with a word such as “usually”."))
    if not right[0].words & ABSOLUTES and all(each.words & ABSOLUTES for each in wrong):
        found.append(_("Every wrong choice has an absolute word, such as “always” or “only”."))
    return found
