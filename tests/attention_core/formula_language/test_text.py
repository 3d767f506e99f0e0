"""Lines of a text are used, or refused with their place."""

import pytest

from attention_core.errors import FormulaError
from attention_core.formulas import read
from tests.each import each


@each(
    "line, place",
    [
        ("x: tenths(3)\n    text: three numbers\nmu = mean(x)", (2, 5)),
        ("x: tenths(3)\nmu = mean(x)\n    choices: tokens", (3, 5)),
        ("x: tenths(3)\nmu = mean(x)\n    nudge: Add them up.", (3, 5)),
    ],
)
def test_a_line_that_nothing_reads_is_refused(line, place):
    with pytest.raises(FormulaError, match="Here an indented line can begin with") as caught:
        read(line, "refused")
    assert (caught.value.line, caught.value.column) == place
