"""The page of a simulation: charts with their tables, items, and mistakes."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from design.charts import Bin, Chart, build_chart
from quizzes.items.presenters.texts import format_minutes, format_percent, render_line
from quizzes.models import Rehearsal
from quizzes.problems import AVERAGE_ROBOT, CONCEPT_SECONDS, TYPICAL_PACE
from quizzes.simulation.robots import ROBOTS, TOP_SCORE, VARIANTS


def simulation_context(rehearsals: Sequence[Rehearsal], now: Mapping[str, Any]) -> dict[str, Any]:
    """Return the page of a quiz's simulations, given with the latest first.

    It has the running one and the last finished one; either may be missing. `now` is what the quiz
    asks now.
    """
    of_state = Rehearsal.State
    waiting = next((each for each in rehearsals if each.state == of_state.WAITING), None)
    over = next((each for each in rehearsals if each.state != of_state.WAITING), None)
    result = over.result if over else None
    return {
        "waiting": waiting,
        "slots": len(waiting.asked["slots"]) if waiting else 0,
        "over": over,
        "changed": bool(over and over.asked != now),
        "result": result and _in_words(result),
        "summary": _summary(result) if result else (),
        "charts": _charts(result) if result else (),
        "assumed": _assumptions(),
    }


def _in_words(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return items and mistakes with their numbers as texts, mistakes under their slot."""
    items = [
        {
            **item,
            "minutes": format_minutes(item["minutes"]),
            "facility": format_percent(100 * item["facility"]),
            "share": round(100 * item["facility"]),
            "blank": format_percent(100 * item["blank"]),
            "late": format_percent(100 * item["late"]),
            "notes": _notes(item),
            "mistakes": [
                _mistake(each)
                for each in result["mistakes"]
                if each["position"] == item["position"]
            ],
        }
        for item in result["items"]
    ]
    return {"items": items, "asking": [item for item in items if item["mistakes"]]}


def _mistake(known: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **known,
        "step": render_line(known["step"]),
        "feedback": render_line(known["feedback"]),
        "lost": f"{known['lost']:.2f}",
        "unnamed": known["named"] < known["made"],
    }


def _notes(item: Mapping[str, Any]) -> list[str]:
    notes = []
    if item["ceiling"]:
        notes.append(_("nearly everyone gets it right"))
    if item["often_blank"]:
        notes.append(_("often left blank"))
    return notes


def _summary(result: Mapping[str, Any]) -> list[str]:
    late = [item for item in result["items"] if item["often_blank"]]
    figures = {
        "score": result["score"],
        "passed": format_percent(100 * result["passed"]),
        "mark": result["pass_mark"],
        "needed": format_minutes(result["needed"]),
        "limit": result["minutes"],
        "in_time": format_percent(100 * result["in_time"]),
        "top": TOP_SCORE,
        "at_the_top": format_percent(100 * result["at_the_top"]),
    }
    lines = [
        _("The median score is %(score).0f%%. %(passed)s reach the pass mark of %(mark)s%%.")
        % figures,
        _(
            "The median robot needs %(needed)s of the %(limit)s available. "
            "%(in_time)s of the robots finish in time."
        )
        % figures,
        _(
            "%(at_the_top)s of the robots score %(top)s%% or more, so the quiz can’t "
            "tell them apart."
        )
        % figures,
    ]
    if late:
        slots = ", ".join(str(item["position"]) for item in late)
        words = _(
            "At least one robot in five leaves these slots blank or never reaches them: %(slots)s."
        )
        lines.append(words % {"slots": slots})
    return lines


def _charts(result: Mapping[str, Any]) -> list[Chart]:
    return [
        build_chart(
            _bins(result["scores"]),
            of_what=_("Robots"),
            title=_("Scores"),
            says=_("Number of robots by percentage of points"),
            unit=_("Percentage of points"),
            at=result["pass_mark"],
            line_label=_("pass mark"),
            far_is_beyond=False,
        ),
        build_chart(
            _bins(result["times"]),
            of_what=_("Robots"),
            title=_("Times"),
            says=_("Number of robots by minutes needed to finish"),
            unit=_("Minutes"),
            at=result["minutes"],
            line_label=_("time is up"),
            far_is_beyond=True,
        ),
    ]


def _bins(bins: Sequence[Mapping[str, int]]) -> list[Bin]:
    return [Bin(each["from"], each["to"], each["count"]) for each in bins]


def _assumptions() -> list[str]:
    figures = {
        "robots": ROBOTS,
        "variants": VARIANTS,
        "pace": TYPICAL_PACE,
        "seconds": CONCEPT_SECONDS,
    }
    return [
        _(
            "%(robots)s robots. Each problem has %(variants)s new variants from the practice"
            " numbers. No quiz numbers are used up, and no attempts are recorded."
        )
        % figures,
        _(
            "Abilities follow a normal distribution. The best sixth has no "
            "misconceptions, the next third has one, the next third two and the "
            "weakest sixth three. Misconceptions are assigned in turn from all "
            "the mistakes the quiz’s families recognise, so each one occurs."
        ),
        _(
            "A robot with a misconception always makes that mistake and carries on from its"
            " result. An average robot slips in %(slips).0f%% of cells, skips %(blanks).0f%% of"
            " steps, and"
            " knows %(knows).0f%% of the concept questions; otherwise it guesses. Stronger"
            " robots slip and"
            " skip less often, weaker ones more."
        )
        % AVERAGE_ROBOT,
        _(
            "A typical student takes %(pace)s times as long as a practised student who makes no"
            " mistakes, give or take a fifth. The practised student takes %(seconds)s seconds for"
            " a concept"
            " question."
        )
        % figures,
        _(
            "Questions are answered in order. Anything unfinished when time runs out counts as"
            " blank. Real students skip, guess and hurry, so their times will tell you more."
        ),
    ]
