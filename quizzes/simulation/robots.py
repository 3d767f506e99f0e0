"""Simulated students: their answers to a quiz, and the summary. Nothing here is stored.

Robots answer freshly drawn problems, and the marker that marks students marks them. They take the
questions in order; questions not finished when the time is over count as blank.
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from statistics import median
from typing import Any

from quizzes import problems
from quizzes.passing import is_passed

ROBOTS = 200
# Proving one takes up to a tenth of a second, and several robots on one give as good a result.
VARIANTS = 20
SCORE_BIN = 10
MINUTES_BIN = 2
# An item says little if this share of its points goes to all, or this share leave it blank.
CEILING = 0.95
MANY_BLANK = 0.2
# The share of points from which a score counts as the top.
TOP_SCORE = 95

type Part = dict[str, Any]


def robots_for(asked: Mapping[str, Any], seed: str) -> list[problems.Robot]:
    """Return the same robots for every slot of a simulation."""
    families = {(slot["family"], slot.get("version")) for slot in asked["slots"] if slot["family"]}
    return problems.make_typical_robots(ROBOTS, families, seed)


def simulate_problem(slot: Mapping[str, Any], robots: Sequence[problems.Robot], seed: str) -> Part:
    """Return the robots' results in a slot that asks for a family.

    Raises:
        UnknownKind: it cannot be drawn.
    """
    kind = problems.kind_of(slot["family"], slot["options"], slot.get("version"))
    seeds = [f"{seed}/{slot['position']}/{n}" for n in range(VARIANTS)]
    variants = problems.draw_samples(kind, seeds)
    shares = [list(range(n, len(robots), len(variants))) for n in range(len(variants))]
    worked, answers = {}, {}
    for variant, share, own in zip(variants, shares, seeds, strict=True):
        tries = problems.robot_answers(variant, [(robots[n], f"{own}/{n}") for n in share])
        for n, tried in zip(share, tries, strict=True):
            worked[n] = tried
            answers[n] = (variant, tried.answers, slot["points"])
    order = range(len(robots))
    marks = problems.mark_numeric([answers[n] for n in order])
    counts = {}
    for known in problems.mistakes_of(variants[0]):
        made = [n for n in order if worked[n].made.get(known.step) == known.key]
        named = sum(
            any(step["key"] == known.step and step["mistake"] == known.key for step in mark.steps)
            for mark in (marks[n] for n in made)
        )
        lost = sum(float(marks[n].out_of - marks[n].points) for n in made)
        counts[known.step, known.key] = {
            "step": known.label,
            "mistake": known.key,
            "feedback": known.feedback,
            "made": len(made),
            "named": named,
            "lost": lost / len(made) if made else 0.0,
        }
    return _part([worked[n].seconds for n in order], marks) | {"mistakes": list(counts.values())}


def simulate_question(
    slot: Mapping[str, Any],
    wordings: Sequence[Mapping[str, Any]],
    robots: Sequence[problems.Robot],
    seed: str,
) -> Part:
    """Return the robots' results in a slot that asks one of these concept questions."""
    marks = []
    for n, robot in enumerate(robots):
        wording = wordings[n % len(wordings)]
        raw = problems.robot_choice(robot, wording, f"{seed}/{slot['position']}/{n}")
        marks.append(problems.mark_choice(wording, raw, slot["points"]))
    return _part([problems.CONCEPT_SECONDS * robot.pace for robot in robots], marks)


def _part(seconds: list[float], marks: Sequence[problems.Marked]) -> Part:
    blank = [mark.verdict == problems.verdicts.BLANK for mark in marks]
    return {
        "seconds": [round(each, 1) for each in seconds],
        "points": [round(float(mark.points), 4) for mark in marks],
        "blank": blank,
        "mistakes": [],
    }


