"""The exercise that ends a section: a small problem of the first family that the section teaches.

It is prepared, marked and shown as a guest's question is (guest.py). Help fades over three rungs:
first the problem comes after a worked example and asks for its last step alone, then it has that
hole without the example, then it is to be done alone. A page carries an exercise's rung and number,
signed for its section and kind of problem.
"""

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Self

from django.core import signing

from lessons.models import Rung, Section
from quizzes import problems
from quizzes.models import Item
from quizzes.practice import guest
from quizzes.practice.guest import InvalidSignature

# After these numbers comes the first again; the worked example has the one after them.
NUMBERS = guest.SEEDS
# A page may be left open for some days.
TIME_TO_ANSWER = timedelta(days=8)

_DAY = 24 * 60 * 60


class _DaySigner(signing.TimestampSigner):
    """A signer that knows only the day: a page must stay the same to the letter for visitors."""

    def timestamp(self) -> str:
        return signing.b62_encode(today() * _DAY)


def today() -> int:
    """Return the number of the day on which a text signed now is signed."""
    return int(time.time() // _DAY)


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
    def kind(self) -> str:
        return problems.kind_of(self.family, problems.smallest_sizes(self.family))

    @property
    def given_steps(self) -> Collection[str]:
        """The keys of the steps that are filled in on its rung."""
        return () if self.rung == Rung.ALONE else guest.given_steps(self.item().asked)

    @property
    def rungs(self) -> tuple[int, ...]:
        """The rungs of its kind: a problem of a single step has no hole."""
        has_hole = guest.given_steps(self.item().asked)
        return tuple(rung for rung in Rung.values if has_hole or rung != Rung.HOLE)

    @property
    def next_rung(self) -> int:
        """The rung after a right answer."""
        return next((rung for rung in self.rungs if rung > self.rung), Rung.ALONE)

    def on(self, rung: int) -> Self:
        """Return the same exercise on this rung, or on the next that its kind has."""
        return replace(self, rung=next(each for each in self.rungs if each >= rung))

    def with_other_numbers(self) -> Self:
        return replace(self, number=(self.number + 1) % NUMBERS)

    def item(self) -> Item:
        """Return it as an unsaved item with nothing typed."""
        return self._item(self.number, has_hole=self.rung != Rung.ALONE)

    def example(self) -> Item | None:
        """Return the worked example that its rung begins with, if any."""
        return self._item(NUMBERS) if self.rung == Rung.EXAMPLE else None

    def _item(self, number: int, *, has_hole: bool = False) -> Item:
        return guest.prepared_item(self.kind, number, position=self.pk, has_hole=has_hole)

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
        return _DaySigner(salt=f"quizzes.exercises {self.pk} {self.kind}")


def family_of_section(keys: Sequence[str]) -> str:
    """Return the family that a section's exercise asks: the first of these that exists, or ""."""
    return next(filter(problems.is_family, keys), "")


def exercise_of(section: Section, rung: int = Rung.EXAMPLE) -> Exercise | None:
    """Return the exercise of a section on this rung, or None if the section teaches no family."""
    family = family_of_section(section.family_keys)
    if not family:
        return None
    return Exercise(section.lesson.slug, section.slug, section.pk, family, rung)
