"""A student's own reports on a page's questions, with the answers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from quizzes.models import MAX_SENTENCE_LENGTH, Report

# A rejected sentence is handed back no longer than this.
MAX_SHOWN_LENGTH = 20 * MAX_SENTENCE_LENGTH


@dataclass(frozen=True)
class OwnReport:
    """The part below a question for reporting it, folded at first.

    Attributes:
        sentence: the text of the open report, or the rejected input.
        answered: earlier reports with their answers.
        trouble: why the input was rejected.
    """

    position: int
    sentence: str = ""
    is_open: bool = False
    answered: tuple[Report, ...] = ()
    trouble: str = ""
    longest: int = MAX_SENTENCE_LENGTH

    @property
    def has_content(self) -> bool:
        """Return whether there is more to read than the offer to report."""
        return bool(self.is_open or self.answered or self.trouble)


@dataclass(frozen=True)
class RejectedReport:
    """A rejected report: its position, the input, and the reason."""

    position: int
    typed: str
    trouble: str
    status: int


def own_reports(
    positions: Iterable[int], reports: Sequence[Report], refused: RejectedReport | None = None
) -> dict[int, OwnReport]:
    """Return the part below each question, by position. `reports` are from `read_reports`."""
    return {position: _own_report(position, reports, refused) for position in positions}


def _own_report(
    position: int, reports: Sequence[Report], refused: RejectedReport | None
) -> OwnReport:
    here = [report for report in reports if report.position == position]
    waits = next((report for report in here if report.is_open), None)
    own = OwnReport(
        position,
        sentence=waits.sentence if waits else "",
        is_open=waits is not None,
        answered=tuple(report for report in here if not report.is_open),
    )
    if refused and refused.position == position:
        return replace(own, sentence=refused.typed[:MAX_SHOWN_LENGTH], trouble=refused.trouble)
    return own


def with_reports[Shown: Any](
    items: Iterable[Shown], reports: Mapping[int, OwnReport]
) -> list[Shown]:
    """Return a page's items, each with its report part."""
    return [replace(item, report=reports.get(item.position)) for item in items]
