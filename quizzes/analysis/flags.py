"""Questions that deserve a look, by their figures. No database."""

import math
from enum import StrEnum

from quizzes.analysis.statistics import MIN_TO_CORRELATE, Figures

# Of fewer students no share is flagged; discrimination needs `MIN_TO_CORRELATE`.
MIN_TO_FLAG = 10
HARD_BELOW, EASY_ABOVE, BLANK_FROM = 0.2, 0.95, 2 / 3


class Flag(StrEnum):
    """A reason to look at a question, the most serious first."""

    NEGATIVE = "negative"
    HARD = "hard"
    BLANK = "blank"
    EASY = "easy"


def flags_of(figures: Figures) -> list[Flag]:
    """Return the reasons to look at a question; figures that are suppressed give none.

    >>> flags_of(Figures(114, facility=0.1, discrimination=-0.2, omission=0.0))
    [<Flag.NEGATIVE: 'negative'>, <Flag.HARD: 'hard'>]
    >>> flags_of(Figures(9, facility=0.0, omission=1.0))
    []
    """
    if figures.asked < MIN_TO_FLAG:
        return []
    facility, omission = figures.facility, figures.omission
    correlates = figures.asked >= MIN_TO_CORRELATE and figures.discrimination is not None
    found = {
        Flag.NEGATIVE: correlates and figures.discrimination < -1e-9,
        Flag.HARD: facility is not None and facility < HARD_BELOW - 1e-9,
        Flag.BLANK: omission is not None and omission > BLANK_FROM - 1e-9,
        Flag.EASY: facility is not None and facility > EASY_ABOVE + 1e-9,
    }
    return [flag for flag, applies in found.items() if applies]


def urgency(figures: Figures) -> float:
    """Return how much a question stands out, by which questions are sorted.

    A discrimination below 0 weighs by its distance from 0 in standard errors, since that of few
    students may be chance; a share by its distance from the limit. An easy question comes last.

    >>> found = Figures(100, 0.5, -0.3), Figures(25, 0.5, -0.3), Figures(100, 0.97, 0.1)
    >>> [round(urgency(each), 2) for each in found]
    [3.0, 1.5, 0.0]
    """
    flags, found = flags_of(figures), [0.0]
    if Flag.NEGATIVE in flags:
        found.append(-(figures.discrimination or 0) * math.sqrt(figures.asked))
    if Flag.HARD in flags:
        found.append(2 + (HARD_BELOW - (figures.facility or 0)) / HARD_BELOW)
    if Flag.BLANK in flags:
        found.append(2 + ((figures.omission or 0) - BLANK_FROM) / (1 - BLANK_FROM))
    return max(found)
