"""Fixtures of problems that instructors wrote."""

import pytest

from tests.quizzes.written.rows import publish_row
from tests.world import make_quiz


@pytest.fixture
def exam(ines):
    """A quiz that asks the problem, which is open to all."""
    row = publish_row(owner=ines, site=True)
    return make_quiz("written", {"family": row.key, "family_version": 1})
