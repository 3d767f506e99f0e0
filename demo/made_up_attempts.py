"""Made-up attempts, stored as if made-up students had taken quizzes.

They begin and end at given times, are answered by a learner's habits, and wait to be marked like
any others. Their variants are drawn for them alone, unless a kind has no new ones left.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import DurationField, ExpressionWrapper, F, OuterRef, Subquery, Value

from quizzes import problems
from quizzes.authoring.queries import questions_to_ask, quiz_slots
from quizzes.bulk import insert_rows
from quizzes.delivery.effective_settings import EffectiveSettings
from quizzes.delivery.services.item_selection import (
    SlotsChanged,
    lock_slots,
    lock_wordings,
    record_asked_questions,
    store_wordings,
    variant_kinds,
)
from quizzes.marking.services import grade_waiting
from quizzes.models import Answer, Attempt, Grade, Item, Quiz, Slot, Submission, Variant
from quizzes.problems import Robot
from quizzes.problems.answers import CHOICE_STEP, choice_field, nest

# Tries, as somebody else may have drawn the same variants meanwhile.
MAX_TRIES = 3
# Seconds; submissions not marked by then are left to the workers.
MARKING_SECONDS = 30
MARKED_AFTER = timedelta(seconds=2)
# The probability that a learner who does not know the answer picks the most tempting wrong choice.
TEMPTING_CHANCE = 0.6


@dataclass(frozen=True)
class Learner:
    """A model of how somebody answers.

    Attributes:
        ability: for problems with numbers, on the scale of `Robot`.
        knows: the probability of answering a concept question right.
        mistakes: the probability of each misconception, by its key.
    """

    ability: float
    knows: float
    mistakes: Mapping[str, float] = field(default_factory=dict)

    def robot(self, chance: Random) -> Robot:
        """Return a robot for one problem, with misconceptions drawn from `mistakes`."""
        keys = {key for key, often in self.mistakes.items() if chance.random() < often}
        return Robot(self.ability, frozenset(keys), pace=1)


@dataclass(frozen=True, kw_only=True)
class PlannedAttempt:
    """A planned attempt.

    Attributes:
        number: its number among the student's attempts at this sitting.
        ended_at: None while it is in progress.
        saved_until: when the last answer was saved.
        share: the share of questions that are answered.
        seed: everything random follows from it.
    """

    student: Any
    settings: EffectiveSettings
    number: int
    started_at: datetime
    ended_at: datetime | None
    saved_until: datetime
    learner: Learner
    share: float = 1.0
    seed: str


def create_attempts(goes: Sequence[PlannedAttempt]) -> list[Attempt]:
    """Create all of these attempts or none; submitted ones wait to be marked."""
    quizzes = _quizzes(goes)
    for tried in range(1, MAX_TRIES + 1):
        slots = {pk: quiz_slots(quiz) for pk, quiz in quizzes.items()}
        numbers = _draw(goes, slots)
        try:
            return _save_attempts(goes, slots, numbers)
        except (IntegrityError, SlotsChanged):
            if tried == MAX_TRIES:
                raise
    return []


def mark_attempts(attempts: Iterable[Attempt]) -> None:
    """Mark waiting submissions, and date the marks of these attempts to their submission."""
    own = Submission.objects.filter(attempt__in=[attempt.pk for attempt in attempts])
    until = time.monotonic() + MARKING_SECONDS
    while own.filter(state=Submission.State.WAITING).exists() and time.monotonic() < until:
        if not grade_waiting():
            time.sleep(0.1)  # a worker has the rest of them
    shortly = ExpressionWrapper(
        F("received_at") + Value(MARKED_AFTER, DurationField()),
        output_field=Submission._meta.get_field("graded_at"),
    )
    with transaction.atomic():
        own.filter(state=Submission.State.GRADED).update(graded_at=shortly)
        when = Submission.objects.filter(answers=OuterRef("answer")).values("graded_at")
        grades = Grade.objects.filter(answer__submission__in=own.values("pk"))
        grades.filter(answer__submission__state=Submission.State.GRADED).update(
            graded_at=Subquery(when)
        )


def _quizzes(goes: Iterable[PlannedAttempt]) -> dict[int, Quiz]:
    return {go.settings.sitting.quiz_id: go.settings.sitting.quiz for go in goes}


# Numbers


def _draw(
    goes: Sequence[PlannedAttempt], slots: Mapping[int, list[Slot]]
) -> dict[str, list[Variant]]:
    """Return unsaved variants by kind, as many as these attempts need.

    If a kind has no new variants left, saved ones are used again.
    """
    wanted: Counter[str] = Counter()
    for go in goes:
        wanted.update(variant_kinds(slots[go.settings.sitting.quiz_id]))
    families = {problems.family_of(kind) for kind in wanted}
    known = defaultdict(set)
    rows = Variant.objects.filter(family__in=families, fingerprint__isnull=False)
    for family, fingerprint in rows.values_list("family", "fingerprint"):
        known[family].add(fingerprint)
    seed = goes[0].seed if goes else ""
    drawn = {}
    for kind, count in wanted.items():
        seeds = (f"{seed} {place}"[-64:] for place in range(count))
        columns = problems.draw_for_exams(kind, seeds, known=known[problems.family_of(kind)])
        drawn[kind] = [Variant(**each) for each in columns] or _given_before(kind, count)
    return {kind: _repeat_to(drawn[kind], count) for kind, count in wanted.items()}


def _given_before(kind: str, count: int) -> list[Variant]:
    rows = Variant.objects.filter(
        kind=kind, for_exams=True, fingerprint__isnull=False, struck_at=None
    )
    return list(rows.order_by("given_at", "pk")[:count])


def _repeat_to(variants: list[Variant], count: int) -> list[Variant]:
    return (variants * -(-count // len(variants)))[:count] if variants else []


# Rows


@dataclass
class _UnsavedAttempt:
    """An attempt with its items, not saved yet."""

    go: PlannedAttempt
    attempt: Attempt
    items: list[Item] = field(default_factory=list)
    wordings: list[Mapping[str, Any]] = field(default_factory=list)


@transaction.atomic
def _save_attempts(
    goes: Sequence[PlannedAttempt],
    slots: Mapping[int, list[Slot]],
    numbers: Mapping[str, list[Variant]],
) -> list[Attempt]:
    for pk, quiz in sorted(_quizzes(goes).items()):
        lock_slots(quiz, slots[pk])
    left = {kind: list(reversed(variants)) for kind, variants in numbers.items()}
    questions = _Questions(goes, slots)
    made = [_attempt(go, slots[go.settings.sitting.quiz_id], left, questions) for go in goes]
    _save_variants(made)
    keys = store_wordings(wording for each in made for wording in each.wordings)
    items = [item for each in made for item in each.items]
    for item, key in zip(items, keys, strict=True):
        item.wording_id = key
    Attempt.objects.bulk_create(each.attempt for each in made)
    for each in made:
        for item in each.items:
            item.attempt_id, item.variant_id = each.attempt.pk, item.variant and item.variant.pk
    Item.objects.bulk_create(items, batch_size=500)
    record_asked_questions(
        (each.attempt.sitting_id, item.question_id)
        for each in made
        for item in each.items
        if item.question_id
    )
    _submit([each for each in made if each.go.ended_at])
    return [each.attempt for each in made]


def _save_variants(made: Sequence[_UnsavedAttempt]) -> None:
    """Save the new variants, and when each variant was last given."""
    used: dict[int, Variant] = {}
    for each in made:
        for item in each.items:
            if item.variant:
                item.variant.given_at = each.go.started_at
                used[id(item.variant)] = item.variant
    new = [variant for variant in used.values() if variant.pk is None]
    again = [variant for variant in used.values() if variant.pk is not None]
    for variant in new:
        variant.drawn_at = variant.given_at
    Variant.objects.bulk_create(new, batch_size=500)
    Variant.objects.bulk_update(again, ["given_at"], batch_size=500)


def _attempt(
    go: PlannedAttempt,
    slots: Sequence[Slot],
    left: Mapping[str, list[Variant]],
    questions: "_Questions",
) -> _UnsavedAttempt:
    settings = go.settings
    attempt = Attempt(
        student=go.student,
        quiz=settings.sitting.quiz,
        sitting=settings.sitting,
        number=go.number,
        started_at=go.started_at,
        minutes=settings.minutes,
        closes_at=settings.closes_at,
        deadline=settings.deadline(go.started_at),
        extra_time=settings.extra_time,
        out_of=sum(slot.points for slot in slots),
    )
    if go.ended_at:
        attempt.state, attempt.submitted_at = Attempt.State.SUBMITTED, go.ended_at
        attempt.closed_by_clock = attempt.is_time_up(go.ended_at)
    made = _UnsavedAttempt(go, attempt)
    chance = Random(go.seed)
    kinds = iter(variant_kinds(slots))
    answered = round(go.share * len(slots))
    worked = (go.saved_until - go.started_at) / max(1, answered)
    for place, slot in enumerate(slots, start=1):
        item = Item(slot=slot, points=slot.points, position=place, place=place)
        if slot.family:
            item.variant = left[next(kinds)].pop()
            wording = problems.variant_wording(vars(item.variant))
        else:
            item.question_id, wording = questions.next_for(go, slot.topic, chance)
            places = chance.sample(range(len(wording["choices"])), len(wording["choices"]))
            item.order = problems.order_of(places)
        if place <= answered:
            item.draft = _draft(item, wording, go.learner, chance)
            item.revision, item.token = 1, f"{chance.getrandbits(64):016x}"
            item.saved_at = min(go.started_at + place * worked, go.saved_until)
        made.items.append(item)
        made.wordings.append(wording)
    return made


def _draft(
    item: Item, wording: Mapping[str, Any], learner: Learner, chance: Random
) -> dict[str, str]:
    if item.variant:
        robot, seed = learner.robot(chance), chance.getrandbits(64)
        return problems.robot_draft(wording, vars(item.variant), robot, seed)
    choices = wording["choices"]
    wrong = [choice["key"] for choice in choices if not choice["correct"]]
    if chance.random() < learner.knows or not wrong:
        key = next(choice["key"] for choice in choices if choice["correct"])
    else:
        # The same choice tempts everybody who does not know.
        tempting = Random(wording["key"]).choice(wrong)
        key = tempting if chance.random() < TEMPTING_CHANCE else chance.choice(wrong)
    return {choice_field(CHOICE_STEP): key}


class _Questions:
    """The available concept questions, and how often each student was asked them."""

    def __init__(self, goes: Sequence[PlannedAttempt], slots: Mapping[int, list[Slot]]):
        quizzes = _quizzes(goes)
        self._of_topic: dict[tuple[int, str], list[int]] = defaultdict(list)
        for quiz, asking in slots.items():
            topics = [slot.topic for slot in asking if slot.topic]
            for pk, topic, _key, _reserved in questions_to_ask(topics, quizzes[quiz]):
                self._of_topic[quiz, topic].append(pk)
        self._wordings = lock_wordings(
            sorted({pk for pks in self._of_topic.values() for pk in pks})
        )
        self._asked: dict[int, Counter[int]] = defaultdict(Counter)
        asked = Item.objects.filter(
            attempt__student__in={go.student.pk for go in goes}, question__isnull=False
        )
        for student, question in asked.values_list("attempt__student", "question"):
            self._asked[student][question] += 1

    def next_for(
        self, go: PlannedAttempt, topic: str, chance: Random
    ) -> tuple[int, Mapping[str, Any]]:
        """Return one of the questions this student was asked least often, and its wording."""
        asked = self._asked[go.student.pk]
        found = sorted(self._of_topic[go.settings.sitting.quiz_id, topic])
        least = min(asked[pk] for pk in found)
        pk = chance.choice([pk for pk in found if asked[pk] == least])
        asked[pk] += 1
        return pk, self._wordings[pk]


def _submit(made: Sequence[_UnsavedAttempt]) -> None:
    submissions = [Submission(attempt=each.attempt, received_at=each.go.ended_at) for each in made]
    Submission.objects.bulk_create(submissions)
    answers = [
        (submission.pk, item.pk, nest(wording, item.draft))
        for submission, each in zip(submissions, made, strict=True)
        for item, wording in zip(each.items, each.wordings, strict=True)
    ]
    insert_rows(Answer, ("submission", "item", "raw"), answers)