def summarize(asked: Mapping[str, Any], parts: Sequence[Part]) -> dict[str, Any]:
    """Return the result of a simulation: scores, times, items and mistakes.

    >>> slots = [{"position": n, "points": 2, "title": "A question"} for n in (1, 2)]
    >>> parts = [
    ...     {"seconds": [30, 90], "points": [2, 2], "blank": [False, False], "mistakes": []},
    ...     {"seconds": [30, 60], "points": [0, 2], "blank": [False, False], "mistakes": []},
    ... ]
    >>> result = summarize({"slots": slots, "minutes": 2, "pass_mark": 60}, parts)
    >>> result["in_time"], result["passed"], [item["facility"] for item in result["items"]]
    (0.5, 0.0, [1.0, 0.0])
    >>> [item["late"] for item in result["items"]]
    [0.0, 0.5]
    """
    limit = 60 * asked["minutes"]
    count = len(parts[0]["seconds"])
    out_of = sum(slot["points"] for slot in asked["slots"])
    # The time at which each robot finishes each item, and its points for it by the limit.
    taken = zip(*(part["seconds"] for part in parts), strict=True)
    ends = list(zip(*(accumulate(own) for own in taken), strict=True))
    earned = [
        [points if end <= limit else 0 for points, end in zip(part["points"], at, strict=True)]
        for part, at in zip(parts, ends, strict=True)
    ]
    scores = [100 * sum(own) / out_of for own in zip(*earned, strict=True)]
    minutes = [end / 60 for end in ends[-1]]
    return {
        "robots": count,
        "minutes": asked["minutes"],
        "pass_mark": asked["pass_mark"],
        "score": median(scores),
        "passed": sum(is_passed(score, 100, asked["pass_mark"]) for score in scores) / count,
        "at_the_top": sum(score >= TOP_SCORE for score in scores) / count,
        "needed": median(minutes),
        "in_time": sum(end <= limit for end in ends[-1]) / count,
        "scores": _binned(scores, SCORE_BIN, last=100 // SCORE_BIN - 1),
        "times": _binned(minutes, MINUTES_BIN, edge=asked["minutes"]),
        "items": [
            _item(slot, part, own, at, limit)
            for slot, part, own, at in zip(asked["slots"], parts, earned, ends, strict=True)
        ],
        "mistakes": [
            {"position": slot["position"], "title": slot["title"], **mistake}
            for slot, part in zip(asked["slots"], parts, strict=True)
            for mistake in part["mistakes"]
        ],
    }


def _item(
    slot: Mapping[str, Any],
    part: Part,
    earned: Sequence[float],
    ends: Sequence[float],
    limit: float,
) -> dict[str, Any]:
    count = len(earned)
    late = sum(end > limit for end in ends) / count
    left = (
        sum(blank and end <= limit for blank, end in zip(part["blank"], ends, strict=True)) / count
    )
    facility = sum(earned) / count / slot["points"]
    return {
        "position": slot["position"],
        "title": slot["title"],
        "points": slot["points"],
        "minutes": median(part["seconds"]) / 60,
        "facility": facility,
        "blank": left,
        "late": late,
        "ceiling": facility >= CEILING,
        "often_blank": left + late >= MANY_BLANK,
    }


def _binned(
    values: Sequence[float], width: int, *, edge: int = 0, last: int | None = None
) -> list[dict[str, int]]:
    """Count the values in each bin, from the first bin that has any to the last.

    >>> _binned([3, 4.5, 7], 2, edge=23)
    [{'from': 3, 'to': 5, 'count': 2}, {'from': 5, 'to': 7, 'count': 0}, \
{'from': 7, 'to': 9, 'count': 1}]

    Args:
        edge: where one of the bins begins.
        last: the place of the last bin, which takes all that is above; then the first is at 0.
    """
    offset = edge % width
    places = [int((value - offset) // width) for value in values]
    if last is not None:
        places = [min(place, last) for place in places]
    first, end = (0, last) if last is not None else (min(places), max(places))
    return [
        {
            "from": max(0, width * place + offset),
            "to": width * (place + 1) + offset,
            "count": places.count(place),
        }
        for place in range(first, end + 1)
    ]
