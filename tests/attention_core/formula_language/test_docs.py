"""The problems of docs/formulas.md work as that page says, and its tables leave nothing out."""

import re
from functools import cache

import numpy as np
import pytest

from attention_core.errors import FormulaError
from attention_core.formulas import draws, read, shapes, text, trees
from attention_core.formulas import family as family_module
from attention_core.formulas.functions import FUNCTIONS, NAMES
from attention_core.grading.mark import AnsweredItem, mark_many
from attention_core.problems.code import numpy_program
from attention_core.problems.family import PARTS, Values
from attention_core.problems.rounding import EXACT
from attention_core.proving import known_mistakes, prove_many, typed_answers
from scripts.bootstrap import ROOT
from tests.each import each

PAGE = (ROOT / "docs" / "formulas.md").read_text()
PROBLEMS = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
VARIANTS = 5

every_problem = each("n", range(len(PROBLEMS)))


@cache
def family(n):
    return read(PROBLEMS[n], f"problem_{n}")


@cache
def variants(n):
    """Return proven variants of a problem at every combination of its sizes."""
    return [
        proof.problem
        for sizes in family(n).combinations()
        for proof in prove_many(family(n), range(VARIANTS), sizes)
    ]


def section(heading):
    return re.search(rf"\n## {heading}\n(.*?)(?=\n## |\Z)", PAGE, re.DOTALL)[1]


def first_cells(heading):
    """Return what stands between backticks in the first column of a section's tables."""
    return re.findall(r"^\| `(.*?)` \|", section(heading), re.MULTILINE)


def rounded(step, values):
    return np.round(step.compute(EXACT, values), step.decimals)


def test_there_are_four_problems_and_the_last_is_not_about_attention():
    assert len(PROBLEMS) == 4
    assert [bool(family(n).part) for n in range(4)] == [True, True, True, False]


@every_problem
def test_a_problem_is_drawn_and_proven_at_every_combination_of_its_sizes(n):
    assert len(variants(n)) == VARIANTS * len(family(n).combinations())
    assert len({problem.fingerprint for problem in variants(n)}) == len(variants(n))


@every_problem
def test_its_program_gives_the_solution_to_three_decimals(n):
    for problem in variants(n):
        names = {}
        exec(numpy_program(problem), names)  # noqa: S102 - ours
        for step, right in problem.solution.items():
            np.testing.assert_array_equal(np.round(names[step], 3), np.round(right, 3), step)


@every_problem
def test_every_mistake_is_caught_under_its_name(n):
    items, made = [], []
    for problem in variants(n):
        for step in problem.family.steps:
            for known, wrong in known_mistakes(problem, step):
                values = Values(problem.values | {step.key: wrong})
                items.append(AnsweredItem(problem, typed_answers(problem, values)))
                made.append((step.key, known.key))
    caught = [
        next((each.key, each.mistake) for each in mark.steps if each.key == step)
        for mark, (step, _) in zip(mark_many(items), made, strict=True)
    ]
    assert caught == made
    # A mistake that is never made would be caught under any name.
    known = {(step.key, known.key) for step in family(n).steps for known in step.mistakes}
    listed = {(own.step, own.key) for own in text.read_lines(PROBLEMS[n]).mistakes}
    assert listed <= {*made} <= known
    assert {step.key for step in family(n).steps} == {step for step, _ in made}


@every_problem
def test_right_work_after_a_first_mistake_earns_follow_through(n):
    items, made = [], []
    for problem in variants(n):
        first, *later = problem.family.steps
        for known, wrong in known_mistakes(problem, first):
            values = Values(problem.givens)
            values[first.key] = np.round(wrong, first.decimals)
            for step in later:
                values[step.key] = rounded(step, values)
            items.append(AnsweredItem(problem, typed_answers(problem, values)))
            made.append(known.key)
    assert items
    for mark, key in zip(mark_many(items), made, strict=True):
        first, *later = mark.steps
        assert (first.verdict, first.mistake) == ("mistake", key)
        assert {step.verdict for step in later} <= {"follows", "right"}
        assert "follows" in {step.verdict for step in later}
        assert all(step.points == step.out_of for step in later)


@each(
    "quoted, n",
    [
        (r"You left the raw scores as they are; divide by $\sqrt{d_k}$ before the softmax.", 0),
        (r"You divided by $n - 1$. This variance is a plain mean of squares, so divide by $n$.", 3),
    ],
)
def test_the_feedback_that_the_page_quotes_is_given(quoted, n):
    assert quoted in PAGE
    assert quoted in {known.feedback for step in family(n).steps for known in step.mistakes}


def test_the_formula_that_the_page_quotes_is_printed():
    assert family(0).step("scores").how in PAGE


def test_the_table_of_functions_has_every_one_with_its_example():
    examples = first_cells("Functions")
    assert sorted(example.partition("(")[0] for example in examples) == sorted(NAMES)
    assert {*examples} == {FUNCTIONS[name].example for name in NAMES}


def test_the_table_of_draws_has_every_one_with_its_example():
    examples = {*draws.ARRAYS.values(), *draws.LINES.values(), *draws.WORDS.values()}
    assert sorted(first_cells("Draws")) == sorted(examples | {*draws.OTHERS.values()})
    assert {each.partition("(")[0] for each in first_cells("Draws")} == {*draws.EXAMPLES}


def test_what_else_a_line_can_say_is_all_there():
    said = {line.split(":")[0] for line in first_cells("What else a line can say")}
    said |= {line.split(":")[0].split()[0] for line in first_cells("Mistakes")} - {"key"}
    assert said == {*text._OF_GIVEN, *text._OF_STEP}
    assert all(f"`{head}`" in section("What else a line can say") for head in text._HEADS)
    assert all(part in section("What else a line can say") for part in PARTS)


def test_faults_are_told_as_the_page_says():
    rows = re.findall(r"^\| `(.*?)` \| (.*?) \|$", section("When something is wrong"), re.MULTILINE)
    assert len(rows) >= 5
    for line, says in rows:
        before = "sizes: n = 5\nx: tenths(n)\n" + ("w: tenths(3)\n" if "w" in line else "")
        with pytest.raises(FormulaError) as caught:
            read(f"{before}{line}\nlast = mean(x)", "faulty")
        assert str(caught.value).startswith(says.removesuffix(" …")), line
        assert caught.value.line == before.count("\n") + 1


def test_the_bounds_are_those_of_the_code():
    bounds = section("When something is wrong").rpartition("A text has at most")[2]
    numbers = [int(each.replace(",", "")) for each in re.findall(r"\d[\d,]*\d", bounds)]
    assert numbers == [
        *(text.MAX_TEXT, trees.MAX_LINE, text.MAX_GIVENS, text.MAX_STEPS, text.MAX_MISTAKES),
        *(text.MAX_COMBINATIONS, text.MAX_NAMES),
        *(family_module.MAX_PARTS, family_module.MAX_ALL_PARTS, family_module.MAX_WORK),
        *(family_module.MAX_NUMBERS, 64, shapes.MAX_CELLS),
    ]


def test_the_text_that_the_guide_adds_is_proven_with_both_its_mistakes():
    guide = (ROOT / "CONTRIBUTING.md").read_text()
    [example] = re.findall(r"```text\n(title: .*?)```", guide, re.DOTALL)
    city_block = read(example, "city_block")
    for sizes in city_block.combinations():
        [proof] = prove_many(city_block, [1], sizes)
        known = {each.key for each, _ in known_mistakes(proof.problem, city_block.steps[0])}
        assert known == {"straight_line", "sign_kept"}
