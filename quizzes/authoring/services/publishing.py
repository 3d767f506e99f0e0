"""Obstacles to publishing a quiz, and warnings that do not prevent it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from lessons.rendering import find_errors
from quizzes import problems
from quizzes.authoring.queries import askable_questions, freezable_questions, students
from quizzes.items.queries import topic_titles
from quizzes.models import SLOT_COUNT, Choice, ConceptQuestion, Quiz, Sitting, Slot
from quizzes.written.queries import (
    is_written,
    outdated_slots,
    unreadable_to_owners,
    withdrawn_slots,
)

MAX_CELLS = 60
MIN_CHOICES = 4
MAX_SLOTS_NAMED = 3


class SlotSentence(str):
    """A sentence for the author, with the positions of the slots that it is about.

    Attributes:
        question: the key and the field of the question in which it can be mended.
        topic: the key of the topic that lacks questions.
    """

    slots: tuple[int, ...]
    question: tuple[int, str] | None
    topic: str

    def __new__(
        cls,
        words: str,
        slots: Iterable[int] = (),
        question: tuple[int, str] | None = None,
        topic: str = "",
    ) -> "SlotSentence":
        sentence = super().__new__(cls, words)
        sentence.slots, sentence.question, sentence.topic = tuple(slots), question, topic
        return sentence


def find_obstacles(
    quiz: Quiz,
    slots: Iterable[Slot] | None = None,
    sitting: Sitting | None = None,
    *,
    anew: bool = True,
) -> list[SlotSentence]:
    """Return what keeps a quiz from being published, a sentence each; empty if nothing does.

    Slots and its own sitting may be passed unsaved, so that a form can ask before it saves. A quiz
    not published `anew` may have closed since, and keeps its pools as they are.
    """
    sitting = sitting or quiz.own_sitting
    slots = sorted(quiz.slots.all() if slots is None else slots, key=lambda slot: slot.position)
    return [
        *_position_troubles(slots),
        *_cost_troubles(slots, sitting),
        *_problem_troubles(slots, quiz, anew=anew),
        *_date_troubles(sitting, anew=anew),
        *_pool_troubles(slots, quiz, anew=anew),
    ]


def find_warnings(
    quiz: Quiz,
    slots: Iterable[Slot] | None = None,
    sitting: Sitting | None = None,
    *,
    at_once: bool = False,
) -> list[SlotSentence]:
    """Return possible oversights, a sentence each; they do not prevent publishing.

    `at_once` leaves out shortages, for which the core may first have to draw hundreds of problems.
    """
    sitting = sitting or quiz.own_sitting
    slots = sorted(quiz.slots.all() if slots is None else slots, key=lambda slot: slot.position)
    return [
        *(() if at_once else _shortages(slots, sitting)),
        *_identical_slots(slots),
        *_worn_pools(slots, quiz, sitting),
    ]


def count_fit_questions(questions: QuerySet[ConceptQuestion]) -> dict[str, tuple[int, int]]:
    """Return, by topic, how many of these questions can be asked, and how many only in exams."""
    choices = defaultdict(list)
    known = Choice.objects.filter(question__published=True, question__replaced_at=None)
    for choice in known.only("question_id", "key", "correct", "feedback").order_by():
        choices[choice.question_id].append(choice)
    found: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    published = questions.filter(published=True)
    for pk, topic, reserved in published.values_list("pk", "topic", "reserved").order_by():
        if not find_question_faults(choices[pk]):
            fit, kept = found[topic]
            found[topic] = (fit + 1, kept + reserved)
    return dict(found)


def _shortages(slots: Iterable[Slot], sitting: Sitting) -> list[SlotSentence]:
    """Warn of slots with fewer numbers than the expected attempts need."""
    expected = students().count() * (sitting.attempts_allowed or 1)
    sentences = []
    for slot in slots:
        if not slot.family:
            continue
        served = problems.exam_capacity(slot.kind)
        if served < expected:
            words = ngettext(
                "Slot %(position)s: %(family)s has new numbers for %(served)s attempt, but"
                " %(expected)s are expected. After that, numbers will be repeated.",
                "Slot %(position)s: %(family)s has new numbers for %(served)s attempts, but"
                " %(expected)s are expected. After that, numbers will be repeated.",
                served,
            )
            at = {"position": slot.position, "family": _title_of(slot), "served": served}
            sentences.append(SlotSentence(words % (at | {"expected": expected}), [slot.position]))
    return sentences


class QuestionFault(NamedTuple):
    """A fault that keeps a question from being published, and the field in which to mend it."""

    words: str
    field: str


def find_publish_faults(
    question: ConceptQuestion, choices: Sequence[Choice]
) -> list[QuestionFault]:
    """Return everything that keeps a concept question from being published."""
    faults = []
    for name in ("prompt", "explanation"):
        faults += [QuestionFault(words, name) for words in _text_faults(getattr(question, name))]
    if question.section_id is None:
        words = _("It has no section. Choose which section students should read again.")
        faults.append(QuestionFault(words, "section"))
    texts = [text for choice in choices for text in (choice.text, choice.feedback)]
    in_choices = [*find_question_faults(choices), *chain.from_iterable(map(_text_faults, texts))]
    return [*faults, *(QuestionFault(words, "choices") for words in in_choices)]


def _text_faults(text: str) -> list[str]:
    return [str(error) for error in find_errors(text)[0]]


def find_question_faults(choices: Iterable[Choice]) -> list[str]:
    """Return what keeps a concept question from being asked, a sentence each."""
    choices = list(choices)
    troubles = []
    if len(choices) < MIN_CHOICES:
        words = _("A question needs at least %(fewest)s choices.")
        troubles.append(words % {"fewest": MIN_CHOICES})
    if sum(choice.correct for choice in choices) != 1:
        troubles.append(_("Exactly one choice must be correct."))
    if len({choice.key for choice in choices}) < len(choices):
        troubles.append(_("Every choice needs its own key."))
    if not all(choice.feedback.strip() for choice in choices):
        troubles.append(_("Every choice needs feedback."))
    return troubles


def _position_troubles(slots: Sequence[Slot]) -> list[SlotSentence]:
    if len(slots) != SLOT_COUNT:
        words = _("A quiz must have exactly %(slots)s slots. This one has %(count)s.")
        return [SlotSentence(words % {"slots": SLOT_COUNT, "count": len(slots)})]
    if [slot.position for slot in slots] != list(range(1, SLOT_COUNT + 1)):
        words = _("The positions must run from 1 to %(slots)s, with no repeats.")
        return [SlotSentence(words % {"slots": SLOT_COUNT})]
    return []


def _cost_troubles(slots: Iterable[Slot], sitting: Sitting) -> list[SlotSentence]:
    """Report slots that cannot be drawn, and more cells or minutes than a student has."""
    troubles, costs = [], []
    for slot in slots:
        try:
            costs.append((slot_cost(slot), slot.position))
        except problems.UnknownKind as unknown:
            words = _("Slot %(position)s: %(trouble)s.")
            if not problems.is_family(slot.family, slot.family_version):
                words = _(
                    "Slot %(position)s: %(trouble)s. Choose something else for it, or take the slot"
                    " out and add another."
                )
            values = {"position": slot.position, "trouble": unknown}
            troubles.append(SlotSentence(words % values, [slot.position]))
    cells = sum(cost.cells for cost, _position in costs)
    if cells > MAX_CELLS:
        words = _(
            "The slots have %(cells)s cells to fill in. At most %(most)s fit in the time limit."
        )
        troubles.append(SlotSentence(words % {"cells": cells, "most": MAX_CELLS}))
    minutes = sum(cost.typical_minutes for cost, _position in costs)
    if minutes > sitting.minutes:
        dearest = sorted(costs, key=lambda each: -each[0].minutes)[:MAX_SLOTS_NAMED]
        words = _(
            "A typical prepared student takes %(minutes).1f minutes, but the time limit is"
            " %(limit)s. Most of that goes on %(dearest)s. Use smaller sizes there, or allow more"
            " time."
        )
        each = _("slot %(position)s (%(minutes).1f min)")
        named = [
            each % {"position": position, "minutes": cost.typical_minutes}
            for cost, position in dearest
        ]
        values = {"minutes": minutes, "limit": sitting.minutes, "dearest": ", ".join(named)}
        troubles.append(SlotSentence(words % values, [position for _cost, position in dearest]))
    return troubles


def _problem_troubles(slots: Iterable[Slot], quiz: Quiz, *, anew: bool) -> list[SlotSentence]:
    """Report problems in rows that were withdrawn, have too few numbers, or aren't the owners'."""
    written = [slot for slot in slots if is_written(slot.family)]
    if not written:
        return []
    withdrawn = withdrawn_slots(written)
    replaceable = [slot for slot, _newest in outdated_slots(withdrawn)]
    unreadable: set[str] = set()
    if anew and quiz.pk:
        unreadable = unreadable_to_owners(quiz.pk, (slot.family for slot in written))
    troubles = []
    for slot in written:
        values = {
            "position": slot.position,
            "version": slot.family_version,
            "problem": _title_of(slot),
            "least": problems.PRACTICE_ONLY_BELOW,
        }
        if slot.family in unreadable:
            words = _(
                "Slot %(position)s asks a problem that no owner of this quiz can read. Have it"
                " shared with one of them, or choose another problem."
            )
        elif slot in replaceable:
            words = _(
                "Slot %(position)s: version %(version)s of “%(problem)s” was withdrawn. Take its"
                " newest version under “Pools”, or choose another problem."
            )
        elif slot in withdrawn:
            words = _(
                "Slot %(position)s: version %(version)s of “%(problem)s” was withdrawn, and no"
                " newer one can take its place. Take the slot out and add another, or publish a new"
                " version of the problem."
            )
        elif _is_for_practice_only(slot):
            words = _(
                "Slot %(position)s: “%(problem)s” has fewer than %(least)s different sets of"
                " numbers at these sizes, so it’s for practice only. Choose other sizes, or another"
                " problem."
            )
        else:
            continue
        troubles.append(SlotSentence(words % values, [slot.position]))
    return troubles


def _is_for_practice_only(slot: Slot) -> bool:
    try:
        return problems.is_for_practice_only(slot.kind)
    except problems.UnknownKind:
        return False  # reported with its cost


def slot_cost(slot: Slot) -> problems.Cost:
    """Return the cells and minutes that a slot takes a student; raise UnknownKind."""
    if slot.family:
        return problems.cost_of_kind(slot.kind)
    return problems.QUESTION_COST


def _date_troubles(sitting: Sitting, *, anew: bool) -> list[SlotSentence]:
    if sitting.release == Sitting.Release.AFTER_CLOSE and not sitting.closes_at:
        return [SlotSentence(_("Marks are shown after the quiz closes, so enter a closing date."))]
    if anew and sitting.has_closed(timezone.now()):
        return [SlotSentence(_("The closing date is in the past. Choose a later one, or none."))]
    return []


@dataclass
class _Pool:
    """The questions that may be asked on a topic, and the slots that ask for one of them."""

    title: str
    slots: list[Slot]
    fit: list[ConceptQuestion] = field(default_factory=list)
    troubles: list[SlotSentence] = field(default_factory=list)

    @property
    def places(self) -> str:
        """The slots, as sentences name them."""
        return _places(self.slots)

    def sentence(self, words: str, question: tuple[int, str] | None = None) -> SlotSentence:
        """Return a sentence about all of its slots: of a question, or of all on the topic."""
        topic = "" if question else self.slots[0].topic
        return SlotSentence(words, [slot.position for slot in self.slots], question, topic)

    @property
    def reserved(self) -> int:
        return sum(question.reserved for question in self.fit)


def _places(slots: Sequence[Slot]) -> str:
    positions = ", ".join(str(slot.position) for slot in slots)
    words = ngettext("slot %(positions)s", "slots %(positions)s", len(slots))
    return words % {"positions": positions}


def _pools(slots: Iterable[Slot], quiz: Quiz, *, anew: bool) -> list[_Pool]:
    """Return the pool of each topic in the order of the slots: frozen, or as it would be `anew`."""
    asking: dict[str, list[Slot]] = defaultdict(list)
    for slot in slots:
        if slot.topic:
            asking[slot.topic].append(slot)
    titles: Mapping[str, str] = topic_titles() if asking else {}
    pools = {topic: _Pool(titles.get(topic, topic), at) for topic, at in asking.items()}
    found = freezable_questions(list(pools), quiz) if anew else askable_questions(list(pools), quiz)
    for question in found.order_by("key").prefetch_related("choices"):
        pool = pools[question.topic]
        if troubles := find_question_faults(question.choices.all()):
            words = _("Question “%(question)s” in %(slots)s can’t be asked: %(troubles)s")
            values = {"question": question.key, "slots": pool.places}
            values |= {"troubles": " ".join(troubles)}
            pool.troubles.append(pool.sentence(words % values, (question.pk, "choices")))
            continue
        pool.fit.append(question)
        if question.section_id is None:
            words = _(
                "Question “%(question)s” in %(slots)s has no section. Choose which section"
                " students should read again."
            )
            values = {"question": question.key, "slots": pool.places}
            pool.troubles.append(pool.sentence(words % values, (question.pk, "section")))
    return list(pools.values())


def _pool_troubles(slots: Iterable[Slot], quiz: Quiz, *, anew: bool) -> list[SlotSentence]:
    """Report topics with too few questions, and questions that are unfit or have no section."""
    troubles = []
    for pool in _pools(slots, quiz, anew=anew):
        if len(pool.fit) < len(pool.slots):
            words = ngettext(
                "Topic “%(topic)s” is asked once (%(slots)s) but has no usable question.",
                "Topic “%(topic)s” is asked %(count)s times (%(slots)s). Usable questions on it:"
                " %(ready)s.",
                len(pool.slots),
            )
            values = {"topic": pool.title, "count": len(pool.slots), "slots": pool.places}
            troubles.append(pool.sentence(words % (values | {"ready": len(pool.fit)})))
        troubles += pool.troubles
    return troubles


def _identical_slots(slots: Iterable[Slot]) -> list[SlotSentence]:
    """Warn of slots that ask for the same family at the same sizes."""
    alike: dict[str, list[Slot]] = defaultdict(list)
    for slot in slots:
        if slot.family:
            alike[slot.kind].append(slot)
    words = _("%(family)s is asked with the same sizes in %(slots)s.")
    return [
        SlotSentence(
            words % {"family": _title_of(same[0]), "slots": _places(same)},
            [slot.position for slot in same],
        )
        for same in alike.values()
        if len(same) > 1
    ]


def _title_of(slot: Slot) -> str:
    return problems.family_title(slot.family, slot.family_version)


def _worn_pools(slots: Iterable[Slot], quiz: Quiz, sitting: Sitting) -> list[SlotSentence]:
    """Warn of topics whose questions students know before an exam, grouped by sentence."""
    named: dict[str, list[_Pool]] = defaultdict(list)
    for pool in _pools(slots, quiz, anew=not quiz.pk):
        for words in _why_worn(pool, sitting):
            named[words].append(pool)
    return [
        SlotSentence(
            words % {"topics": "; ".join(f"{pool.title} ({pool.places})" for pool in pools)},
            [slot.position for pool in pools for slot in pool.slots],
        )
        for words, pools in named.items()
    ]


def _why_worn(pool: _Pool, sitting: Sitting) -> list[str]:
    found = []
    if not pool.reserved:
        found.append(_("No questions are reserved for quizzes on: %(topics)s."))
    elif sitting.practice and pool.reserved < len(pool.slots):
        found.append(
            _(
                "Too few questions are reserved, so practice shows some that the quiz needs:"
                " %(topics)s."
            )
        )
    attempts = sitting.attempts_allowed
    if attempts and attempts * len(pool.slots) > len(pool.fit):
        found.append(
            _(
                "There are too few questions for the attempts allowed, so some will be repeated:"
                " %(topics)s."
            )
        )
    elif not attempts:
        found.append(
            _("The number of attempts is unlimited, so questions will be repeated: %(topics)s.")
        )
    return found
