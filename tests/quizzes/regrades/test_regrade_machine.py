"""Regrades of a few attempts in any order of events: the grades replay to the scores.

Hypothesis makes attempts, regrades, accepts what may have become stale, lets workers append a line
at a time or die of it, undoes, adjusts, reopens and submits again.
"""

import os
from contextlib import ExitStack, suppress
from dataclasses import replace
from datetime import timedelta
from itertools import count
from unittest import mock

import pytest
from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from quizzes.delivery.services import stocking
from quizzes.delivery.services.reopening import reopen_attempt
from quizzes.delivery.services.taking import start_attempt
from quizzes.errors import Refused
from quizzes.models import APPENDING_OUTCOMES, Answer, Attempt, Grade, Item, Ruling, Submission
from quizzes.regrades import services
from quizzes.regrades.queries.dry_runs import dry_run
from quizzes.regrades.queries.marks import current_marks
from quizzes.regrades.queries.regrades import covers
from quizzes.regrades.rules import (
    AttemptTotal,
    accepted_answer,
    is_same_mark,
    mark_changes,
    mark_from_row,
    new_marks,
)
from quizzes.regrades.services import (
    accept_regrade,
    apply_waiting_regrades,
    draft_regrade,
    draft_undo,
    renew_dry_run,
)
from tests.quizzes.regrades.regrade_over import Kind, Scope, prove, regrade_over
from tests.world import (
    Killed,
    answer_everything,
    make_question,
    make_quiz,
    right_fields,
    submit_and_mark,
)

pytestmark = pytest.mark.django_db

CHOSEN = st.sampled_from(["a", "b", "c", ""])
# Offsets of the numbers that answer a position.
OFF = st.tuples(*[st.sampled_from([0, 0.3, 70])] * 2)
POLICY = st.fixed_dictionaries(
    {"never_lower": st.booleans(), "over_hand": st.booleans(), "everywhere": st.booleans()}
)
# These change an answer's maximum, so that "never lower" looks at the whole attempt.
WEIGHED = (Kind.VOID, Kind.POINTS)
# Histories of each kind in the slow test: deliberate faults were found in five, or not in twenty.
HISTORIES = int(os.environ.get("REGRADE_HISTORIES", "8"))


