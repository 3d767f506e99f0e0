"""The steps of a grade survive storage unchanged, and take little room there."""

import json

import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from quizzes import problems
from quizzes.models import Answer, Grade
from quizzes.models.steps import packed_step, step_of
from tests.world import refresh, submit_and_mark

WORDS = st.sampled_from(["right", "wrong", "near", "blank", "unreadable", "fixed"])
ROWS = st.lists(WORDS, min_size=1, max_size=5)
STEPS = st.fixed_dictionaries(
    {
        "key": st.text(),
        "verdict": st.sampled_from(["right", "follows", "mistake", "near", "partial", "wrong"]),
        "mistake": st.text(),
        "cells": st.none() | WORDS | ROWS | st.lists(ROWS, min_size=1, max_size=5),
        "points": st.fractions().map(str),
        "out_of": st.fractions().map(str),
        "tolerance": st.none() | st.floats(allow_nan=False),
    }
)


@given(STEPS)
def test_a_step_comes_back_as_it_was(step):
    assert step_of(json.loads(json.dumps(packed_step(step)))) == step


@pytest.mark.parametrize(
    "step",
    [
        {"mistake": ""},
        {"key": "a", "verdict": "right", "mistake": "", "points": "1", "out_of": "1", "cells": [7]},
        {"key": "a", "verdict": "right", "mistake": "", "points": "1", "out_of": "1",
         "cells": ["a word of later days"]},
        {"more": "than is known"},
    ]
)  # fmt: skip
def test_what_cannot_be_packed_is_kept_as_it_is(step):
    assert step_of(packed_step(step)) == step


@pytest.mark.service
def test_marking_writes_packed_steps_and_pages_read_whole_ones(db, attempt):
    submit_and_mark(attempt)
    grade = Grade.objects.get(answer__item__position=3)
    (step,) = grade.steps
    assert (step["verdict"], step["cells"]) == ("blank", ["blank", "blank"])
    with connection.cursor() as cursor:
        cursor.execute("SELECT CAST(steps AS text) FROM quizzes_grade WHERE id = %s", [grade.pk])
        (kept,) = cursor.fetchone()
    assert json.loads(kept) == [["weights", "blank", "", "0", "1", "1bb"]]
    again = Grade.objects.create(
        answer=Answer.objects.get(pk=grade.answer_id), revision=2, points=0, out_of=1,
        steps=grade.steps, verdict="blank", core_version=problems.CORE_VERSION
    )  # fmt: skip
    assert refresh(again).steps == grade.steps
