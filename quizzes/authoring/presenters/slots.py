"""The slots of a quiz for its author: their cost, and troubles and warnings about publishing."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isinf
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from design.matrix import format_number
from quizzes import problems
from quizzes.authoring.services import publishing
from quizzes.items.presenters import texts
from quizzes.items.presenters.asked_item import render_preview
from quizzes.models import SLOT_COUNT, Quiz, Sitting, Slot, WrittenProblem

# A warning about more slots than this is shown once above them, not at each of them.
MAX_SLOTS_PER_WARNING = 3
MAX_NAME_LENGTH = 60
# A fixed seed, so that browsers and people find the same example again.
_SEED = "example"


@dataclass(frozen=True)
class SlotPlace:
    """A place on the page, and the slot that it would save."""

    anchor: str
    slot: Slot
    refused: bool
    """Whether something typed there cannot be read, so that its cost is unknown."""


# A sentence, and the places it is about, as (anchor, position).
type Trouble = tuple[str, list[tuple[str, int]]]
# A total as (label, amount, limit, sentence if it is too much).
type Sum = tuple[str, str, str, str]


def slots_context(
    quiz: Quiz, sitting: Sitting, placed: Sequence[SlotPlace], *, anew: bool, at_once: bool
) -> dict[str, Any]:
    """Return what the page shows about the places: totals, troubles, and facts by anchor.

    Args:
        anew: the quiz is not published yet.
        at_once: leave out warnings that may take a while to compute.
    """
    anchors = {position: each.anchor for position, each in enumerate(placed, start=1)}
    for position, each in enumerate(placed, start=1):
        each.slot.position = position
    costs = {each.anchor: cost for each in placed if (cost := _cost_of(each)) is not None}
    slots = [each.slot for each in placed if not each.refused]
    sound = [each.slot for each in placed if each.anchor in costs]
    refused = [(each.anchor, each.slot.position) for each in placed if each.refused]
    troubles: list[publishing.SlotSentence] = []
    if not refused:
        troubles = publishing.find_obstacles(quiz, slots, sitting, anew=anew)
    warnings = publishing.find_warnings(quiz, sound, sitting, at_once=at_once)
    few = [each for each in warnings if len(each.slots) <= MAX_SLOTS_PER_WARNING]
    facts = _by_place([*troubles, *few], anchors)
    sums = _sums(slots, list(costs.values()), sitting)
    return {
        "sums": sums,
        "over": [over for *_sum, over in sums if over],
        "troubles": [_trouble(each, anchors) for each in troubles],
        "warnings": [_trouble(each, anchors) for each in warnings],
        "refused": refused,
        "facts": {
            each.anchor: {
                "cost": format_cost(costs[each.anchor]) if each.anchor in costs else "",
                "lines": facts[each.anchor],
            }
            for each in placed
        },
        "published": quiz.published,
    }


def _cost_of(placed: SlotPlace) -> problems.Cost | None:
    if placed.refused or not (placed.slot.family or placed.slot.topic):
        return None
    try:
        return publishing.slot_cost(placed.slot)
    except problems.UnknownKind:
        return None


def _by_place(
    sentences: Iterable[publishing.SlotSentence], anchors: Mapping[int, str]
) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for sentence in sentences:
        for position in sentence.slots:
            found[anchors[position]].append(sentence)
    return found


def _trouble(sentence: publishing.SlotSentence, anchors: Mapping[int, str]) -> Trouble:
    return sentence, [(anchors[position], position) for position in sentence.slots]


def describe_slot(
    family: str,
    topic: str,
    titles: Mapping[str, str],
    fit: Mapping[str, tuple[int, int]],
    *,
    version: int | None = None,
) -> tuple[str, str]:
    """Return the title of what such a slot asks, and a sentence on it.

    Args:
        titles: of topics.
        fit: by topic, how many questions can be asked, and how many of these only in exams.
        version: of a problem that an instructor wrote.
    """
    if problems.is_family(family, version):
        return problems.family_title(family, version), problems.family_summary(family, version)
    if not topic:
        return "", ""
    questions = _questions_in_words(*fit.get(topic, (0, 0)))
    words = _("A concept question, chosen from %(questions)s.")
    return titles.get(topic, topic[:MAX_NAME_LENGTH]), words % {"questions": questions}


def format_cost(cost: problems.Cost) -> str:
    """Return a line on the cells and minutes that one slot takes a student."""
    minutes = texts.format_minutes(cost.typical_minutes)
    if not cost.cells:
        return minutes
    words = ngettext("%(cells)s cell", "%(cells)s cells", cost.cells)
    return f"{words % {'cells': cost.cells}}, {minutes}"


def _sums(
    slots: Sequence[Slot], costs: Sequence[problems.Cost], sitting: Sitting
) -> tuple[Sum, ...]:
    cells = sum(cost.cells for cost in costs)
    minutes = sum(cost.typical_minutes for cost in costs)
    more_cells, more_minutes = cells - publishing.MAX_CELLS, minutes - sitting.minutes
    cells_over = minutes_over = ""
    if more_cells > 0:
        words = ngettext(
            "%(more)s cell too many for the time limit.",
            "%(more)s cells too many for the time limit.",
            more_cells,
        )
        cells_over = words % {"more": more_cells}
    if more_minutes > 0:
        words = _("A typical student needs %(more)s min more than the time limit.")
        minutes_over = words % {"more": format_number(more_minutes, 1)}
    return (
        (_("Slots"), str(len(slots)), str(SLOT_COUNT), ""),
        (_("Points"), str(sum(slot.points for slot in slots)), "", ""),
        (_("Cells to fill in"), str(cells), str(publishing.MAX_CELLS), cells_over),
        (_("Typical minutes"), format_number(minutes, 1), str(sitting.minutes), minutes_over),
    )


# What can be chosen


def format_topic(title: str, fit: int, reserved: int) -> str:
    """Return a line with a topic and how many questions on it can be asked."""
    return f"{title} ({_questions_in_words(fit, reserved)})"


def _questions_in_words(fit: int, reserved: int) -> str:
    words = ngettext("%(count)s question", "%(count)s questions", fit) % {"count": fit}
    if not reserved:
        return words
    return _("%(questions)s, %(reserved)s only for quizzes") % {
        "questions": words,
        "reserved": reserved,
    }


def offered_families(written: Mapping[str, WrittenProblem]) -> list[dict[str, str]]:
    """Return all families and these problems in rows, with their cost at default sizes."""
    shipped = [
        {
            "field": "family",
            "key": key,
            "title": problems.family_title(key),
            "about": problems.family_summary(key),
            "facts": format_cost(problems.variant_cost(key, {})),
        }
        for key in problems.family_keys()
    ]
    return shipped + [
        {
            "field": "family",
            "key": key,
            "title": row.title or key,
            "about": row.summary,
            "facts": _written_facts(row),
        }
        for key, row in written.items()
    ]


def written_title(problem: WrittenProblem) -> str:
    """Return a line with a problem's title and key, and whether it is for practice only."""
    title = f"{problem.title} ({problem.key})"
    if problems.is_stored_for_practice_only(problem.facts):
        return _("%(title)s, for practice only") % {"title": title}
    return title


