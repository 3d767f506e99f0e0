"""Whole pages in figures and words: a quiz before its start, an attempt, a line of a list."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils.safestring import SafeString

from quizzes.models import Attempt, Item, Quiz, Submission
from quizzes.presenters import texts
from quizzes.presenters.asked import ANSWERED, STATE_WORDS, UNREADABLE, state_of
from quizzes.presenters.receipts import seconds_left
from quizzes.presenters.reviewed import Score, score_of


@dataclass(frozen=True)
class QuizPage:
    """A quiz before its start."""

    introduction: SafeString
    release: str


def quiz_page(quiz: Quiz) -> QuizPage:
    """The introduction rendered, and when results are shown."""
    return QuizPage(introduction=texts.block(quiz.introduction), release=quiz.get_release_display())


@dataclass(frozen=True)
class PaletteItem:
    """One question's square in the palette, and its line in the summary."""

    position: int
    state: str
    words: str


@dataclass(frozen=True)
class AttemptPage:
    """How far an attempt is."""

    palette: tuple[PaletteItem, ...]
    answered: int
    saved_at: datetime | None
    seconds_left: float | None

    @property
    def minutes_left(self) -> int | None:
        return None if self.seconds_left is None else math.ceil(self.seconds_left / 60)

    @property
    def open_questions(self) -> list[PaletteItem]:
        """What is not, or not wholly, answered."""
        return [each for each in self.palette if each.state not in (ANSWERED, UNREADABLE)]

    @property
    def unreadable(self) -> list[PaletteItem]:
        return [each for each in self.palette if each.state == UNREADABLE]


def attempt_page(attempt: Attempt, items: Sequence[Item], now: datetime) -> AttemptPage:
    """The state of every question, of saving and of the clock."""
    states = [(item.position, state_of(item.shown, item.draft)) for item in items]
    return AttemptPage(
        palette=tuple(
            PaletteItem(position, state, STATE_WORDS[state]) for position, state in states
        ),
        answered=sum(state == ANSWERED for _, state in states),
        saved_at=max((item.saved_at for item in items if item.saved_at), default=None),
        seconds_left=seconds_left(attempt.deadline, now),
    )


@dataclass(frozen=True)
class AttemptLine:
    """An attempt in a list."""

    title: str
    number: int
    started_at: datetime
    state: str
    url: str
    score: Score | None


STATES = {
    "open": "open",
    Submission.State.WAITING: "waiting to be marked",
    Submission.State.ATTENTION: "being looked into",
    Submission.State.GRADED: "marked",
    "received": "received",
}


def attempt_line(attempt: Attempt, now: datetime) -> AttemptLine:
    """The line of an attempt from `queries.attempts_of`; no score before it is released."""
    page, state = "results", "open"
    out = attempt.shows_results(now)
    if attempt.handed_in:
        state = attempt.handed_in[0].state if out else "received"
    elif attempt.takes_answers(now):
        page = "attempt"
    else:
        state = Submission.State.WAITING
    # A worker may have written the score after this attempt was read.
    scored = state == Submission.State.GRADED and attempt.score is not None
    return AttemptLine(
        title=attempt.quiz.title if attempt.quiz else "Practice",
        number=attempt.number,
        started_at=attempt.started_at,
        state=STATES[state],
        url=reverse(f"quizzes:{page}", args=[attempt.pk]),
        score=score_of(attempt) if scored else None,
    )


def time_taken(attempt: Attempt) -> str:
    """How long the attempt took, in minutes."""
    seconds = (attempt.submitted_at - attempt.started_at).total_seconds()
    return texts.counted(max(1, round(seconds / 60)), "minute")
