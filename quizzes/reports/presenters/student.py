"""What a student reported of the questions on a page, and what they were answered."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from quizzes.models import LONGEST_SENTENCE, Report

# A sentence that nobody should have to read to the end is handed back no longer than this.
LONGEST_SHOWN = 20 * LONGEST_SENTENCE


@dataclass(frozen=True)
class OwnReport:
    """What stands below a question, folded until it is wanted.

    Attributes:
        sentence: what was reported and is not answered yet, or what was typed in vain.
        answered: earlier reports with their answers.
        trouble: why what was typed was not taken.
    """

    position: int
    sentence: str = ""
    is_open: bool = False
    answered: tuple[Report, ...] = ()
    trouble: str = ""
    longest: int = LONGEST_SENTENCE

    @property
    def says_something(self) -> bool:
        """Is there more to read than the offer to report?"""
        return bool(self.is_open or self.answered or self.trouble)


@dataclass(frozen=True)
class Refused:
    """A report that was not taken: where, what was typed, and why."""

    position: int
    typed: str
    trouble: str
    status: int


def own_reports(
    positions: Iterable[int], reports: Sequence[Report], refused: Refused | None = None
) -> dict[int, OwnReport]:
    """What stands below each question, by its position; the reports are `reported.reports_on`."""
    return {position: _own_report(position, reports, refused) for position in positions}


def _own_report(position: int, reports: Sequence[Report], refused: Refused | None) -> OwnReport:
    here = [report for report in reports if report.position == position]
    waits = next((report for report in here if report.is_open), None)
    own = OwnReport(
        position,
        sentence=waits.sentence if waits else "",
        is_open=waits is not None,
        answered=tuple(report for report in here if not report.is_open),
    )
    if refused and refused.position == position:
        return replace(own, sentence=refused.typed[:LONGEST_SHOWN], trouble=refused.trouble)
    return own


def with_reports[Shown: Any](
    items: Iterable[Shown], reports: Mapping[int, OwnReport]
) -> list[Shown]:
    """Items of a page, each with what stands below it."""
    return [replace(item, report=reports.get(item.position)) for item in items]
