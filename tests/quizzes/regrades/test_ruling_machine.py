"""Rulings over a few attempts, whatever happens in whatever order: the grades replay to the scores.

Hypothesis makes attempts, rules, accepts what may have become stale, lets workers append a line at
a time or die of it, undoes, adjusts, reopens and hands in again.
"""

from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
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

from quizzes.delivery.services.reopening import reopen_attempt
from quizzes.delivery.services.taking import start_attempt, submit_attempt
from quizzes.errors import Refused
from quizzes.marking.services import grade_waiting
from quizzes.models import (
    STANDING,
    Answer,
    Attempt,
    Choice,
    ConceptQuestion,
    Grade,
    Quiz,
    Ruling,
    Submission,
)
from quizzes.regrades import services as regrade_services
from quizzes.regrades.queries.dry_runs import dry_run
from quizzes.regrades.queries.marks import held_marks
from quizzes.regrades.queries.rulings import counts, covers, rule_of
from quizzes.regrades.rules import Tried, decide, mark_of_row, same
from quizzes.regrades.services import (
    accept_ruling,
    apply_waiting,
    draft_ruling,
    draft_undo,
    renew_dry_run,
)
from tests.quizzes.answering import answer_everything, right_fields, wrong_fields
from tests.quizzes.regrades.ruling_over import Kind, Scope, prove, ruling_over

pytestmark = [pytest.mark.service, pytest.mark.django_db]

CHOSEN = st.sampled_from(["a", "b", "c", ""])


class Killed(BaseException):
    """What becomes of a worker in the midst of its work."""


class Rulings(RuleBasedStateMachine):
    # What is ruled may lower a mark and is applied at once, and nothing is adjusted by hand.
    plain = False

    def __init__(self):
        super().__init__()
        self.example = transaction.atomic()
        self.example.__enter__()
        self.quiz = Quiz.objects.create(slug="model", title="Model", published=True)
        for position in (1, 2):
            self.quiz.slots.create(position=position, family="cosine", points=position)
        self.quiz.slots.create(position=3, topic="model")
        self.question = ConceptQuestion.objects.create(
            key="model", topic="model", prompt="?", published=True
        )
        for order, key in enumerate("abcd"):
            Choice.objects.create(
                question=self.question, key=key, text=key, correct=key == "a", feedback=key,
                order=order,
            )  # fmt: skip
        self.students = 0
        self.chosen = "a"
        self.make("b", 1)

    def teardown(self):
        transaction.set_rollback(True)
        self.example.__exit__(None, None, None)

    def answer(self, attempt, chosen, right):
        def fields(item):
            if item.position == 3:
                return {"answer-choice": chosen}
            return right_fields(item) if item.position <= right else wrong_fields(item)

        answer_everything(attempt, fields)
        submit_attempt(attempt=attempt)
        grade_waiting()

    def make(self, chosen, right):
        self.students += 1
        student = get_user_model().objects.create_user(f"m{self.students}@example.org")
        self.answer(start_attempt(student=student, quiz=self.quiz), chosen, right)

    @precondition(lambda self: self.students < 4)
    @rule(chosen=CHOSEN, right=st.integers(0, 2))
    def hand_in(self, chosen, right):
        self.make(chosen, right)

    @rule(data=st.data(), chosen=CHOSEN, right=st.integers(0, 2))
    def reopen(self, data, chosen, right):
        attempt = data.draw(st.sampled_from(list(Attempt.objects.order_by("pk"))))
        with suppress(Refused):
            until = timezone.now() + timedelta(minutes=5)
            self.answer(reopen_attempt(attempt=attempt, until=until), chosen, right)

    # Ruling

    def draft(self, kind, **more):
        if self.plain:
            more["never_lower"] = False
        self.drafted(draft_ruling(ruling=ruling_over(self.quiz, kind, **more)))

    def drafted(self, draft):
        if self.plain:
            with suppress(Refused):
                accept_ruling(ruling=draft, by=None)
            self.append_all()

    @rule(
        mode=st.sampled_from(["also", "instead", "everybody"]),
        never_lower=st.booleans(),
        over_hand=st.booleans(),
    )
    def correct_the_key(self, mode, **policy):
        values = {"mode": mode, "accept": ["b"]}
        with suppress(Refused):  # nobody was offered it
            self.draft(
                Kind.KEY, scope=Scope.QUESTION, question=self.question, values=values, **policy
            )

    @rule(position=st.integers(0, 3), never_lower=st.booleans())
    def make_void(self, position, never_lower):
        slot = self.quiz.slots.filter(position=position).first()
        scope = Scope.SLOT if slot else Scope.ALL
        self.draft(Kind.VOID, scope=scope, slot=slot, never_lower=never_lower)

    @rule(position=st.integers(1, 3), points=st.integers(1, 5), never_lower=st.booleans())
    def change_points(self, position, points, never_lower):
        slot = self.quiz.slots.get(position=position)
        values = {"points": str(points)}
        self.draft(Kind.POINTS, scope=Scope.SLOT, slot=slot, values=values, never_lower=never_lower)

    @rule(tolerance=st.sampled_from(["0.5", "0.0001", "10"]))
    def change_the_tolerance(self, tolerance):
        self.draft(
            Kind.TOLERANCE,
            scope=Scope.FAMILY,
            family="cosine",
            values={"tolerance": tolerance},
            never_lower=False,
        )

    @rule(never_lower=st.booleans())
    def mark_again(self, never_lower):
        self.draft(Kind.REGRADE, never_lower=never_lower)

    @precondition(lambda self: not self.plain)
    @rule(data=st.data(), points=st.sampled_from(["0", "0.1", "0.333", "1"]))
    def adjust(self, data, points):
        answers = Answer.objects.filter(item__attempt__quiz=self.quiz).order_by("pk")
        answer = data.draw(st.sampled_from(list(answers)))
        with suppress(Refused):  # void, or reopened
            self.draft(Kind.ADJUST, scope=Scope.ITEM, item=answer.item, values={"points": points})

    @rule(data=st.data())
    def undo(self, data):
        made = data.draw(st.sampled_from([None, *Ruling.objects.order_by("pk")]))
        if made and made.may_be_undone:
            self.drafted(draft_undo(ruling=made, by=None, reason="It was wrong."))

    @rule(data=st.data(), anew=st.booleans())
    def accept(self, data, anew):
        draft = data.draw(st.sampled_from([None, *Ruling.objects.filter(state="draft")]))
        if draft is None:
            return
        with suppress(Refused):
            accept_ruling(ruling=renew_dry_run(ruling=draft) if anew else draft, by=None)

    # Workers

    @rule(lines=st.integers(1, 3), dies=st.booleans())
    def append(self, lines, dies):
        with mock.patch.object(regrade_services, "BATCH", lines):
            if not dies:
                regrade_services._apply_batch()
                return
            death = mock.patch.object(regrade_services, "keep_totals", side_effect=Killed)
            with death, suppress(Killed):
                regrade_services._apply_batch()

    @rule()
    def append_all(self):
        while apply_waiting():
            pass

    # What must be

    @invariant()
    def grades_replay_to_scores(self):
        prove()

    @invariant()
    def nobody_is_above_or_below(self):
        assert not Attempt.objects.filter(score__lt=0).exists()
        for attempt in Attempt.objects.filter(score__isnull=False):
            assert attempt.score <= attempt.out_of

    @invariant()
    def without_rulings_marks_are_what_marking_gave(self):
        if Ruling.objects.filter(state__in=["waiting", "applied"]).exclude(kind="undo").exists():
            return
        if Ruling.objects.filter(state="waiting").exists():
            return
        for attempt, answers in self.marks():
            assert attempt.out_of == 4
            for grades in answers:
                assert same(grades[0], grades[-1])

    @invariant()
    def a_ruling_that_is_applied_leaves_nothing_to_do(self):
        """Whoever rules the same again, by the same policy, changes nothing."""
        if Ruling.objects.filter(state="waiting").exists():
            return
        last = Ruling.objects.filter(STANDING).order_by("accepted_at").last()
        newer = Ruling.objects.exclude(state="draft").order_by("accepted_at").last()
        if last is None or last != newer:
            return
        for outcome in dry_run(last):
            assert not [each for each in outcome.decided if each.appends]

    def marks(self):
        for attempt in Attempt.objects.filter(score__isnull=False):
            counting = Answer.objects.filter(
                item__attempt=attempt, submission__number=attempt.reopened + 1
            )
            yield attempt, [self.marks_of(answer) for answer in counting]

    def marks_of(self, answer):
        grades = Grade.objects.filter(answer=answer).order_by("revision")
        return [mark_of_row(g.points, g.out_of, g.verdict, g.mistake, g.steps) for g in grades]

    @invariant()
    def what_is_handed_in_is_marked(self):
        assert not Submission.objects.exclude(state="graded").exists()


