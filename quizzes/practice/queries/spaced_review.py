"""Spaced review: a missed skill comes back after 1, 7 and 30 days.

The rule, which pages state as well: a missed skill comes back a day later. Once it is answered
rightly when it is due, or later, it comes back after 7 days, then after 30, and then it rests. A
miss begins again at 1 day; a right answer before it is due changes nothing, because it says little
about what will be remembered. A day is a calendar day where the reader is.

Why no scheduler like FSRS: that fits a forgetting curve to hundreds of reviews of the same card,
graded by the learner. Here each review has other numbers, a course has some dozens of skills, each
met a few times, and marking grades. Fixed expanding intervals can be explained in a sentence, and
computed from the existing grades: no row is stored for them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.utils import timezone

from quizzes import problems
from quizzes.items.skills import Skill
from quizzes.practice.queries.access import skills_for
from quizzes.practice.queries.skill_records import SkillRecord, skill_records

INTERVALS = (1, 7, 30)
MINUTES_A_DAY = 5


@dataclass(frozen=True)
class Review:
    """A skill that comes back: its day, and the interval in days."""

    skill: Skill
    on: date
    after: int


def next_review(record: SkillRecord) -> Review | None:
    """Return a skill's next review; None where it was never missed, or rests."""
    stage, on = 0, None
    for outcome in record.outcomes:
        day = timezone.localdate(outcome.at)
        if outcome.missed:
            stage = 0
        elif on is None or day < on:
            continue
        else:
            stage += 1
        on = day + timedelta(INTERVALS[stage]) if stage < len(INTERVALS) else None
    return Review(record.skill, on, INTERVALS[stage]) if on else None


def next_reviews(records: Iterable[SkillRecord]) -> list[Review]:
    """Return the next reviews of these skills, the newest first."""
    found = filter(None, map(next_review, records))
    return sorted(found, key=lambda review: (-review.on.toordinal(), str(review.skill)))


@dataclass(frozen=True)
class Today:
    """The reviews that are due on a day.

    Attributes:
        reviews: those that fit into `MINUTES_A_DAY`, at least one if any is due.
        minutes: what these take.
        waiting: how many more are due.
        coming: the reviews on later days, the soonest first.
    """

    reviews: tuple[Review, ...]
    minutes: float
    waiting: int
    coming: tuple[Review, ...]

    @property
    def next_on(self) -> date | None:
        """The day of the next review, when nothing is due."""
        return self.coming[0].on if self.coming and not self.reviews else None


def select_due(today: date, reviews: Iterable[Review]) -> Today:
    """Return the reviews due today, the first of them as far as they fit into `MINUTES_A_DAY`."""
    listed = list(reviews)
    due = [review for review in listed if review.on <= today]
    chosen: list[Review] = []
    minutes = 0.0
    for review in due:
        cost = minutes_for(review.skill, smallest=True)
        if not chosen or minutes + cost <= MINUTES_A_DAY:
            chosen.append(review)
            minutes += cost
    return Today(
        reviews=tuple(chosen),
        minutes=minutes,
        waiting=len(due) - len(chosen),
        coming=tuple(sorted((r for r in listed if r.on > today), key=lambda review: review.on)),
    )


def due_reviews(student, now: datetime) -> Today:
    """Return this student's due reviews that can be practised."""
    return due_reviews_of(student, skill_records(student, now), now)


def due_reviews_of(student, records: Iterable[SkillRecord], now: datetime) -> Today:
    """Return the due reviews of a student's records that they can practise."""
    reviews = {review.skill: review for review in next_reviews(records)}
    return select_due(
        timezone.localdate(now), [reviews[skill] for skill in skills_for(student, reviews)]
    )


def minutes_for(skill: Skill, *, smallest: bool = False) -> float:
    """Return the minutes that one question on a skill takes a prepared student."""
    if skill.is_numeric and problems.is_family(skill.key):
        sizes = problems.smallest_sizes(skill.key) if smallest else {}
        return problems.variant_cost(skill.key, sizes).typical_minutes
    return problems.QUESTION_COST.typical_minutes
