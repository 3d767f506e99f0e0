"""Statistics of a quiz's questions, without counts that would reveal few people. No database.

Each student took the quiz once; a *question* is what was asked, and not all were asked the same.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import StatisticsError, correlation, fmean, quantiles
from typing import NamedTuple

from design.charts import Bin
from quizzes.problems import verdicts

# Counts of fewer people are never published.
MIN_GROUP = 5
# Nothing is suppressed for readers who see every mark.
NO_MINIMUM = 1
# With fewer students a correlation means nothing: it lies anywhere within ± 0.4 by chance.
MIN_TO_CORRELATE = 20
# With fewer students a third of them is too few to compare with another third.
MIN_TO_SPLIT = 15
# Bins that a chart has room for.
MAX_BINS = 12
SCORE_BINS = 10
# Possible widths of a bin of times, in minutes.
BIN_WIDTHS = (1, 2, 5, 10, 15, 30, 60, 120, 240, 480, 1440)

# The results of an answer as a whole.
ALL, SOME, NONE, BLANK = "all", "some", "none", "blank"


class StepOutcome(NamedTuple):
    """One step of an answer: its verdict, the named mistake, and the points it cost."""

    step: str
    verdict: str
    mistake: str
    lost: float


class Answered(NamedTuple):
    """One student's answer to a question.

    `rest_points` of `rest_out_of` are those of all other questions of the same attempt. `chosen` is
    the key of the choice, of concept questions only.
    """

    points: float
    out_of: float
    verdict: str
    outcomes: tuple[StepOutcome, ...]
    position: int = 0
    chosen: str = ""
    rest_points: float = 0.0
    rest_out_of: float = 0.0


@dataclass(frozen=True)
class SafeCounts[Key: Hashable]:
    """Counts that may be published; the suppressed ones are known only as their sum."""

    shown: Mapping[Key, int]
    kept: frozenset[Key] = frozenset()
    together: int = 0


def suppress_small_counts[Key: Hashable](
    counts: Mapping[Key, int], unsaid: frozenset[Key] = frozenset(), fewest: int = MIN_GROUP
) -> SafeCounts[Key]:
    """Suppress counts of fewer than `fewest` people, and those of the keys `unsaid`.

    The counts exclude one another. A suppressed count must not follow from the total: if the
    suppressed ones are fewer people even together, the next smallest count is suppressed too.

    >>> suppress_small_counts({"right": 20, "unscaled": 6, "blank": 2}).shown
    {'right': 20}
    >>> suppress_small_counts({"right": 20, "unscaled": 3, "blank": 2}).together
    5
    >>> counts = {"anything else": 20, "unscaled": 6, "doubled": 2}
    >>> suppress_small_counts(counts, frozenset({"anything else"})).shown
    {'unscaled': 6}
    """
    kept = {key for key, count in counts.items() if key in unsaid or 0 < count < fewest}
    together = sum(counts[key] for key in kept)
    for key in sorted(counts.keys() - kept, key=lambda key: counts[key]):
        if not 0 < together < fewest:
            break
        if counts[key]:
            kept.add(key)
            together += counts[key]
    shown = {key: count for key, count in counts.items() if key not in kept}
    return SafeCounts(shown, frozenset(kept), together)


@dataclass(frozen=True)
class Mistake:
    """A mistake at a step: how many made it, their share of those asked, and its cost in points.

    `in_weakest` and `in_best` are the shares in two thirds of the students (`thirds`).
    """

    step: str
    key: str
    count: int
    share: float
    lost: float
    in_weakest: float | None = None
    in_best: float | None = None


@dataclass(frozen=True)
class Figures:
    """The figures of a question; None where one would reveal few people, or means nothing.

    Attributes:
        facility: the mean share of its points that was earned.
        discrimination: the correlation of this share with that of all other questions.
        omission: the share that left it blank.
        mistakes: those that may be published, the costliest first.
        is_constant: whether everybody earned the same, so that nothing can correlate with it.
        facility_within, omission_within: where the figure itself would reveal too much, an
            interval that five students fit into.
    """

    asked: int
    facility: float | None = None
    discrimination: float | None = None
    omission: float | None = None
    mistakes: tuple[Mistake, ...] = ()
    is_constant: bool = False
    facility_within: tuple[float, float] | None = None
    omission_within: tuple[float, float] | None = None


def question_figures(
    answers: Sequence[Answered], fewest: int = MIN_GROUP, *, with_mistakes: bool = True
) -> Figures:
    """Return the figures of a question from its answers, one per student who was asked it."""
    worth = [each for each in answers if each.out_of > 0]
    if len(worth) < fewest:
        return Figures(len(worth))
    one_step = all(len(each.outcomes) == 1 for each in worth)
    counted = _counted(map(_by_mistake if one_step else _as_a_whole, worth))
    whole = suppress_small_counts(counted, fewest=fewest)
    # Without the count of the right ones their share must be suppressed too. Those who earned
    # nothing may be split in any way.
    facility_tells = whole.kept - {NONE, BLANK} if not one_step else whole.kept & {ALL, SOME}
    shares = [each.points / each.out_of for each in worth]
    blank = fmean(each.verdict == verdicts.BLANK for each in worth)
    hides_blank = BLANK in whole.kept
    return Figures(
        asked=len(worth),
        facility=None if facility_tells else fmean(shares),
        facility_within=interval_around(fmean(shares), len(worth)) if facility_tells else None,
        discrimination=discrimination(worth),
        omission=None if hides_blank else blank,
        omission_within=interval_around(blank, len(worth)) if hides_blank else None,
        mistakes=_mistakes(worth, whole if one_step else None, fewest) if with_mistakes else (),
        is_constant=is_constant(shares),
    )


def interval_around(share: float, count: int) -> tuple[float, float]:
    """Return an interval around a share, as wide as five of `count`, but at least a twentieth.

    >>> interval_around(0.98, 114), interval_around(0.4, 12)
    ((0.95, 1.0), (0.0, 0.5))
    """
    parts = max(1, min(20, count // MIN_GROUP))
    place = min(parts - 1, int(share * parts + 1e-9))
    return place / parts, (place + 1) / parts


def discrimination(answers: Sequence[Answered]) -> float | None:
    """Return the correlation of the share earned in a question with that in all the others."""
    pairs = [
        (each.points / each.out_of, each.rest_points / each.rest_out_of)
        for each in answers
        if each.out_of > 0 and each.rest_out_of > 0
    ]
    if len(pairs) < MIN_TO_CORRELATE:
        return None
    own, rest = zip(*pairs, strict=True)
    return pearson_correlation(own, rest)


# The parts of one student that belong to the weakest and to the best third.
type Thirds = tuple[float, float]


def thirds(answers: Sequence[Answered]) -> list[Thirds] | None:
    """Return for each answer how much of it belongs to the weakest third, and to the best.

    Students are ordered by the share earned in all other questions of the attempt. Those with equal
    shares at the edge of a third belong to it in equal parts. None for fewer than `MIN_TO_SPLIT`.

    >>> found = thirds([Answered(1, 1, "right", (), 0, "", n, 20) for n in range(15)])
    >>> found[4], found[5], found[10]
    ((1.0, 0.0), (0.0, 0.0), (0.0, 1.0))
    """
    if len(answers) < MIN_TO_SPLIT or not all(each.rest_out_of for each in answers):
        return None
    shares = [round(each.rest_points / each.rest_out_of, 9) for each in answers]
    ordered, size = sorted(shares), len(shares) / 3
    parts = {}
    for share in set(shares):
        below, up_to = bisect_left(ordered, share), bisect_right(ordered, share)
        equal, above = up_to - below, len(shares) - up_to
        parts[share] = tuple(min(1.0, max(0.0, (size - rest) / equal)) for rest in (below, above))
    return [parts[share] for share in shares]


def share_in_thirds(
    places: Iterable[int], parts: Sequence[Thirds] | None
) -> tuple[float | None, float | None]:
    """Return the share of the answers at these places in the weakest and in the best third.

    `parts` are those of all answers; without them nothing is known.
    """
    if parts is None:
        return None, None
    own = [parts[place] for place in places]
    weakest, best = (math.fsum(each[end] for each in own) / (len(parts) / 3) for end in (0, 1))
    return weakest, best


def pearson_correlation(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Pearson's correlation; None where either is constant.

    >>> round(pearson_correlation([0, 1, 1], [0.2, 0.4, 0.6]), 6)
    0.866025
    >>> pearson_correlation([1, 1, 1], [0, 1, 2]) is None
    True
    """
    if is_constant(first) or is_constant(second):
        return None
    try:
        found = correlation(first, second)
    except (StatisticsError, ZeroDivisionError):
        return None
    return max(-1.0, min(1.0, found)) if math.isfinite(found) else None


