"""Bar charts, in the units of an SVG's own view box. Each chart has its table."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

# A chart's size, in the units of its viewBox.
WIDTH, HEIGHT, HEAD, FOOT = 480, 160, 34, 22
# The height of every bar whose count is suppressed.
HIDDEN_HEIGHT = 12
# The space that a line's label takes on either side.
LABEL_ROOM = 60


@dataclass(frozen=True)
class Bin:
    """A range of values, open at its end or not, with its count; None if that is suppressed."""

    low: float
    high: float
    count: int | None
    is_open: bool = False

    @property
    def label(self) -> str:
        return f"{self.low:g}"

    @property
    def range(self) -> str:
        if self.is_open:
            return _("%(count)s or more") % {"count": self.label}
        return _("%(low)s to %(high)s") % {"low": self.label, "high": f"{self.high:g}"}


@dataclass(frozen=True)
class Bar:
    """A bin as it is drawn."""

    bin: Bin
    x: float
    y: float
    width: float
    height: float
    middle: float
    far: bool


@dataclass(frozen=True)
class Chart:
    """A bar chart. Bars beyond the line are marked as being on its far side."""

    title: str
    says: str
    unit: str
    of_what: str
    bars: Sequence[Bar]
    line: float | None
    line_label: str
    width: int = WIDTH
    height: int = HEIGHT + FOOT
    base: int = HEIGHT

    @property
    def is_line_label_before(self) -> bool:
        """Whether the line's label has to end at the line, for lack of room on its right."""
        return self.line is not None and self.line > WIDTH - LABEL_ROOM


def build_chart(
    bins: Sequence[Bin],
    *,
    title: str,
    says: str,
    unit: str,
    of_what: str,
    at: float,
    line_label: str,
    far_is_beyond: bool,
) -> Chart:
    """Return a bar chart; a line is drawn at `at` if that lies within the bins."""
    width = WIDTH / len(bins)
    most = max(each.count or 0 for each in bins) or 1
    low, high = bins[0].low, bins[-1].high
    bars = []
    for n, each in enumerate(bins):
        height = HIDDEN_HEIGHT if each.count is None else (HEIGHT - HEAD) * each.count / most
        beyond = each.low >= at
        bars.append(
            Bar(
                bin=each,
                x=round(n * width + 2, 1),
                y=round(HEIGHT - height, 1),
                width=round(width - 4, 1),
                height=round(height, 1),
                middle=round((n + 0.5) * width, 1),
                far=beyond if far_is_beyond else not beyond and each.high <= at,
            )
        )
    place = round(WIDTH * (at - low) / (high - low), 1) if low < at < high else None
    return Chart(title, says, unit, of_what, bars, place, line_label)
