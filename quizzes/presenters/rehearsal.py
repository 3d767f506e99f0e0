"""What the page of a dress rehearsal shows: charts with their tables, items, mistakes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from quizzes.models import Rehearsal
from quizzes.presenters.texts import line
from quizzes.problems import CONCEPT_SECONDS, MIDDLING, TYPICAL_PACE
from quizzes.rehearsal import ROBOTS, TOP, VARIANTS

# Of a chart, in the units of its viewBox.
WIDTH, HEIGHT, HEAD, FOOT = 480, 160, 34, 22


@dataclass(frozen=True)
class Bar:
    """One bin of a chart."""

    x: float
    y: float
    width: float
    height: float
    middle: float
    label: str
    range: str
    count: int
    far: bool


@dataclass(frozen=True)
class Chart:
    """How many robots lie in each bin; bars from the line on are on its far side."""

    title: str
    says: str
    unit: str
    bars: Sequence[Bar]
    line: float | None
    line_says: str
    width: int = WIDTH
    height: int = HEIGHT + FOOT
    base: int = HEIGHT


@dataclass(frozen=True)
class Shown:
    """The rehearsal under way, and the last one that is over; either may be missing."""

    waiting: Rehearsal | None
    slots: int
    over: Rehearsal | None
    changed: bool
    result: Mapping[str, Any] | None
    summary: Sequence[str]
    charts: Sequence[Chart]
    assumed: Sequence[str]


def shown_rehearsal(rehearsals: Sequence[Rehearsal], now: Mapping[str, Any]) -> Shown:
    """What to show of these, the latest first, of a quiz that now asks so."""
    of_state = Rehearsal.State
    waiting = next((each for each in rehearsals if each.state == of_state.WAITING), None)
    over = next((each for each in rehearsals if each.state != of_state.WAITING), None)
    result = over.result if over else None
    return Shown(
        waiting=waiting,
        slots=len(waiting.asked["slots"]) if waiting else 0,
        over=over,
        changed=bool(over and over.asked != now),
        result=result and _in_words(result),
        summary=_summary(result) if result else (),
        charts=_charts(result) if result else (),
        assumed=_assumed(),
    )


def _percent(share: float) -> str:
    return _("%(percent).0f %%") % {"percent": 100 * share}


def _minutes(minutes: float) -> str:
    return _("%(minutes).1f min") % {"minutes": minutes}


def _in_words(result: Mapping[str, Any]) -> dict[str, Any]:
    """Items and mistakes with their numbers as texts; mistakes under the slot they belong to."""
    items = [
        {
            "position": item["position"],
            "title": item["title"],
            "minutes": _minutes(item["minutes"]),
            "facility": _percent(item["facility"]),
            "share": round(100 * item["facility"]),
            "blank": _percent(item["blank"]),
            "late": _percent(item["late"]),
            "notes": _notes(item),
            "mistakes": [
                _mistake(each)
                for each in result["mistakes"]
                if each["position"] == item["position"]
            ],
            "out_of": item["points"],
        }
        for item in result["items"]
    ]
    return {"items": items, "asking": [item for item in items if item["mistakes"]]}


def _mistake(known: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **known,
        "step": line(known["step"]),
        "feedback": line(known["feedback"]),
        "lost": f"{known['lost']:.2f}",
        "unnamed": known["named"] < known["made"],
    }


def _notes(item: Mapping[str, Any]) -> list[str]:
    notes = []
    if item["ceiling"]:
        notes.append(_("nearly everybody has it right"))
    if item["often_blank"]:
        notes.append(_("often left blank"))
    return notes


def _summary(result: Mapping[str, Any]) -> list[str]:
    late = [item for item in result["items"] if item["often_blank"]]
    told = {
        "score": result["score"],
        "passed": _percent(result["passed"]),
        "mark": result["pass_mark"],
        "needed": _minutes(result["needed"]),
        "limit": result["minutes"],
        "in_time": _percent(result["in_time"]),
        "top": TOP,
        "at_the_top": _percent(result["at_the_top"]),
    }
    lines = [
        _("The middle score is %(score).0f %%; %(passed)s reach the pass mark of %(mark)s %%.")
        % told,
        _("The middle robot needs %(needed)s of %(limit)s; %(in_time)s finish in time.") % told,
        _("%(at_the_top)s have %(top)s %% or more, where better ones cannot be told apart.") % told,
    ]
    if late:
        slots = ", ".join(str(item["position"]) for item in late)
        words = _("One in five or more leave these slots blank, or never reach them: %(slots)s.")
        lines.append(words % {"slots": slots})
    return lines


def _charts(result: Mapping[str, Any]) -> list[Chart]:
    return [
        _chart(
            result["scores"],
            title=_("Scores"),
            says=_("How many robots earned which share of the points"),
            unit=_("Per cent of the points"),
            at=result["pass_mark"],
            line_says=_("pass mark"),
            far_is_beyond=False,
        ),
        _chart(
            result["times"],
            title=_("Times"),
            says=_("How many robots would need how many minutes to finish"),
            unit=_("Minutes"),
            at=result["minutes"],
            line_says=_("time is over"),
            far_is_beyond=True,
        ),
    ]


def _chart(
    bins: Sequence[Mapping[str, int]],
    *,
    title: str,
    says: str,
    unit: str,
    at: float,
    line_says: str,
    far_is_beyond: bool,
) -> Chart:
    """Bars side by side; the line stands where `at` lies among them, if it does."""
    width = WIDTH / len(bins)
    most = max(each["count"] for each in bins) or 1
    low, high = bins[0]["from"], bins[-1]["to"]
    bars = []
    for n, each in enumerate(bins):
        height = (HEIGHT - HEAD) * each["count"] / most
        beyond = each["from"] >= at
        bars.append(
            Bar(
                x=round(n * width + 2, 1),
                y=round(HEIGHT - height, 1),
                width=round(width - 4, 1),
                height=round(height, 1),
                middle=round((n + 0.5) * width, 1),
                label=str(each["from"]),
                range=_("%(low)s to %(high)s") % {"low": each["from"], "high": each["to"]},
                count=each["count"],
                far=beyond if far_is_beyond else not beyond and each["to"] <= at,
            )
        )
    place = round(WIDTH * (at - low) / (high - low), 1) if low < at < high else None
    return Chart(title, says, unit, bars, place, line_says)


def _assumed() -> list[str]:
    told = {
        "robots": ROBOTS,
        "variants": VARIANTS,
        "pace": TYPICAL_PACE,
        "seconds": CONCEPT_SECONDS,
    }
    return [
        _(
            "%(robots)s robots. Each problem has %(variants)s fresh variants, drawn from the "
            "numbers that practice may show: no number of an exam is spent, and no attempt is made."
        )
        % told,
        _(
            "Abilities are spread as a normal distribution is. The best sixth holds no "
            "misconception, the next third one, the next third two, the worst sixth three. They "
            "are dealt out in turn from all mistakes that the quiz’s families know, so each is met."
        ),
        _(
            "Where a robot holds a misconception, it always makes that mistake, and goes on from "
            "what it got. A middling one slips in %(slips).0f %% of the cells, gives up "
            "%(blanks).0f %% of the steps, and knows %(knows).0f %% of the concept questions; "
            "otherwise it chooses any answer. Better ones do so less often, worse ones more."
        )
        % MIDDLING,
        _(
            "A typical student takes %(pace)s times what a practised one takes who never errs, "
            "give or take a fifth; that one takes %(seconds)s seconds for a concept question."
        )
        % told,
        _(
            "Questions are answered in order. What is not finished when the time is over counts as "
            "blank. Real students skip, guess and hurry; their times will say more than this."
        ),
    ]