def is_constant(values: Sequence[float]) -> bool:
    """Return whether all values are the same, up to rounding.

    >>> is_constant([0.1 + 0.2, 0.3])
    True
    """
    return not values or max(values) - min(values) <= 1e-9


def _counted(keys: Iterable[Hashable]) -> dict[Hashable, int]:
    counts: dict[Hashable, int] = {}
    for key in keys:
        counts[key] = counts.get(key, 0) + 1
    return counts


def _as_a_whole(answer: Answered) -> str:
    if answer.verdict == verdicts.BLANK:
        return BLANK
    if answer.points >= answer.out_of - 1e-9:
        return ALL
    return SOME if answer.points > 0 else NONE


def _by_mistake(answer: Answered) -> Hashable:
    (step,) = answer.outcomes
    if step.verdict == verdicts.MISTAKE and step.mistake:
        return step.step, step.mistake
    return _as_a_whole(answer)


def _mistakes(
    answers: Sequence[Answered], whole: SafeCounts[Hashable] | None, fewest: int
) -> tuple[Mistake, ...]:
    """Return the mistakes by step, at which each answer has one outcome: a mistake or another."""
    lost: dict[tuple[str, str], float] = {}
    made: dict[tuple[str, str], list[int]] = {}
    counts: dict[str, dict[tuple[str, str], int]] = {}
    for place, answer in enumerate(answers):
        for step, verdict, mistake, points in answer.outcomes:
            named = verdict == verdicts.MISTAKE and mistake
            key = (step, mistake if named else "")
            at = counts.setdefault(step, {})
            at[key] = at.get(key, 0) + 1
            if named:
                lost[key] = lost.get(key, 0.0) + points
                made.setdefault(key, []).append(place)
    # Thirds are small groups: they are only for readers who see every mark.
    parts = thirds(answers) if made and fewest == NO_MINIMUM else None
    found = [
        Mistake(*key, count, count / len(answers), lost[key], *share_in_thirds(made[key], parts))
        for step, at in counts.items()
        for key, count in (
            whole or suppress_small_counts(at, frozenset({(step, "")}), fewest)
        ).shown.items()
        if isinstance(key, tuple) and key[1]
    ]
    return tuple(sorted(found, key=lambda each: (-each.lost, -each.count, each.step, each.key)))


