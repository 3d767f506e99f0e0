"""The worked answers of marking.json get exactly their verdicts and points."""

import json
from pathlib import Path

import numpy as np
import pytest

from attention_core import family, mark
from attention_core.problems.family import Problem

WORKED = json.loads((Path(__file__).parent / "marking.json").read_text())


def thinking_machines() -> Problem:
    return Problem(
        family("attention"),
        {"tokens": 2, "width": 3},
        "worked",
        {name.upper(): np.array(WORKED[name]) for name in "qkv"},
        {"tokens": ("Thinking", "Machines")},
        WORKED["tolerance"],
    )


@pytest.mark.parametrize("case", WORKED["cases"], ids=lambda case: case["why"])
def test_it_marks_the_worked_answer_as_agreed(case):
    marked = mark(thinking_machines(), case["answers"])
    given = {
        step.key: [
            f"{step.verdict}:{step.mistake}" if step.mistake else step.verdict,
            round(float(step.points), 4),
        ]
        for step in marked.steps
    }
    assert given == {
        key: [verdict, pytest.approx(points)] for key, (verdict, points) in case["marks"].items()
    }
    assert round(float(marked.points), 4) == case["points"]
    assert marked.out_of == case["out_of"]
