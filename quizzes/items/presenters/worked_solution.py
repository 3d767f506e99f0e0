"""The worked solution with a student's numbers, step by step, as pages show it.

What comes of the variant alone is the same whatever was answered: it may have been printed ahead,
as the student's own *sheet*.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from design.fragments import printed
from design.matrix import Matrix, number_text
from quizzes.items.presenters import grids, texts
from quizzes.items.presenters.asked_item import givens_of, statement_of
from quizzes.items.presenters.verdicts import word_of
from quizzes.problems import WorkedStep, verdicts


@dataclass(frozen=True)
class SolvedStep:
    """The solution of a step, regardless of the answer.

    Attributes:
        caption, name: its label, as HTML and in plain words.
        body: how it is worked out, and the result.
    """

    caption: SafeString
    name: str
    body: SafeString


@dataclass(frozen=True)
class Solved:
    """A question with its solution, regardless of the answer.

    Attributes:
        asked: statement and givens.
        steps: by key; empty if the family no longer exists.
        program: all steps in NumPy; "" if there is none.
    """

    asked: SafeString
    steps: Mapping[str, SolvedStep]
    program: str = ""

    @classmethod
    def of(
        cls, shown: Mapping[str, Any], solution: Mapping[str, WorkedStep], program: str = ""
    ) -> "Solved":
        asked = {"statement": texts.block(statement_of(shown)), **givens_of(shown)}
        return cls(
            printed("quizzes/items/_reviewed_asked.html", item=asked),
            {
                step["key"]: _solved(step, solution[step["key"]])
                for step in shown.get("steps", ())
                if step["key"] in solution
            },
            program,
        )

    @classmethod
    def read(cls, sheet: str) -> "Solved":
        """What `sheet` wrote."""
        read = json.loads(sheet)
        steps = {
            key: SolvedStep(SafeString(step["caption"]), step["name"], SafeString(step["body"]))
            for key, step in read["steps"].items()
        }
        return cls(SafeString(read["asked"]), steps, read["program"])

    def sheet(self) -> str:
        """All of it in one text."""
        return json.dumps(asdict(self))


def worked_steps(
    steps: Sequence[Mapping[str, Any]],
    marks: Sequence[Mapping[str, Any]],
    solution: Mapping[str, WorkedStep],
    solved: Solved,
) -> Iterator[dict[str, Any]]:
    """Yield the solution of each step that was shown, together with its mark.

    The first wrong step is where the answer went off. `continued` has the right values from the
    student's own earlier numbers, where these were wrong, and the tolerance that marking worked out
    for them.
    """
    first = next((mark["key"] for mark in marks if mark["verdict"] != verdicts.RIGHT), None)
    for step, mark in zip(steps, marks, strict=True):
        if known := solution.get(step["key"]):
            is_right, continued = mark["verdict"] == verdicts.RIGHT, None
            if not (step["choices"] or is_right):
                caption = _("From your own numbers")
                continued = _where_other(step, known.continued, known.values, caption)
            # Older grades have no tolerance.
            tolerance = mark.get("tolerance") if continued else None
            yield {
                "solved": solved.steps[step["key"]],
                "verdict": mark["verdict"],
                "word": word_of(mark["verdict"]),
                "is_first_wrong": step["key"] == first,
                "continued": continued,
                "continued_tolerance": number_text(tolerance) if tolerance else "",
            }


def _solved(step: Mapping[str, Any], known: WorkedStep) -> SolvedStep:
    """Return one step's solution, with its tolerance and the carefully rounded values."""
    caption, name = grids.caption_of(step)
    context = {"how": texts.line(known.how), "formula": texts.formula(known.latex)}
    if step["choices"]:
        context |= {"matrix": None, "choice": step["choices"][int(known.values)], "tolerance": ""}
    else:
        context |= {
            "matrix": grids.solved_matrix(step, known.values),
            "tolerance": number_text(known.tolerance) if known.tolerance else "",
            "careful": _where_other(step, known.careful, known.values, _("Rounded carefully")),
        }
    return SolvedStep(caption, name, printed("quizzes/items/_worked_body.html", step=context))


def _where_other(step: Mapping[str, Any], values: Any, exact: Any, caption: str) -> Matrix | None:
    """Return the matrix of these values, or None if it looks the same as the exact ones."""
    if values is None:
        return None
    other = grids.solved_matrix(step, values, caption)
    return None if other.texts == grids.solved_matrix(step, exact).texts else other