class PlainRulings(Rulings):
    """Without a policy that looks at what a mark was before, marks follow from what was typed."""

    plain = True

    @invariant()
    def marks_are_what_the_standing_rulings_make_of_what_was_typed(self):
        if Ruling.objects.filter(state="waiting").exists():
            return
        standing = list(Ruling.objects.filter(STANDING).order_by("accepted_at", "pk"))
        for attempt, answers in self.typed():
            for answer, held in answers:
                assert same(self.marks_of(answer)[-1], self.recomputed(attempt, held, standing))

    def typed(self):
        """Each attempt, and its answers with the mark that nobody has ruled over."""
        for attempt in Attempt.objects.filter(score__isnull=False):
            counting = counts("answer__") & Q(answer__item__attempt=attempt)
            found = held_marks(counting, quiz=self.quiz.pk, numbers=True)
            for held in found[attempt.pk]:
                marked = self.marks_of(Answer.objects.get(pk=held.answer))[0]
                yield attempt, [(Answer.objects.get(pk=held.answer), replace(held, mark=marked))]

    def recomputed(self, attempt, held, standing):
        """One ruling after another, each under the tolerance that stood by then."""
        held = replace(held, tolerance="", by_hand=False)
        for ruling in standing:
            if not covers(ruling, held.where):
                continue
            tried = Tried(attempt.pk, 60, held.mark.points, held.mark.out_of, [held])
            (outcome,) = decide(rule_of(ruling), [tried])
            for decided in outcome.decided:
                held = replace(held, mark=decided.mark)
            if ruling.kind == Kind.TOLERANCE:
                held = replace(held, tolerance=ruling.values["tolerance"])
        return held.mark


@pytest.mark.parametrize("machine", [Rulings, PlainRulings])
@pytest.mark.parametrize(
    ("examples", "steps"), [(5, 25), pytest.param(50, 50, marks=pytest.mark.slow)]
)
def test_the_grades_replay_to_the_scores(machine, examples, steps):
    run_state_machine_as_test(
        machine,
        settings=settings(max_examples=examples, stateful_step_count=steps, deadline=None),
    )
