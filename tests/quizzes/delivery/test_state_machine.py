"""A student and a quiz in any order of events, compared with a small model.

Hypothesis starts, saves, retries, submits, lets time run out, gives more time, reopens, marks,
kills a grader and marks again, in any order; after each step the database is compared with the
model.
"""

from contextlib import suppress
from datetime import timedelta
from unittest import mock

import pytest
from django.contrib.auth import get_user_model
from django.db import transaction
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

from quizzes.delivery.services.deadlines import grant_extra_time
from quizzes.delivery.services.reopening import reopen_attempt
from quizzes.delivery.services.taking import (
    Save,
    close_overdue,
    save_draft,
    start_attempt,
    submit_attempt,
)
from quizzes.errors import NotOpen, Outdated
from quizzes.marking.services import MAX_TRIES, grade_waiting, queue_again
from quizzes.models import GRACE, Attempt, ExtraTime, Grade, Item, Submission
from quizzes.problems.answers import fields_of, nest
from tests.world import Killed, make_question, make_quiz

pytestmark = pytest.mark.django_db

POSITIONS = (1, 2)
TYPED = st.sampled_from(["", "0.5", "-1", "1e", "exp(0)", "a", "b"])


class Taking(RuleBasedStateMachine):
    """The model: the acknowledged drafts, their attempt, and what has been submitted."""

    def __init__(self):
        super().__init__()
        self.example = transaction.atomic()
        self.example.__enter__()
        self.student = get_user_model().objects.create_user("model@example.org")
        self.quiz = make_quiz("model", {"family": "cosine"}, {"topic": "model"})
        make_question("model", "model")
        self.open: Attempt | None = None
        self.drafts: dict[int, dict[str, str]] = {}
        self.revisions: dict[int, int] = {}
        self.last_saves: dict[int, Save] = {}
        self.handed_in: dict[int, dict[int, dict[str, str]]] = {}
        self.saves = 0
        self.expired = False

    def teardown(self):
        transaction.set_rollback(True)
        self.example.__exit__(None, None, None)

    def end(self):
        """End the model's attempt: its acknowledged drafts are its answers."""
        self.handed_in[self.open.pk] = self.drafts
        self.open, self.expired = None, False

    def item(self, position: int) -> Item:
        return Item.objects.get(attempt=self.open, position=position)

    # Taking

    @rule()
    def start(self):
        if self.expired:
            self.end()
        attempt = start_attempt(student=self.student, quiz=self.quiz)
        if self.open:
            assert attempt == self.open
        else:
            assert attempt.pk not in self.handed_in
            self.open = attempt
            self.drafts = {position: {} for position in POSITIONS}
            self.revisions = dict.fromkeys(POSITIONS, 0)
            self.last_saves = {}

    @precondition(lambda self: self.open)
    @rule(position=st.sampled_from(POSITIONS), text=TYPED, is_old=st.booleans())
    def save(self, position, text, is_old):
        (field,) = fields_of(self.item(position).shown)
        self.saves += 1
        save = Save({field: text}, self.revisions[position] - is_old, f"token-{self.saves}")
        if self.expired or is_old:
            with pytest.raises(NotOpen if self.expired else Outdated):
                save_draft(attempt=self.open, position=position, save=save)
            return
        item = save_draft(attempt=self.open, position=position, save=save)
        self.drafts[position] = {field: text}
        self.revisions[position] += 1
        self.last_saves[position] = save
        assert (item.draft, item.revision) == (self.drafts[position], self.revisions[position])

    @precondition(lambda self: self.open and self.last_saves)
    @rule(data=st.data())
    def retry(self, data):
        position = data.draw(st.sampled_from(sorted(self.last_saves)))
        item = save_draft(attempt=self.open, position=position, save=self.last_saves[position])
        assert item.revision == self.revisions[position]

    @precondition(lambda self: self.open)
    @rule(text=TYPED, twice=st.booleans())
    def submit(self, text, twice):
        carried = {2: Save({"answer-choice": text}, self.revisions[2], "carried")}
        submission = submit_attempt(attempt=self.open, saves=carried)
        if not self.expired:
            self.drafts[2] = self.drafts[2] | {"answer-choice": text}
        if twice:
            assert submit_attempt(attempt=self.open, saves=carried) == submission
        self.end()

    @precondition(lambda self: self.handed_in and not self.open)
    @rule(data=st.data())
    def reopen(self, data):
        pk = data.draw(st.sampled_from(sorted(self.handed_in)))
        until = timezone.now() + timedelta(minutes=23)
        self.open = reopen_attempt(attempt=Attempt.objects.get(pk=pk), until=until)
        self.drafts = self.handed_in.pop(pk)
        self.revisions = dict(self.open.items.values_list("position", "revision"))
        self.last_saves = {}

    # The clock

    @precondition(lambda self: self.open)
    @rule()
    def expire(self):
        past = timezone.now() - GRACE - timedelta(seconds=1)
        Attempt.objects.filter(pk=self.open.pk).update(deadline=past, extra_time=timedelta())
        ExtraTime.objects.all().delete()
        self.expired = True

    @precondition(lambda self: self.open and not self.expired)
    @rule(minutes=st.integers(1, 60))
    def extend(self, minutes):
        before = Attempt.objects.get(pk=self.open.pk).deadline
        granted = ExtraTime.objects.filter(student=self.student).first()
        granted = granted or ExtraTime(student=self.student)
        granted.minutes = minutes
        grant_extra_time(granted=granted)
        assert Attempt.objects.get(pk=self.open.pk).deadline >= before

    @rule()
    def sweep(self):
        assert close_overdue() == int(self.expired)
        if self.expired:
            self.end()

    # Marking

    @rule()
    def grade(self):
        assert grade_waiting() is False

    @precondition(lambda self: self.handed_in)
    @rule()
    def kill_a_grader(self):
        with mock.patch("quizzes.marking.services._write", side_effect=Killed), suppress(Killed):
            grade_waiting()
        # Its claim expires.
        Submission.objects.filter(claimed_until__isnull=False).update(
            claimed_until=timezone.now() - timedelta(seconds=1)
        )

    @rule()
    def mark_again(self):
        queue_again(submissions=Submission.objects.all())

    # Invariants

    @invariant()
    def what_was_acknowledged_is_what_is_marked(self):
        for pk, drafts in self.handed_in.items():
            for answer in Submission.objects.final().get(attempt=pk).answers.select_related("item"):
                assert answer.raw == nest(answer.item.shown, drafts[answer.item.position])

    @invariant()
    def every_attempt_is_open_or_handed_in_once(self):
        attempts = dict(Attempt.objects.values_list("pk", "state"))
        wanted = dict.fromkeys(self.handed_in, Attempt.State.SUBMITTED)
        if self.open:
            wanted[self.open.pk] = Attempt.State.OPEN
        assert attempts == wanted
        submitted = Submission.objects.final().values_list("attempt", flat=True)
        assert sorted(submitted) == sorted(self.handed_in)

    @invariant()
    def what_is_handed_in_is_marked_or_visibly_waits(self):
        for submission in Submission.objects.all():
            grades = Grade.objects.filter(answer__submission=submission)
            attempt = Attempt.objects.get(pk=submission.attempt_id)
            counts = submission.number == attempt.reopened + 1
            score = attempt.score if counts else None
            if submission.state == Submission.State.GRADED:
                assert grades.count() == len(POSITIONS)
                marked = pytest.approx(sum(grades.values_list("points", flat=True)))
                assert score == (marked if counts else None)
            else:
                assert not grades.exists()
                assert score is None
                assert submission.state == Submission.State.WAITING or (
                    submission.tries >= MAX_TRIES
                )


@pytest.mark.parametrize(
    "examples",
    [pytest.param(15, marks=pytest.mark.service), pytest.param(60, marks=pytest.mark.slow)],
)
def test_whatever_happens_nothing_is_lost_and_nothing_is_marked_twice(examples):
    run_state_machine_as_test(
        Taking, settings=settings(max_examples=examples, stateful_step_count=25, deadline=None)
    )
