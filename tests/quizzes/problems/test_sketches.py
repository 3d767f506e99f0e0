"""A variant of a text that is still being written: quick, with all that its author looks at."""

import numpy as np
import pytest

from quizzes import problems

TEXT = """title: Sums
sizes: n = 3, 2
x: integers(n, low=1, high=9) "$x$, the numbers"
keep x[0] > x[1]
total = sum(x)
    label: The sum of {n}
    without: averaged
doubled = 2 * total
halved: doubled = total / 2 : "You halved it."
"""


def test_a_sketch_has_numbers_a_solution_and_its_mistakes():
    sketch = problems.sketch_variant(TEXT, "1", {})
    (given,), (total, doubled) = sketch.shown["givens"], sketch.shown["steps"]
    assert sketch.fit
    assert given["values"][0] > given["values"][1]
    assert total["label"] == "The sum of 3"
    assert sketch.solution.steps["total"].values == sum(given["values"])
    assert sketch.left_out["total"] == ("averaged",)
    assert sketch.feedback["doubled", "halved"] == "You halved it."
    halved = next(each for each in sketch.mistakes if each.key == "halved")
    assert halved.values == sum(given["values"]) / 2
    assert [(each.name, tuple(each.sizes)) for each in sketch.shapes] == [
        ("x", (3,)),
        ("total", ()),
        ("doubled", ()),
    ]
    assert (sketch.cells, doubled["key"]) == (2, "doubled")


def test_the_same_seed_gives_the_same_numbers_and_another_size_is_chosen():
    once, again, other = (problems.sketch_variant(TEXT, seed, {}) for seed in ("1", "1", "2"))
    assert once.shown == again.shown != other.shown
    small = problems.sketch_variant(TEXT, "1", {"n": 2, "other": 7})
    assert (small.options, np.shape(small.shown["givens"][0]["values"])) == ({"n": 2}, (2,))
    assert problems.sketch_variant(TEXT, "1", {"n": 19}).options == {"n": 3}


def test_numbers_that_no_draw_brings_are_shown_all_the_same():
    sketch = problems.sketch_variant(TEXT.replace("x[0] > x[1]", "x[0] > 9"), "1", {})
    assert not sketch.fit
    assert sketch.shown["givens"]


def test_a_step_without_numbers_is_named_whatever_the_text_keeps():
    sketch = problems.sketch_variant(TEXT.replace("2 * total", "total / 0"), "1", {})
    assert (sketch.lost, problems.sketch_variant(TEXT, "1", {}).lost) == (["doubled"], [])
    assert "isn’t a number" in sketch.solution.steps["doubled"].latex


def test_a_fault_has_its_line():
    with pytest.raises(problems.FormulaError, match="no function avg") as fault:
        problems.sketch_variant(TEXT.replace("sum(x)", "avg(x)", 1), "1", {})
    assert fault.value.line == 5