# Distributions


@dataclass(frozen=True)
class Distribution:
    """A histogram of values with its quantiles, as far as these may be published."""

    count: int
    bins: tuple[Bin, ...] = ()
    together: int = 0
    mean: float | None = None
    median: float | None = None
    lower: float | None = None
    upper: float | None = None

    @property
    def is_published(self) -> bool:
        return any(each.count for each in self.bins)


def distribution(
    values: Sequence[float],
    edges: Sequence[float],
    fewest: int = MIN_GROUP,
    *,
    is_open: bool = False,
) -> Distribution:
    """Return the distribution of values in bins between these edges.

    The last bin takes all larger values; with `is_open` it is marked as open.

    >>> found = distribution([10] * 6 + [95] * 7, [0, 50, 100])
    >>> [each.count for each in found.bins], found.median
    ([6, 7], 95.0)
    """
    if len(values) < fewest:
        return Distribution(len(values))
    last = len(edges) - 2
    counts = dict.fromkeys(range(last + 1), 0)
    for value in values:
        place = next((n for n in range(last) if value < edges[n + 1] - 1e-9), last)
        counts[place] += 1
    safe = suppress_small_counts(counts, fewest=fewest)
    # With few values a quartile is one person's own.
    has_quartiles = fewest == NO_MINIMUM or len(values) >= MIN_TO_CORRELATE
    lower, median, upper = quantiles(values, n=4, method="inclusive")
    return Distribution(
        count=len(values),
        bins=tuple(
            Bin(edges[n], edges[n + 1], safe.shown.get(n), is_open=is_open and n == last)
            for n in counts
        ),
        together=safe.together,
        mean=fmean(values),
        median=median,
        lower=lower if has_quartiles else None,
        upper=upper if has_quartiles else None,
    )


def score_edges() -> list[float]:
    """Return the edges of the bins of scores, in per cent."""
    return [100 / SCORE_BINS * n for n in range(SCORE_BINS + 1)]


def time_edges(minutes: Sequence[float]) -> list[float]:
    """Return the edges of the bins of times, wide enough for 95% of them.

    >>> time_edges([3, 8, 22])
    [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24]
    """
    ordered = sorted(minutes)
    # A few pages left open for days must not press all others into one bin.
    most = ordered[math.ceil(0.95 * (len(ordered) - 1))] if ordered else 0
    width = next((width for width in BIN_WIDTHS if most < width * MAX_BINS), BIN_WIDTHS[-1])
    count = max(2, min(MAX_BINS, int(most // width) + 1))
    return [width * n for n in range(count + 1)]


def group_by_question[Key: Hashable](
    attempts: Iterable[Mapping[Key, Answered]],
) -> dict[Key, list[Answered]]:
    """Group the answers by question, each with the points of its attempt's other questions."""
    found: dict[Key, list[Answered]] = {}
    for answers in attempts:
        points = math.fsum(each.points for each in answers.values())
        out_of = math.fsum(each.out_of for each in answers.values())
        for key, each in answers.items():
            rest = (points - each.points, out_of - each.out_of)
            found.setdefault(key, []).append(Answered(*each[:-2], *rest))
    return found