class Regrades(RuleBasedStateMachine):
    # Whether regrades are applied at once and never look at what the whole attempt earned before.
    plain = False

    def __init__(self):
        super().__init__()
        # A repeated history has the same numbers.
        seeds = (f"model {number}" for number in count())
        drawn = mock.Mock(token_hex=lambda _size: next(seeds), choice=lambda unseen: unseen[0])
        self.example = ExitStack()
        self.example.enter_context(mock.patch.object(stocking, "secrets", drawn))
        self.example.enter_context(transaction.atomic())
        self.quiz = make_quiz(
            "model",
            {"family": "cosine", "points": 1},
            {"family": "dot_score", "points": 2},
            {"topic": "model"},
        )
        self.question = make_question("model", "model")
        self.students = self.drafts = 0
        self.chosen = "a"
        self.make("b", (0, 70))

    def teardown(self):
        transaction.set_rollback(True)
        self.example.close()

    def answer(self, attempt, chosen, off):
        def fields(item):
            if item.position == 3:
                return {"answer-choice": chosen}
            typed = right_fields(item)
            return {key: f"{float(typed[key]) + off[item.position - 1]:.3f}" for key in typed}

        answer_everything(attempt, fields)
        submit_and_mark(attempt)

    def make(self, chosen, off):
        self.students += 1
        student = get_user_model().objects.create_user(f"m{self.students}@example.org")
        self.answer(start_attempt(student=student, quiz=self.quiz), chosen, off)

    @precondition(lambda self: self.students < 4)
    @rule(chosen=CHOSEN, off=OFF)
    def hand_in(self, chosen, off):
        self.make(chosen, off)

    @rule(data=st.data(), chosen=CHOSEN, off=OFF)
    def reopen(self, data, chosen, off):
        attempt = data.draw(st.sampled_from(list(Attempt.objects.order_by("pk"))))
        with suppress(Refused):
            until = timezone.now() + timedelta(minutes=5)
            self.answer(reopen_attempt(attempt=attempt, until=until), chosen, off)

    # Regrading

    def draft(self, kind, everywhere=False, **more):
        if self.plain and kind in WEIGHED:
            more["never_lower"] = False
        if everywhere:
            more["sitting"] = None
        with suppress(Refused):  # the choice was not offered, or is void or reopened
            self.drafted(draft_regrade(regrade=regrade_over(self.quiz, kind, **more)))

    def drafted(self, draft):
        """Accept every second draft at once: most that wait for `accept` become stale."""
        self.drafts += 1
        if self.plain or self.drafts % 2:
            with suppress(Refused):
                accept_regrade(regrade=draft, by=None)
        if self.plain:
            self.append_all()

    def answers(self):
        return list(Answer.objects.filter(item__attempt__quiz=self.quiz).order_by("pk"))

    def part(self, data, *scopes):
        """Return one of the scopes, and the object to which it is narrowed."""
        scope = data.draw(st.sampled_from(scopes))
        slots = self.quiz.slots.order_by("position")
        numeric = slots.exclude(family="")
        items = [answer.item for answer in self.answers()]
        variants = [item.variant for item in items if item.variant_id]
        parts = {
            Scope.ALL: [{}],
            Scope.SLOT: [{"slot": slot} for slot in slots],
            Scope.FAMILY: [{"family": slot.family} for slot in numeric],
            Scope.QUESTION: [{"question": self.question}],
            Scope.VARIANT: [{"variant": variant} for variant in variants],
            Scope.ITEM: [{"item": item} for item in items],
        }
        return {"scope": scope, **data.draw(st.sampled_from(parts[scope]))}

    @rule(
        mode=st.sampled_from(["also", "instead", "everybody"]),
        accept=st.sampled_from([["b"], ["a", "c"]]),
        policy=POLICY,
    )
    def correct_the_key(self, mode, accept, policy):
        values = {"mode": mode, "accept": accept}
        self.draft(Kind.KEY, scope=Scope.QUESTION, question=self.question, values=values, **policy)

    @rule(data=st.data(), policy=POLICY)
    def make_void(self, data, policy):
        part = self.part(data, Scope.SLOT, Scope.FAMILY, Scope.QUESTION, Scope.VARIANT, Scope.ALL)
        self.draft(Kind.VOID, **part, **policy)

    @rule(data=st.data(), points=st.integers(1, 5), policy=POLICY)
    def change_points(self, data, points, policy):
        values = {"points": str(points)}
        self.draft(Kind.POINTS, **self.part(data, Scope.SLOT), values=values, **policy)

    # The narrowest accepts three decimals for any numbers drawn, as a repeated history must do
    # the same.
    @rule(data=st.data(), tolerance=st.sampled_from(["0.5", "0.000001", "10"]), policy=POLICY)
    def change_the_tolerance(self, data, tolerance, policy):
        part = self.part(data, Scope.FAMILY, Scope.SLOT)
        self.draft(Kind.TOLERANCE, **part, values={"tolerance": tolerance}, **policy)

    @rule(data=st.data(), policy=POLICY)
    def accept_every_answer(self, data, policy):
        part = self.part(data, Scope.FAMILY, Scope.VARIANT)
        family = part["family"] if "family" in part else part["variant"].family
        item = Item.objects.filter(variant__family=family).select_related("variant").first()
        step = data.draw(st.sampled_from(item.shown["steps"]))
        values = {"accept": [accepted_answer(item.variant.version, step["key"])]}
        self.draft(Kind.ACCEPT, **part, values=values, **policy)

    @rule(data=st.data(), policy=POLICY)
    def mark_again(self, data, policy):
        part = self.part(data, Scope.ALL, Scope.SLOT, Scope.FAMILY, Scope.VARIANT, Scope.ITEM)
        self.draft(Kind.REGRADE, **part, **policy)

    @rule(data=st.data(), points=st.sampled_from(["0", "0.1", "0.333", "1"]))
    def adjust(self, data, points):
        answer = data.draw(st.sampled_from(self.answers()))
        self.draft(Kind.ADJUST, scope=Scope.ITEM, item=answer.item, values={"points": points})

    @rule(data=st.data())
    def undo(self, data):
        """Draft the undoing of any regrade, not only the last."""
        may_be = [made for made in Ruling.objects.order_by("pk") if made.can_be_undone]
        made = data.draw(st.sampled_from([None, *may_be]))
        if made:
            self.drafted(draft_undo(regrade=made, by=None, reason="It was wrong."))

    @rule(data=st.data(), anew=st.booleans())
    def accept(self, data, anew):
        draft = data.draw(st.sampled_from([None, *Ruling.objects.filter(state="draft")]))
        if draft is None:
            return
        with suppress(Refused):
            accept_regrade(regrade=renew_dry_run(regrade=draft) if anew else draft, by=None)

    # Workers

    @rule(lines=st.integers(1, 3), dies=st.booleans())
    def append(self, lines, dies):
        with mock.patch.object(services, "BATCH_SIZE", lines):
            if not dies:
                services._apply_batch()
                return
            death = mock.patch.object(services, "write_totals", side_effect=Killed)
            with death, suppress(Killed):
                services._apply_batch()

    @rule()
    def append_all(self):
        while apply_waiting_regrades():
            pass

    # Invariants

    @invariant()
    def grades_replay_to_scores(self):
        prove()

    @invariant()
    def nobody_is_above_or_below(self):
        assert not Attempt.objects.filter(score__lt=0).exists()
        for attempt in Attempt.objects.filter(score__isnull=False):
            assert attempt.score <= attempt.out_of

    @invariant()
    def without_regrades_marks_are_what_marking_gave(self):
        if Ruling.objects.filter(state__in=["waiting", "applied"]).exclude(kind="undo").exists():
            return
        if Ruling.objects.filter(state="waiting").exists():
            return
        for attempt, answers in self.marks():
            assert attempt.out_of == 4
            for grades in answers:
                assert is_same_mark(grades[0], grades[-1])

    @invariant()
    def a_regrade_that_is_applied_leaves_nothing_to_do(self):
        """Check that the same regrade by the same policy changes nothing more."""
        if Ruling.objects.filter(state="waiting").exists():
            return
        last = Ruling.objects.active().order_by("accepted_at").last()
        newer = Ruling.objects.exclude(state="draft").order_by("accepted_at").last()
        if last is None or last != newer:
            return
        changes, _summary = dry_run(last)
        assert not [each for each in changes if each.outcome in APPENDING_OUTCOMES]

    def marks(self):
        for attempt in Attempt.objects.filter(score__isnull=False):
            counting = Answer.objects.filter(
                item__attempt=attempt, submission__number=attempt.reopened + 1
            )
            yield attempt, [self.marks_of(answer) for answer in counting]

    def marks_of(self, answer):
        grades = Grade.objects.filter(answer=answer).order_by("revision")
        return [mark_from_row(g.points, g.out_of, g.verdict, g.mistake, g.steps) for g in grades]

    @invariant()
    def what_is_handed_in_is_marked(self):
        assert not Submission.objects.exclude(state="graded").exists()


