"""The exercise that ends a section: a small problem of the first family that the section teaches.

It is prepared, marked and shown as a guest's question is (guest.py). Help fades over three rungs:
first the problem comes after a worked example and asks for its last step alone, then it has that
hole without the example, then it is to be done alone. A page carries an exercise's rung and number,
signed for its section and kind of problem.
"""

import time
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import lru_cache
from typing import Self

from django.core import signing

from lessons.models import Rung
from quizzes import problems
from quizzes.models import Item
from quizzes.practice import guest
from quizzes.practice.guest import InvalidSignature

# After these numbers comes the first again; the worked example has the one after them.
NUMBERS = guest.SEEDS
# With more cells an example would be longer than its section.
MAX_EXAMPLE_CELLS = 16
SHORT_MINUTES = 2.5
# A page may be left open for some days.
TIME_TO_ANSWER = timedelta(days=8)

_DAY = 24 * 60 * 60


@dataclass(frozen=True)
class Exercise:
    """An exercise of a section, on one of its rungs, with one of its numbers.

    Attributes:
        pk: the section's primary key, which also tells the fields of a page's exercises apart.
    """

    lesson: str
    section: str
    pk: int
    family: str
    rung: int = Rung.EXAMPLE
    number: int = 0

    @property
    def rungs(self) -> tuple[int, ...]:
        """The rungs that its family has."""
        return _rungs_of(self.family, _version_of(self.family))

    @property
    def is_short(self) -> bool:
        """Whether it can be done on one's own before something else."""
        return _cost_of(self.family, _version_of(self.family)).typical_minutes <= SHORT_MINUTES

    @property
    def next_rung(self) -> int:
        """The rung after a right answer."""
        return next((rung for rung in self.rungs if rung > self.rung), Rung.ALONE)

    def on(self, rung: int) -> Self:
        """Return the same exercise on this rung, or on the next that its family has."""
        return replace(self, rung=next(each for each in self.rungs if each >= rung))

    def with_other_numbers(self) -> Self:
        return replace(self, number=(self.number + 1) % NUMBERS)

    def item(self) -> Item:
        """Return it as an unsaved item with nothing typed."""
        has_hole = self.rung != Rung.ALONE
        kind = _kind_of(self.family)
        return guest.prepared_item(kind, self.number, position=self.pk, has_hole=has_hole)

    def example(self) -> Item | None:
        """Return the problem that is worked out first on its rung, if any."""
        if self.rung != Rung.EXAMPLE:
            return None
        return guest.prepared_item(_kind_of(self.family), NUMBERS)

    @property
    def given_steps(self) -> Collection[str]:
        """The keys of the steps that are filled in on its rung."""
        return () if self.rung == Rung.ALONE else guest.given_steps(self.item().asked)

    @property
    def signature(self) -> str:
        """Its rung and number, signed, for a page to carry."""
        return self._signer.sign_object([int(self.rung), self.number])

    def signed(self, text: str) -> Self:
        """Return the exercise of this section whose signature this is.

        Raises:
            InvalidSignature: it was not signed for this section and kind, or too long ago.
        """
        try:
            rung, number = self._signer.unsign_object(text, max_age=TIME_TO_ANSWER)
        except signing.BadSignature:
            raise InvalidSignature(text[:20]) from None
        return replace(self, rung=rung, number=number)

    @property
    def _signer(self) -> signing.TimestampSigner:
        return _DaySigner(salt=f"quizzes.exercises {self.pk} {_kind_of(self.family)}")


def exercise_of(lesson: str, section: str, pk: int, families: str, rung: int) -> Exercise | None:
    """Return the exercise of a section on this rung, or on the next that its family has.

    The section is given by the slugs of its lesson and itself, its primary key, and the families
    that it teaches and that are open to all. None if it teaches none that exists.
    """
    family = next(filter(problems.is_family, families.split(", ")), None)
    return Exercise(lesson, section, pk, family).on(rung) if family else None


class _DaySigner(signing.TimestampSigner):
    """A signer that knows only the day: a page must stay the same to the letter for visitors."""

    def timestamp(self) -> str:
        return signing.b62_encode(today() * _DAY)


def today() -> int:
    """Return the number of the day on which a text signed now is signed."""
    return int(time.time() // _DAY)


def _version_of(family: str) -> int:
    """Return a family's newest version: costs and rungs may be others in the next."""
    found = problems.known_family(family)
    return found.version if found else 0


@lru_cache(maxsize=1000)
def _cost_of(family: str, _version: int) -> problems.Cost:
    return problems.variant_cost(family, problems.smallest_sizes(family))


def _kind_of(family: str) -> str:
    return problems.kind_of(family, problems.smallest_sizes(family))


@lru_cache(maxsize=1000)
def _rungs_of(family: str, version: int) -> tuple[int, ...]:
    """Return a family's rungs: a long problem has no example, one of a single step no hole."""
    rungs = {
        Rung.EXAMPLE: _cost_of(family, version).cells <= MAX_EXAMPLE_CELLS,
        Rung.HOLE: bool(guest.given_steps(guest.prepared_item(_kind_of(family), 0).asked)),
        Rung.ALONE: True,
    }
    return tuple(rung for rung, is_there in rungs.items() if is_there)
