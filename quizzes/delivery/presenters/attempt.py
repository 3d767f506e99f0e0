"""The progress of an attempt: its palette, its clock, its summary."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import ngettext

from quizzes.delivery.presenters.receipts import seconds_left
from quizzes.items.presenters.asked_item import ANSWERED, STATE_WORDS, UNREADABLE, answer_state
from quizzes.models import Attempt, Item


@dataclass(frozen=True)
class PaletteItem:
    """A question's square in the palette, and its line in the summary."""

    position: int
    state: str
    words: str
    flagged: bool


@dataclass(frozen=True)
class AttemptProgress:
    """The progress of an attempt."""

    palette: tuple[PaletteItem, ...]
    answered: int
    saved_at: datetime | None
    seconds_left: float | None

    @property
    def minutes_left(self) -> int | None:
        return None if self.seconds_left is None else math.ceil(self.seconds_left / 60)

    @property
    def start(self) -> int:
        """The position where work goes on: of the first question not answered, or the first."""
        positions = (each.position for each in self.palette if each.state != ANSWERED)
        return next(positions, self.palette[0].position)

    @property
    def warnings(self) -> list[tuple[str, list[int]]]:
        """Sentences before submitting about unreadable entries and blanks, with their positions."""
        unreadable = [each.position for each in self.palette if each.state == UNREADABLE]
        done = (ANSWERED, UNREADABLE)
        blank = [each.position for each in self.palette if each.state not in done]
        wrong = ngettext(
            "%(some)s question has an entry that can’t be read and would count as wrong",
            "%(some)s questions have entries that can’t be read and would count as wrong",
            len(unreadable),
        )
        without = ngettext(
            "%(some)s question has blanks, which get no points",
            "%(some)s questions have blanks, which get no points",
            len(blank),
        )
        found = ((wrong, unreadable), (without, blank))
        return [(words % {"some": len(places)}, places) for words, places in found if places]

    def at(self, position: str) -> PaletteItem | None:
        """Return the palette's item at this position, given as text from a URL."""
        return next((each for each in self.palette if str(each.position) == position), None)


def attempt_progress(
    attempt: Attempt, items: Sequence[Item], now: datetime, states: Sequence[str] | None = None
) -> AttemptProgress:
    """Return the progress of an attempt; `states` are those of its questions, if known already."""
    states = states or [answer_state(item.asked, item.draft) for item in items]
    return AttemptProgress(
        palette=tuple(
            PaletteItem(item.position, state, STATE_WORDS[state], item.flagged)
            for item, state in zip(items, states, strict=True)
        ),
        answered=states.count(ANSWERED),
        saved_at=max((item.saved_at for item in items if item.saved_at), default=None),
        seconds_left=seconds_left(attempt.deadline, now),
    )