class PlainRegrades(Regrades):
    """Marks follow from the answers and the standing regrades alone, in any order of events.

    Policies that look at what the whole attempt earned before are left out.
    """

    plain = True

    @invariant()
    def marks_are_what_the_standing_regrades_make_of_what_was_typed(self):
        if Ruling.objects.filter(state="waiting").exists():
            return
        counting = Ruling.objects.filter(state="applied").exclude(kind=Kind.UNDO)
        standing = list(counting.order_by("accepted_at", "pk"))
        counting = Answer.objects.counting().filter(item__attempt__quiz=self.quiz)
        for current in current_marks(Q(answer__in=counting), quiz=self.quiz.pk, numbers=True):
            typed = replace(current, mark=self.marks_of(current.answer)[0])
            assert is_same_mark(current.mark, self.recomputed(typed, standing))

    def recomputed(self, current, standing):
        """Return the grade after one regrade after another, each under the tolerance by then."""
        current = replace(current, tolerance="", accepts=[], by_hand=False)
        for regrade in standing:
            if not covers(regrade, current):
                continue
            by_hand = regrade.kind == Kind.ADJUST
            if by_hand and not regrade.lines.filter(answer=current.answer).exists():
                continue  # it belongs to a submission before the reopening
            alone = {current.attempt: AttemptTotal(current.mark.points, current.mark.out_of)}
            new = new_marks(regrade, [current])
            for change in mark_changes(regrade, [current], new, alone, pass_mark=60):
                if change.outcome in APPENDING_OUTCOMES:
                    current = replace(current, mark=change.after)
            if regrade.kind == Kind.TOLERANCE:
                current = replace(current, tolerance=regrade.values["tolerance"])
            if regrade.kind == Kind.ACCEPT:
                accepts = [*current.accepts, *regrade.values["accept"]]
                current = replace(current, accepts=accepts)
            current = replace(current, by_hand=current.by_hand or by_hand)
        return current.mark


@pytest.mark.parametrize("machine", [Regrades, PlainRegrades])
@pytest.mark.parametrize(
    ("examples", "steps"),
    [
        # PostgreSQL has other statements, but the same rules.
        pytest.param(3, 20, marks=pytest.mark.service),
        pytest.param(HISTORIES, 50, marks=pytest.mark.slow),
    ],
)
def test_the_grades_replay_to_the_scores(machine, examples, steps):
    run_state_machine_as_test(
        machine, settings=settings(max_examples=examples, stateful_step_count=steps, deadline=None)
    )
