"""Mistakes that a student caught: what was typed then, what is right, and what is still left."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from design.matrix import Cell, Matrix
from quizzes import problems
from quizzes.items.presenters import grids, texts
from quizzes.items.presenters.skills import skill_title, skill_url
from quizzes.items.presenters.texts import as_typed
from quizzes.items.skills import FAMILY, Skill
from quizzes.models import Answer
from quizzes.practice.queries.practice import NamedMistake
from quizzes.problems.answers import as_grid

# So many are shown with their matrices.
MOST = 24


@dataclass(frozen=True)
class Mended:
    """A mistake that was made once, and the same step right since."""

    title: str
    url: str
    feedback: SafeString
    label: SafeString
    wrong: Matrix
    right: Matrix
    made_at: datetime
    mended_at: datetime


@dataclass(frozen=True)
class Unmended:
    """A mistake that waits to be caught."""

    title: str
    url: str
    feedback: SafeString
    made_at: datetime


@dataclass(frozen=True)
class Caught:
    """The whole page; `more` are mended too, and not shown."""

    mended: tuple[Mended, ...]
    unmended: tuple[Unmended, ...]
    more: int


def shown_in_full(made: Sequence[NamedMistake]) -> list[NamedMistake]:
    """Those of which the answer is to be read: the latest that are mended."""
    mended = [each for each in made if each.mended_at and problems.is_family(each.family)]
    return sorted(mended, key=lambda each: each.mended_at, reverse=True)[:MOST]


def caught(made: Sequence[NamedMistake], answers: Mapping[int, Answer]) -> Caught:
    """The page of these mistakes, with the answers of those that are shown in full."""
    pages = [_mended(each, answers[each.answer]) for each in shown_in_full(made)]
    waiting = [_unmended(each) for each in made if not each.mended_at]
    return Caught(
        mended=tuple(filter(None, pages)),
        unmended=tuple(filter(None, waiting)),
        more=max(0, sum(1 for each in made if each.mended_at) - MOST),
    )


def _unmended(made: NamedMistake) -> Unmended | None:
    feedback = problems.feedback_to(made.family, made.step, made.mistake)
    if not feedback:
        return None
    skill = Skill(FAMILY, made.family)
    return Unmended(skill_title(skill, {}), skill_url(skill), texts.line(feedback), made.made_at)


def _mended(made: NamedMistake, answer: Answer) -> Mended | None:
    item, feedback = answer.item, problems.feedback_to(made.family, made.step, made.mistake)
    step = next((step for step in item.shown["steps"] if step["key"] == made.step), None)
    if not (feedback and step and made.mended_at) or step["choices"]:
        return None
    typed = as_grid(answer.raw[made.step])

    def cell(row: int, column: int) -> Cell:
        return Cell(text=as_typed(typed[row][column]))

    skill = Skill(FAMILY, made.family)
    named = {"label": grids.caption_of(step).name}
    return Mended(
        title=skill_title(skill, {}),
        url=skill_url(skill),
        feedback=texts.line(feedback),
        label=grids.caption_of(step).caption,
        wrong=grids.step_matrix(
            step, cell, caption=_("You typed"), name=_("You typed: %(label)s") % named
        ),
        right=grids.solved_matrix(step, item.variant.solution[made.step], _("Right")),
        made_at=made.made_at,
        mended_at=made.mended_at,
    )
