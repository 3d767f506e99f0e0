"""The worked solution with a student's numbers, step by step, as pages show it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from design.matrix import Matrix, number_text
from quizzes.presenters import grids, texts
from quizzes.presenters.verdicts import word_of
from quizzes.problems import WorkedStep, verdicts


@dataclass(frozen=True)
class Worked:
    """One step of the worked solution.

    Attributes:
        is_first_wrong: here the answer left the right way.
        tolerance: how far off is still right; "" where it must be met.
        careful: what careful rounding makes of it, where that is something else.
        continued: what is right from the student's own earlier numbers, where these were not.
        continued_tolerance: how far off that is still right, where marking had to work it out.
    """

    label: SafeString
    how: SafeString
    formula: SafeString
    verdict: str
    word: str
    is_first_wrong: bool
    matrix: Matrix | None = None
    choice: str = ""
    tolerance: str = ""
    careful: Matrix | None = None
    continued: Matrix | None = None
    continued_tolerance: str = ""


def worked_steps(
    steps: Sequence[Mapping[str, Any]],
    marks: Sequence[Mapping[str, Any]],
    solution: Mapping[str, WorkedStep],
) -> Iterator[Worked]:
    """The solution of each step that was shown, beside the mark that it got."""
    first = next((mark["key"] for mark in marks if mark["verdict"] != verdicts.RIGHT), None)
    for step, mark in zip(steps, marks, strict=True):
        if known := solution.get(step["key"]):
            yield _worked(step, mark, known, is_first_wrong=step["key"] == first)


def _worked(
    step: Mapping[str, Any], mark: Mapping[str, Any], known: WorkedStep, *, is_first_wrong: bool
) -> Worked:
    common = {
        "label": texts.line(step["label"]),
        "how": texts.line(known.how),
        "formula": texts.formula(known.latex),
        "verdict": mark["verdict"],
        "word": word_of(mark["verdict"]),
        "is_first_wrong": is_first_wrong,
    }
    if step["choices"]:
        return Worked(**common, choice=step["choices"][int(known.values)])
    return Worked(
        **common,
        matrix=grids.solved_matrix(step, known.values),
        tolerance=number_text(known.tolerance) if known.tolerance else "",
        careful=_where_other(step, known.careful, known.values, _("Rounded carefully")),
        continued=None
        if mark["verdict"] == verdicts.RIGHT
        else _where_other(step, known.continued, known.values, _("From your own numbers")),
        # Older grades have none.
        continued_tolerance=number_text(mark["tolerance"]) if mark.get("tolerance") else "",
    )


def _where_other(step: Mapping[str, Any], values: Any, exact: Any, caption: str) -> Matrix | None:
    """These values of a step, unless they are printed as the exact ones are."""
    if values is None:
        return None
    other = grids.solved_matrix(step, values, caption)
    return None if other.texts == grids.solved_matrix(step, exact).texts else other
