"""What keeps a quiz from being published, and what its author should know though nothing does."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from quizzes import problems
from quizzes.models import SLOTS, Choice, ConceptQuestion, Quiz, Sitting, Slot
from quizzes.queries import students, topic_titles

MOST_CELLS = 60
FEWEST_CHOICES = 4
DEAREST_TOLD = 3


def why_not_publish(
    quiz: Quiz,
    slots: Iterable[Slot] | None = None,
    sitting: Sitting | None = None,
    *,
    anew: bool = True,
) -> list[str]:
    """What keeps a quiz from being published, a sentence each; empty when nothing does.

    Slots and its own sitting may be given as they would be saved, so that a form can ask before it
    saves. One that is not published `anew` may have closed since.
    """
    sitting = sitting or quiz.own_sitting
    slots = sorted(quiz.slots.all() if slots is None else slots, key=lambda slot: slot.position)
    return [
        *_wrong_places(slots),
        *_what_it_costs(slots, sitting),
        *_wrong_moments(sitting, anew=anew),
        *_unfit_pools(slots),
    ]


def warnings(quiz: Quiz) -> list[str]:
    """What may be meant so, and may be an oversight, a sentence each. It keeps nobody back."""
    slots = list(quiz.slots.order_by("position"))
    return [*shortages(quiz), *_identical(slots), *_worn_pools(slots, quiz.own_sitting)]


def shortages(quiz: Quiz) -> list[str]:
    """Slots for which there are fewer numbers than attempts to expect, a sentence each."""
    expected = students().count() * (quiz.own_sitting.attempts_allowed or 1)
    told = []
    for slot in quiz.slots.exclude(family=""):
        served = problems.exams_served(slot.family, slot.options)
        if served < expected:
            words = _(
                "Slot %(position)s: %(family)s has new numbers for %(served)s attempts, and "
                "%(expected)s are to be expected. After that, numbers come again."
            )
            title = problems.family_title(slot.family)
            at = {"position": slot.position, "family": title, "served": served}
            told.append(words % (at | {"expected": expected}))
    return told


def why_not_ask(choices: Iterable[Choice]) -> list[str]:
    """What keeps a concept question from being asked, a sentence each."""
    choices = list(choices)
    troubles = []
    if len(choices) < FEWEST_CHOICES:
        words = _("A question has at least %(fewest)s choices.")
        troubles.append(words % {"fewest": FEWEST_CHOICES})
    if sum(choice.correct for choice in choices) != 1:
        troubles.append(_("Exactly one choice is correct."))
    if len({choice.key for choice in choices}) < len(choices):
        troubles.append(_("Every choice has a key of its own."))
    if not all(choice.feedback.strip() for choice in choices):
        troubles.append(_("Every choice has its feedback."))
    return troubles


def _wrong_places(slots: Sequence[Slot]) -> list[str]:
    if len(slots) != SLOTS:
        words = _("A quiz has exactly %(slots)s slots; this one has %(count)s.")
        return [words % {"slots": SLOTS, "count": len(slots)}]
    if [slot.position for slot in slots] != list(range(1, SLOTS + 1)):
        return [_("The positions must run from 1 to %(slots)s, each once.") % {"slots": SLOTS}]
    return []


def _what_it_costs(slots: Iterable[Slot], sitting: Sitting) -> list[str]:
    """Slots that cannot be drawn, and more cells or minutes than a student has."""
    troubles, costs = [], []
    for slot in slots:
        try:
            costs.append((cost_of_slot(slot), slot.position))
        except problems.UnknownKind as unknown:
            words = _("Slot %(position)s: %(trouble)s.")
            troubles.append(words % {"position": slot.position, "trouble": unknown})
    cells = sum(cost.cells for cost, _position in costs)
    if cells > MOST_CELLS:
        words = _(
            "The slots ask for %(cells)s cells to type; %(most)s are as many as fit in the time."
        )
        troubles.append(words % {"cells": cells, "most": MOST_CELLS})
    minutes = sum(cost.typical_minutes for cost, _position in costs)
    if minutes > sitting.minutes:
        dearest = sorted(costs, key=lambda each: -each[0].minutes)[:DEAREST_TOLD]
        words = _(
            "A typical prepared student takes %(minutes).1f minutes, and has %(limit)s. Most of "
            "that goes to %(dearest)s: ask for smaller sizes there, or give more time."
        )
        each = _("slot %(position)s (%(minutes).1f min)")
        named = [
            each % {"position": position, "minutes": cost.typical_minutes}
            for cost, position in dearest
        ]
        told = {"minutes": minutes, "limit": sitting.minutes, "dearest": ", ".join(named)}
        troubles.append(words % told)
    return troubles


def cost_of_slot(slot: Slot) -> problems.Cost:
    """What a slot asks of a student; raises UnknownKind."""
    if slot.family:
        return problems.cost_of(slot.family, slot.options)
    return problems.COST_OF_A_QUESTION


def _wrong_moments(sitting: Sitting, *, anew: bool) -> list[str]:
    if sitting.release == Sitting.Release.AFTER_CLOSE and not sitting.closes_at:
        return [_("Marks are shown after it closes: say when that is.")]
    if anew and sitting.has_closed(timezone.now()):
        return [_("It would have closed already: choose a later time, or none.")]
    return []


@dataclass
class _Pool:
    """The questions that may be asked on a topic, and the slots that ask for one of them."""

    title: str
    slots: list[Slot]
    fit: list[ConceptQuestion] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)

    @property
    def places(self) -> str:
        """The slots, as sentences name them."""
        return _places(self.slots)

    @property
    def reserved(self) -> int:
        return sum(question.reserved for question in self.fit)


def _places(slots: Sequence[Slot]) -> str:
    positions = ", ".join(str(slot.position) for slot in slots)
    words = ngettext("slot %(positions)s", "slots %(positions)s", len(slots))
    return words % {"positions": positions}


def _pools(slots: Iterable[Slot]) -> list[_Pool]:
    """The pool of each topic that is asked for, in the order in which they come."""
    asking: dict[str, list[Slot]] = defaultdict(list)
    for slot in slots:
        if slot.topic:
            asking[slot.topic].append(slot)
    titles: Mapping[str, str] = topic_titles() if asking else {}
    pools = {topic: _Pool(titles.get(topic, topic), at) for topic, at in asking.items()}
    published = ConceptQuestion.objects.filter(topic__in=pools, published=True)
    for question in published.prefetch_related("choices"):
        pool = pools[question.topic]
        if troubles := why_not_ask(question.choices.all()):
            words = _("Question “%(question)s” of %(slots)s cannot be asked: %(troubles)s")
            told = {"question": question.key, "slots": pool.places}
            pool.troubles.append(words % (told | {"troubles": " ".join(troubles)}))
            continue
        pool.fit.append(question)
        if question.section_id is None:
            words = _(
                "Question “%(question)s” of %(slots)s belongs to no section: say where to read "
                "about it again."
            )
            pool.troubles.append(words % {"question": question.key, "slots": pool.places})
    return list(pools.values())


def _unfit_pools(slots: Iterable[Slot]) -> list[str]:
    """Questions that nobody can be asked, or sent on from; topics from which no start could ask."""
    troubles = []
    for pool in _pools(slots):
        if len(pool.fit) < len(pool.slots):
            words = _(
                "Topic “%(topic)s” is asked %(count)s times (%(slots)s) and has %(ready)s fit "
                "questions."
            )
            told = {"topic": pool.title, "count": len(pool.slots), "slots": pool.places}
            troubles.append(words % (told | {"ready": len(pool.fit)}))
        troubles += pool.troubles
    return troubles


def _identical(slots: Sequence[Slot]) -> list[str]:
    """Slots that ask for the same family at the same sizes."""
    alike: dict[str, list[Slot]] = defaultdict(list)
    for slot in slots:
        if slot.family:
            alike[problems.kind_of(slot.family, slot.options)].append(slot)
    words = _("%(family)s is asked at the same sizes by %(slots)s.")
    return [
        words % {"family": problems.family_title(same[0].family), "slots": _places(same)}
        for same in alike.values()
        if len(same) > 1
    ]


def _worn_pools(slots: Sequence[Slot], sitting: Sitting) -> list[str]:
    """Topics whose questions students know before an exam asks them: of all alike one sentence."""
    named: dict[str, list[str]] = defaultdict(list)
    for pool in _pools(slots):
        for words in _why_worn(pool, sitting):
            named[words].append(f"{pool.title} ({pool.places})")
    return [words % {"topics": "; ".join(topics)} for words, topics in named.items()]


def _why_worn(pool: _Pool, sitting: Sitting) -> list[str]:
    found = []
    if not pool.reserved:
        found.append(_("No question is reserved for exams on: %(topics)s."))
    elif sitting.practice and pool.reserved < len(pool.slots):
        found.append(
            _("Practice shows questions that the exam needs, too few being reserved: %(topics)s.")
        )
    attempts = sitting.attempts_allowed
    if attempts and attempts * len(pool.slots) > len(pool.fit):
        found.append(
            _("The attempts allowed use up all questions, and ask some again: %(topics)s.")
        )
    elif not attempts:
        found.append(
            _("Any number of attempts is allowed, and questions will come again: %(topics)s.")
        )
    return found
