"""The page of corrected mistakes: what was typed, what is right, and which mistakes are left."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from design.matrix import Cell
from quizzes import problems
from quizzes.items.presenters import grids, texts
from quizzes.items.presenters.skills import skill_title, skill_url
from quizzes.items.presenters.texts import format_typed
from quizzes.items.skills import FAMILY, Skill
from quizzes.models import Answer
from quizzes.practice.queries.practice import NamedMistake
from quizzes.problems.answers import nest_as_grid

# The most mistakes shown with their matrices.
MAX_SHOWN = 24


def latest_corrected(made: Sequence[NamedMistake]) -> list[NamedMistake]:
    """Return the latest corrected mistakes, whose answers the page needs."""
    corrected = [each for each in made if each.corrected_at and problems.is_family(each.family)]
    return sorted(corrected, key=lambda each: each.corrected_at, reverse=True)[:MAX_SHOWN]


def mistakes_context(
    made: Sequence[NamedMistake], answers: Mapping[int, Answer], closed: Collection[str] = ()
) -> dict[str, Any]:
    """Return the context of the page, with the answers of the mistakes that are shown in full.

    `corrected` were right since, `uncorrected` were not; `more` are corrected but not shown. The
    `closed` families cannot be practised any more.
    """
    corrected = [_corrected(each, answers[each.answer]) for each in latest_corrected(made)]
    uncorrected = [_named(each, closed) for each in made if not each.corrected_at]
    return {
        "corrected": [*filter(None, corrected)],
        "uncorrected": [*filter(None, uncorrected)],
        "more": max(0, sum(1 for each in made if each.corrected_at) - MAX_SHOWN),
    }


def _named(made: NamedMistake, closed: Collection[str] = ()) -> dict[str, Any] | None:
    """Return a mistake with its feedback; None if its family does not know it any more."""
    feedback = problems.mistake_feedback(made.family, made.step, made.mistake)
    skill = Skill(FAMILY, made.family)
    url = "" if made.family in closed else skill_url(skill)
    named = {"made": made, "title": skill_title(skill, {}), "url": url}
    return named | {"feedback": texts.render_line(feedback)} if feedback else None


def _corrected(made: NamedMistake, answer: Answer) -> dict[str, Any] | None:
    """Return a corrected mistake with the typed and the right matrix, or None."""
    item, named = answer.item, _named(made)
    step = next((step for step in item.shown["steps"] if step["key"] == made.step), None)
    if not (named and step and made.corrected_at) or step["choices"]:
        return None
    typed = nest_as_grid(answer.raw[made.step])

    def cell(row: int, column: int) -> Cell:
        return Cell(text=format_typed(typed[row][column]))

    label, name = grids.caption_of(step)
    typed_name = _("You typed: %(label)s") % {"label": name}
    return named | {
        "label": label,
        "wrong": grids.step_matrix(step, cell, caption=_("You typed"), name=typed_name),
        "right": grids.solved_matrix(step, item.variant.solution[made.step], _("Right")),
    }
