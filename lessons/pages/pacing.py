"""Reading times: a lesson's minutes shared between its sections."""

import re
from collections.abc import Sequence

from lessons import widgets
from lessons.markdown.parsing import fences_in, without_fences

# Reading time of a formula and of a widget, in words of prose.
WORDS_A_FORMULA = 40
WORDS_A_WIDGET = 150

_FORMULA = re.compile(r"\$\$.*?\$\$", re.S)


def section_minutes(bodies: Sequence[str], minutes: int) -> list[int]:
    """Return the minutes of each section: the lesson's, shared by words, formulas and widgets.

    The author sets the whole; a section takes at least a minute.
    """
    weights = [_weight(body) for body in bodies]
    whole = sum(weights) or 1
    return [max(1, round(minutes * weight / whole)) for weight in weights]


def _weight(body: str) -> int:
    figures = sum(name in widgets.names() for name, _content in fences_in(body))
    prose, formulas = _FORMULA.subn(" ", without_fences(body))
    return len(prose.split()) + formulas * WORDS_A_FORMULA + figures * WORDS_A_WIDGET
