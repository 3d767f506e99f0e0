"""Authors edit while students are asked: in any order, an item's rows keep what it was asked.

Hypothesis begins attempts, edits and moves slots, edits, publishes and withdraws questions, and
freezes pools; after each step slots, questions and pools are compared with items and with a model.
"""

import pytest
from django.contrib.auth import get_user_model
from django.db import transaction
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from quizzes import problems
from quizzes.authoring.services.pools import freeze_pools
from quizzes.authoring.services.slots import write_slots
from quizzes.delivery.services.item_selection import lock_wordings
from quizzes.delivery.services.taking import start_attempt
from quizzes.errors import NotOpen
from quizzes.items.services.questions import write_question
from quizzes.models import Choice, ConceptQuestion, Item, Quiz, Slot
from quizzes.practice.services import practise_quiz

pytestmark = pytest.mark.django_db

KEYS = ("one", "two", "three")
POINTS = st.integers(1, 3)


class Editing(RuleBasedStateMachine):
    """The model: what is published, and what was when the pools were frozen last."""

    def __init__(self):
        super().__init__()
        self.example = transaction.atomic()
        self.example.__enter__()
        self.people, self.texts = 0, 0
        for key in KEYS:
            question = ConceptQuestion(key=key, topic="model", prompt=key, published=True)
            choices = [Choice(key=k, text=k, correct=k == "a", feedback=k) for k in "abcd"]
            write_question(question=question, choices=choices)
        self.published = set(KEYS)
        self.quiz = Quiz.objects.create(slug="model", title="Model", published=True)
        write_slots(quiz=self.quiz, wanted=[Slot(family="cosine"), Slot(topic="model")])
        self.frozen = set(KEYS)
        self.wanted = [("cosine", 1), ("", 1)]

    def teardown(self):
        transaction.set_rollback(True)
        self.example.__exit__(None, None, None)

    @rule(begin=st.sampled_from([start_attempt, practise_quiz]))
    def ask(self, begin):
        self.people += 1
        student = get_user_model().objects.create_user(f"{self.people}@example.org")
        topics = sum(not family for family, _points in self.wanted)
        there = self.frozen & self.published
        if len(there) < topics and (begin is start_attempt or len(self.wanted) == 1):
            with pytest.raises(NotOpen):
                begin(student=student, quiz=self.quiz)
            return
        items = list(begin(student=student, quiz=self.quiz).items.select_related("question"))
        asked = [item.question for item in items if item.question]
        assert {question.key for question in asked} <= there
        assert len(asked) == min(topics, len(there))
        assert all(question.replaced_at is None for question in asked)

    @rule(place=st.integers(0, 3), points=POINTS)
    def edit_slot(self, place, points):
        wanted = list(self.quiz.slots.all())
        wanted[place % len(wanted)].points = points
        self.write(wanted)

    @rule(topic=st.booleans(), points=POINTS)
    def add_slot(self, topic, points):
        new = Slot(points=points, **({"topic": "model"} if topic else {"family": "cosine"}))
        self.write([*self.quiz.slots.all(), new][:4])

    @rule()
    def turn_round(self):
        self.write(list(self.quiz.slots.all())[::-1])

    @rule(count=st.integers(1, 4))
    def drop_slots(self, count):
        wanted = list(self.quiz.slots.all())[:count]
        if any(slot.topic for slot in wanted):
            self.write(wanted)

    def write(self, wanted):
        self.wanted = [(slot.family, slot.points) for slot in wanted]
        asked = {slot.pk for slot in self.quiz.slots.all() if slot.item_set.exists()}
        before = {slot.pk: slot.asks for slot in self.quiz.slots.all()}
        changed = {slot.pk for slot in wanted if slot.pk and before[slot.pk] != slot.asks}
        assert write_slots(quiz=self.quiz, wanted=wanted) == len(asked & changed)

    @rule(key=st.sampled_from(KEYS), turn=st.booleans())
    def edit_question(self, key, turn):
        question = ConceptQuestion.objects.get(key=key)
        asked = question.items.values("attempt__student").distinct().count()
        choices = list(question.choices.all())
        self.texts += 1
        if turn:
            choices.reverse()
        else:
            question.prompt = f"Text {self.texts}"
        assert write_question(question=question, choices=choices) == asked

    @rule(key=st.sampled_from(KEYS))
    def publish_or_withdraw(self, key):
        question = ConceptQuestion.objects.get(key=key)
        question.published = not question.published
        assert write_question(question=question, choices=list(question.choices.all())) == 0
        self.published ^= {key}

    @rule()
    def freeze(self):
        freeze_pools(quiz=self.quiz)
        self.frozen = set(self.published) or self.frozen

    @invariant()
    def rows_match_what_was_asked(self):
        for item in Item.objects.select_related("slot", "variant", "question"):
            assert item.points == item.slot.points
            if item.variant:
                assert problems.kind_of(item.slot.family, item.slot.options) == item.variant.kind
            else:
                assert item.slot.topic == item.asked["topic"]
                assert lock_wordings([item.question_id])[item.question_id] == item.asked

    @invariant()
    def the_quiz_has_the_slots_that_are_wanted(self):
        slots = list(self.quiz.slots.all())
        assert [(slot.family, slot.points) for slot in slots] == self.wanted
        assert [slot.position for slot in slots] == list(range(1, len(slots) + 1))

    @invariant()
    def every_question_has_one_current_version(self):
        assert set(ConceptQuestion.objects.values_list("key", flat=True)) == set(KEYS)
        assert ConceptQuestion.objects.count() == len(KEYS)


@pytest.mark.parametrize(
    "examples",
    [pytest.param(5, marks=pytest.mark.service), pytest.param(30, marks=pytest.mark.slow)],
)
def test_rows_match_what_was_asked_whatever_authors_do(examples):
    run_state_machine_as_test(
        Editing, settings=settings(max_examples=examples, stateful_step_count=15, deadline=None)
    )
