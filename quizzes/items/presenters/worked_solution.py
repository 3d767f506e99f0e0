"""The worked solution with a student's numbers, step by step, as pages show it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from design.fragments import render_fragment
from design.matrix import Matrix, format_number
from design.translation import gettext as _
from quizzes.items.presenters import grids, texts
from quizzes.items.presenters.asked_item import givens_of, statement_of
from quizzes.items.presenters.verdicts import verdict_word
from quizzes.problems import WorkedStep, verdicts


@dataclass(frozen=True)
class RenderedStep:
    """The solution of a step, regardless of the answer.

    Attributes:
        caption: its label.
        parts: how it is worked out, and the result.
        matrix: the result alone; None if the step is a choice.
    """

    caption: SafeString
    parts: Mapping[str, Any]
    matrix: Matrix | None

    @property
    def body(self) -> SafeString:
        """Render its parts, for a page of Django's templates."""
        return render_fragment("quizzes/items/_worked_body.html", step=self.parts)


def printed_question(shown: Mapping[str, Any], **instead: Any) -> SafeString:
    """Render the statement and the givens, or others `instead`, without anything to type into."""
    item = {"statement": texts.render_block(statement_of(shown)), **givens_of(shown), **instead}
    return render_fragment("quizzes/items/_reviewed_asked.html", item=item)


def solved_steps(
    shown: Mapping[str, Any],
    solution: Mapping[str, WorkedStep],
    *,
    has_tolerance: bool = True,
    written_out: str = "",
) -> dict[str, RenderedStep]:
    """Return the steps that were shown, by key; none if the family no longer exists.

    Without a tolerance nothing is said of what else would be marked right. The page shows the
    formula of the step that is `written_out` elsewhere.
    """
    return {
        step["key"]: _solved(step, solution[step["key"]], has_tolerance, written_out)
        for step in shown["steps"]
        if step["key"] in solution
    }


def worked_steps(
    shown: Mapping[str, Any],
    marks: Sequence[Mapping[str, Any]],
    solution: Mapping[str, WorkedStep],
    written_out: str = "",
) -> Iterator[dict[str, Any]]:
    """Yield the solution of each step that was shown, together with its mark.

    `continued` has the right values from the student's own earlier numbers, where these were wrong,
    and the tolerance that marking worked out for them.
    """
    solved = solved_steps(shown, solution, written_out=written_out)
    for step, mark in zip(shown["steps"], marks, strict=True):
        if its := solved.get(step["key"]):
            continued = None
            if its.matrix and mark["verdict"] != verdicts.RIGHT:
                own, caption = solution[step["key"]].continued, _("From your own numbers")
                continued = _where_other(step, own, its.matrix, caption)
            # Older grades have no tolerance.
            tolerance = mark.get("tolerance") if continued else None
            yield {
                "solved": its,
                "verdict": mark["verdict"],
                "word": verdict_word(mark["verdict"]),
                "continued": continued,
                "continued_tolerance": format_number(tolerance) if tolerance else "",
            }


def _solved(
    step: Mapping[str, Any], known: WorkedStep, has_tolerance: bool, written_out: str
) -> RenderedStep:
    """Return one step's solution, with its tolerance and the carefully rounded values."""
    matrix = None
    latex = "" if step["key"] == written_out else known.latex
    context = {"how": texts.render_line(known.how), "formula": texts.render_formula(latex)}
    if step["choices"]:
        context |= {"choice": step["choices"][int(known.values)], "tolerance": ""}
    else:
        matrix = grids.solved_matrix(step, known.values)
        context |= {
            "tolerance": format_number(known.tolerance)
            if known.tolerance and has_tolerance
            else "",
            "careful": _where_other(step, known.careful, matrix, _("Rounded carefully")),
        }
    parts = context | {"matrix": matrix}
    return RenderedStep(grids.caption_of(step).caption, parts, matrix)


def _where_other(
    step: Mapping[str, Any], values: Any, exact: Matrix, caption: str
) -> Matrix | None:
    """Return the matrix of these values, or None if it looks the same as the exact one."""
    if values is None:
        return None
    other = grids.solved_matrix(step, values, caption)
    return None if other.texts == exact.texts else other
