"""A student's record in each skill, from all grades they may see."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from foundation.prepared import prepared
from quizzes.authoring.queries import with_last_deadline
from quizzes.delivery.queries.practicable import closed_problems
from quizzes.delivery.queries.secrecy import Secrets, exclude_secret, find_secrets
from quizzes.items.queries import is_good
from quizzes.items.skills import FAMILY, TOPIC, Skill
from quizzes.models import Grade, Sitting
from quizzes.practice.queries.practice import WITHOUT_HINTS

# The weight of the latest outcome; the one before has as much of the rest, and so on.
LATEST_WEIGHT = 0.35

MASTERY_THRESHOLD = 0.8
# One or two answers say little about a student.
MIN_OUTCOMES = 3

# The standings, the weakest first.
SHAKY, NEW, SOLID = "shaky", "new", "solid"
_FROM_THE_WEAKEST = (SHAKY, NEW, SOLID)


@dataclass(frozen=True)
class ItemScore:
    """An answer's share of its points, from 0 to 1, its time, and whether it needs fixing."""

    at: datetime
    share: float
    missed: bool = False


@dataclass(frozen=True)
class SkillRecord:
    """A student's outcomes in one skill, oldest first."""

    skill: Skill
    outcomes: tuple[ItemScore, ...]

    @property
    def mastery(self) -> float:
        """A mean of the shares, from 0 to 1, in which the latest outcomes weigh most."""
        mastery = self.outcomes[0].share
        for outcome in self.outcomes[1:]:
            mastery += LATEST_WEIGHT * (outcome.share - mastery)
        return mastery

    @property
    def standing(self) -> str:
        """`NEW` up to a few outcomes, then `SOLID` or `SHAKY`."""
        if len(self.outcomes) < MIN_OUTCOMES:
            return NEW
        return SOLID if self.mastery >= MASTERY_THRESHOLD - 1e-9 else SHAKY


def skill_records(
    student,
    now: datetime,
    sittings: Iterable[Sitting] | None = None,
    secrets: Secrets | None = None,
) -> list[SkillRecord]:
    """Return the record of every skill that this student was asked for, the weakest first.

    Grades that are not released yet are left out, and those of secret questions. In practice the
    first check of an item counts: later ones have read the feedback. An answer after a hint does
    not count, so that hints cost nothing. In an exam that was reopened the last submission counts.
    Problems in rows that the student can't practise any more are left out.
    The student's sittings, with last deadlines, and the secrets are queried unless given.
    """
    secrets = find_secrets(student, now) if secrets is None else secrets
    if sittings is None:
        tried = Sitting.objects.filter(attempts__student=student).distinct()
        sittings = with_last_deadline(tried)
    hidden = sorted({each.pk for each in sittings if not each.shows_results(now)})
    grades = _grades_of(student, hidden, *secrets.lists)
    found: dict[Skill, list[ItemScore]] = defaultdict(list)
    for family, topic, at, points, out_of, verdict in grades:
        if not out_of:  # void
            continue
        skill = Skill(FAMILY, family) if family else Skill(TOPIC, topic)
        found[skill].append(ItemScore(at, points / out_of, missed=not is_good(verdict)))
    closed = closed_problems(student, (skill.key for skill in found if skill.is_numeric))
    records = [
        SkillRecord(skill, tuple(outcomes))
        for skill, outcomes in found.items()
        if skill.key not in closed
    ]
    return sorted(records, key=_from_the_weakest)


def _from_the_weakest(record: SkillRecord) -> tuple[int, float, str]:
    return _FROM_THE_WEAKEST.index(record.standing), record.mastery, str(record.skill)


@prepared
def _grades_of(student, hidden: list[int], *lists: list[int]) -> QuerySet:
    grades = Grade.objects.of_learners().counting().latest()
    grades = grades.filter(answer__submission__attempt__student=student)
    return (
        exclude_secret(grades, *lists)
        .filter(WITHOUT_HINTS)
        .exclude(answer__submission__attempt__sitting__pk__in=hidden)
        .order_by("answer__submission__received_at", "answer_id")
        .values_list(
            "answer__item__variant__family",
            "answer__item__question__topic",
            "answer__submission__received_at",
            "points",
            "out_of",
            "verdict",
        )
    )
