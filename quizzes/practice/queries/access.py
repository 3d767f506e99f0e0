"""The skills that somebody may practise."""

from collections.abc import Iterable
from typing import Any

from quizzes.delivery.queries.practicable import practicable_problems
from quizzes.items.queries import practisable_skills
from quizzes.items.skills import Skill
from quizzes.written.queries import is_written


def skills_for(user: Any, skills: Iterable[Skill]) -> list[Skill]:
    """Return those of the skills that this user can practise, in their order."""
    wanted = list(skills)
    written = {skill for skill in wanted if skill.is_numeric and is_written(skill.key)}
    theirs = practicable_problems(user, {skill.key for skill in written})
    return practisable_skills(
        [skill for skill in wanted if skill not in written or skill.key in theirs]
    )


def may_practise(user: Any, skill: Skill) -> bool:
    """Return whether the skill exists, has anything to ask, and is this user's to practise."""
    return bool(skills_for(user, [skill]))
