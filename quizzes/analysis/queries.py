"""The answers at a sitting by question: the data of its figures."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Case, QuerySet, When

from quizzes.analysis.statistics import MIN_GROUP, Answered, StepOutcome
from quizzes.delivery.queries.counting import counting_attempt
from quizzes.models import Attempt, Grade, Sitting
from quizzes.models.plain_json import cast_to_text
from quizzes.models.steps import parse_outlines
from quizzes.passing import earned_share
from quizzes.problems.answers import CHOICE_STEP


@dataclass(frozen=True)
class MarkedAttempt:
    """A submitted and marked attempt. `minutes` is None if it was reopened."""

    pk: int
    score: float
    out_of: float
    minutes: float | None

    @property
    def percent(self) -> float:
        return 100 * earned_share(self.score, self.out_of)


class Question(NamedTuple):
    """A concept question, or a kind of problem.

    Not a slot of a quiz, which may later ask something else. `time` numbers the places of one
    attempt that ask the same, from 1.
    """

    question: int | None
    kind: str
    time: int

    @property
    def key(self) -> str:
        """The key in addresses."""
        what = f"q{self.question}" if self.question else f"k{_hash(self.kind)}"
        return what if self.time == 1 else f"{what}-{self.time}"


def _hash(kind: str) -> str:
    return hashlib.sha256(kind.encode()).hexdigest()[:12]


class Others(NamedTuple):
    """The mean share of a question's points that `count` other people earned."""

    facility: float
    count: int


@dataclass(frozen=True)
class SittingAnswers:
    """The marked attempts at a sitting, the answers of each, and the positions of each question.

    `first` is whether they are first attempts, rather than those that count.
    """

    first: bool
    attempts: Sequence[MarkedAttempt]
    answers: Sequence[Mapping[Question, Answered]]
    positions: Mapping[Question, Sequence[int]]
    wordings: Mapping[Question, UUID]


def sitting_answers(sitting: Sitting, students: QuerySet, *, first: bool) -> SittingAnswers:
    """Return each student's first attempt, or the one that counts, if it is marked."""
    done = _attempts_done(sitting, students, first=first)
    answers: dict[int, dict[Question, Answered]] = {each.pk: {} for each in done}
    positions: dict[Question, set[int]] = defaultdict(set)
    wordings: dict[Question, str] = {}
    # Many answers share their texts.
    outcomes, choice = cache(_parse_outcomes), cache(_parse_choice)
    for attempt, position, question, kind, wording, *mark, steps, raw in _answers_in(list(answers)):
        own = answers[attempt]
        time = 1
        while (asked := Question(question, kind or "", time)) in own:
            time += 1
        own[asked] = Answered(*mark, outcomes(steps), position, choice(raw))
        positions[asked].add(position)
        wordings[asked] = wording
    places = {asked: sorted(found) for asked, found in positions.items()}
    order = dict(sorted(places.items(), key=lambda pair: (pair[1], pair[0].key)))
    keys = {asked: UUID(text) for asked, text in wordings.items()}
    return SittingAnswers(first, done, list(answers.values()), order, keys)


def marked_attempts(sitting: Sitting, students: QuerySet) -> SittingAnswers:
    """Return each student's attempt that counts, without its answers."""
    done = _attempts_done(sitting, students, first=False)
    return SittingAnswers(first=False, attempts=done, answers=(), positions={}, wordings={})


def facility_of_others(asked: Question, sitting: Sitting, students: QuerySet) -> Others | None:
    """Return how others did at a question, at any sitting of its quiz; None for fewer than five.

    Each person's first attempt counts. The figure changes only with every fifth of them, so that
    comparing two readings never reveals what one of them did.
    """
    if asked.time > 1:
        return None
    what = {"answer__item__question": asked.question} if asked.question else {}
    if not what:
        what = {"answer__item__variant__kind": asked.kind}
    first = Grade.objects.graded().filter(answer__submission__attempt__number=1)
    rows = (
        first.counting()
        .latest()
        .filter(answer__submission__attempt__quiz=sitting.quiz_id, out_of__gt=0, **what)
        .exclude(answer__submission__attempt__student__in=students)
        .order_by("answer__submission__attempt", "answer__item__position")
    )
    by_attempt: dict[int, float] = {}
    for attempt, points, out_of in rows.values_list(
        "answer__submission__attempt", "points", "out_of"
    ):
        by_attempt.setdefault(attempt, points / out_of)
    count = len(by_attempt) - len(by_attempt) % MIN_GROUP
    shares = list(by_attempt.values())[:count]
    return Others(fmean(shares), count) if shares else None


def _attempts_done(sitting: Sitting, students: QuerySet, *, first: bool) -> list[MarkedAttempt]:
    made = Attempt.objects.graded().filter(sitting=sitting, student__in=students)
    by_student: dict[int, list[Any]] = defaultdict(list)
    columns = ("pk", "number", "score", "out_of", "started_at", "submitted_at", "reopened")
    for attempt in made.order_by("number").values_list("student", *columns, named=True):
        by_student[attempt.student].append(attempt)
    found = []
    for attempts in by_student.values():
        chosen = attempts[0] if first else counting_attempt(sitting, attempts)
        if chosen and chosen.score is not None:
            took = chosen.submitted_at - chosen.started_at
            minutes = None if chosen.reopened else took.total_seconds() / 60
            found.append(MarkedAttempt(chosen.pk, chosen.score, chosen.out_of, minutes))
    return found


def _answers_in(attempts: list[int]) -> QuerySet:
    """Return the answers that count, with their latest grades, by position."""
    grades = Grade.objects.counting().latest().filter(answer__submission__attempt__in=attempts)
    return grades.order_by("answer__item__position").values_list(
        "answer__submission__attempt",
        "answer__item__position",
        "answer__item__question",
        "answer__item__variant__kind",
        cast_to_text("answer__item__wording"),
        "points",
        "out_of",
        "verdict",
        cast_to_text("steps"),
        Case(When(answer__item__question=None, then=None), default=cast_to_text("answer__raw")),
    )


def _parse_outcomes(steps: str) -> tuple[StepOutcome, ...]:
    return tuple(StepOutcome(*each) for each in parse_outlines(steps))


def _parse_choice(raw: str | None) -> str:
    """Return the key of the choice in an answer's JSON text; "" for none."""
    return str(json.loads(raw).get(CHOICE_STEP) or "") if raw else ""
