"""A variant's lines of NumPy compute the solution that marks it."""

import contextlib
import io

import numpy as np
import pytest

from attention_core import draw
from attention_core.problems.code import numpy_program
from attention_core.problems.family import Problem
from tests.attention_core.drawn import every_family, problem_of, problems_of_every_size


def run_code(text):
    names, printed = {}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(text, names)  # noqa: S102 - ours
    return names, printed.getvalue()


@pytest.mark.slow
@every_family
def test_it_computes_every_step_at_every_size(key):
    for problem in problems_of_every_size(key):
        computed, _ = run_code(numpy_program(problem))
        for step, right in problem.solution.items():
            np.testing.assert_allclose(
                computed[step], right, atol=1e-9, err_msg=f"{problem.options} {step}"
            )


@every_family
def test_it_says_nothing_that_it_does_not_need(key):
    text = numpy_program(problem_of(key, 3))
    assert text.startswith("import numpy as np\n")
    for name in ("softmax", "layer_norm"):
        assert (f"def {name}(" in text) == (f"= {name}(" in text)
    assert max(map(len, text.splitlines())) <= 100


def test_it_prints_what_is_asked_for_to_three_decimals():
    problem = draw("dot_score", 3)
    _, printed = run_code(numpy_program(problem))
    rounded = [round(float(value), 3) for value in problem.solution.values()]
    assert [float(line) for line in printed.split()] == rounded


def test_numbers_that_were_drawn_before_its_lines_were_written_have_none():
    problem = draw("score_variance", 3)
    old = {key: value for key, value in problem.givens.items() if key != "query_variance"}
    assert numpy_program(Problem(problem.family, {}, problem.seed, old, {})) == ""
