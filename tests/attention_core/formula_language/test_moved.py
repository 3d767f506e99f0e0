"""Families that were Python once ask and mark as they did: hashes of that time, kept in a file.

Each hash covers variants of all sizes: givens, words, solutions, tolerances, and the marks of
students who are right, make one mistake, or go on rightly after it, by every way of computing.
"""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from attention_core import family
from attention_core.catalogue import problem_to_json
from attention_core.grading.mark import AnsweredItem, mark_many
from attention_core.problems.family import Values
from attention_core.problems.rounding import CAREFUL, EXACT
from attention_core.proving import prove_many, typed_answers

KEPT = json.loads(Path(__file__).with_name("moved.json").read_text())
# Among thousands there'd be some that are fit or not by how a processor rounds the last bit.
VARIANTS = 8


def students(problem):
    """Yield the answers of students: right, with one mistake, and right again after it."""
    for way in (EXACT, *CAREFUL):
        right = problem.family.solve(problem.givens, way)
        yield typed_answers(problem, right)
        for step in problem.family.steps:
            for known in step.mistakes:
                with np.errstate(all="ignore"):
                    if not np.any(known.when(problem.values)):
                        continue
                    wrong = known.compute(way, right)
                if wrong.shape == right[step.key].shape:
                    yield typed_answers(problem, right | {step.key: wrong})
                    own = Values(problem.givens)
                    for each in problem.family.steps:
                        own[each.key] = wrong if each is step else each.compute(way, own)
                    yield typed_answers(problem, own)


def digest(key, variants):
    sizes = family(key).combinations()
    found = hashlib.sha256()
    for options in sizes:
        seeds = range(-(-variants // len(sizes)))
        for problem in (proof.problem for proof in prove_many(family(key), seeds, options)):
            stored = problem_to_json(problem)
            solution = {name: np.round(array, 6) + 0 for name, array in problem.solution.items()}
            stored["solution"] = {name: array.tolist() for name, array in solution.items()}
            marks = mark_many([AnsweredItem(problem, typed) for typed in students(problem)])
            stored["marks"] = [
                [[step.key, step.verdict, step.mistake, str(step.points)] for step in mark.steps]
                for mark in marks
            ]
            found.update(json.dumps(stored, sort_keys=True).encode())
    return found.hexdigest()


@pytest.mark.parametrize("key", sorted(KEPT))
def test_a_moved_family_asks_and_marks_as_it_did(key):
    assert digest(key, VARIANTS) == KEPT[key]
