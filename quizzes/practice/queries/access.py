"""The problems in rows that a user may practise: those of the site, and those of their quizzes."""

from collections.abc import Iterable
from typing import Any

from quizzes.delivery.effective_settings import available_settings
from quizzes.items.queries import practisable_skills
from quizzes.items.skills import Skill
from quizzes.models import Quiz, Slot
from quizzes.written.loading import newest_versions
from quizzes.written.queries import is_written, open_keys, readable_problems


def practicable_problems(user: Any) -> frozenset[str]:
    """Return the keys of the problems in rows that this user may practise, maybe a guest."""
    if not newest_versions():
        return frozenset()
    found = open_keys()
    if not user.is_authenticated:
        return found
    return (
        found | readable_problems(user).keys() | _asked_of(user, newest_versions().keys() - found)
    )


def _asked_of(student: Any, keys: Iterable[str]) -> set[str]:
    """Return those of the problems that a published quiz asks which this student may take."""
    slots = Slot.objects.filter(family__in=list(keys), quiz__published=True).order_by()
    asked: dict[int, set[str]] = {}
    for quiz, key in slots.values_list("quiz", "family").distinct():
        asked.setdefault(quiz, set()).add(key)
    taken = (
        asked[quiz.pk]
        for quiz in Quiz.objects.filter(pk__in=asked)
        if available_settings(student, quiz)
    )
    return set().union(*taken)


def skills_for(user: Any, skills: Iterable[Skill]) -> list[Skill]:
    """Return those of the skills that this user can practise, in their order."""
    wanted = list(skills)
    written = {skill for skill in wanted if skill.is_numeric and is_written(skill.key)}
    theirs = practicable_problems(user) if written else frozenset()
    return practisable_skills(
        [skill for skill in wanted if skill not in written or skill.key in theirs]
    )


def may_practise(user: Any, skill: Skill) -> bool:
    """Return whether the skill exists, has anything to ask, and is this user's to practise."""
    return bool(skills_for(user, [skill]))
