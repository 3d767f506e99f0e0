"""Every verdict on a step or a cell has its sign and its word."""

import pytest

from attention_core.grading import verdicts
from design.verdicts import SIGNS, WORDS

SAID = {value for name, value in vars(verdicts).items() if name.isupper()}


@pytest.mark.parametrize("said", sorted(SAID - {verdicts.OTHER_CHOICE, verdicts.FIXED}))
def test_what_marking_says_is_shown_by_a_sign_and_a_word(said):
    assert SIGNS[said]
    assert WORDS[said]