def _written_facts(problem: WrittenProblem) -> str:
    cost = format_cost(problems.stored_cost(problem.facts))
    if problems.is_stored_for_practice_only(problem.facts):
        return _("%(cost)s, for practice only") % {"cost": cost}
    return cost


def offered_topics(
    by_lesson: Mapping[str, Sequence[tuple[str, str]]], fit: Mapping[str, tuple[int, int]]
) -> list[dict[str, str]]:
    """Return all topics, each with its lesson."""
    return [
        {
            "field": "topic",
            "key": key,
            "title": title,
            "about": lesson,
            "facts": _questions_in_words(*fit.get(key, (0, 0))),
        }
        for lesson, topics in by_lesson.items()
        for key, title in topics
    ]


# An example


def example_context(
    family: str, options: Mapping[str, Any], version: int | None = None
) -> dict[str, Any]:
    """Draw an example that reveals no exam's numbers. If that fails, return the error."""
    try:
        kind = problems.kind_of(family, options, version)
        (variant,) = problems.draw_samples(kind, [_SEED])
    except problems.UnknownKind as trouble:
        return {"error": str(trouble)}
    return {
        "html": render_preview(problems.shown(problems.variant_wording(variant), variant=variant)),
        "title": problems.family_title(family, version),
        "facts": (format_cost(problems.cost_of_kind(kind)), _kept_in_words(kind)),
    }


def _kept_in_words(kind: str) -> str:
    if problems.is_for_practice_only(kind):
        return _("too few different sets of numbers for quizzes: for practice only")
    served = problems.exam_capacity(kind)
    if isinf(served):
        words = _("%(count)s or more sets of numbers are kept for quizzes")
        return words % {"count": problems.MIN_UNCOUNTED_EXAMS}
    words = ngettext(
        "%(count)s set of numbers is kept for quizzes",
        "%(count)s sets of numbers are kept for quizzes",
        int(served),
    )
    return words % {"count": int(served)}
