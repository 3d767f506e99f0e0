"""Submitting: once, in time, with everything that was typed."""

from datetime import timedelta

import pytest
from django.core.cache import caches
from django.db import connection, transaction
from django.db.models.signals import post_save
from django.utils import timezone

from quizzes.delivery.services.taking import Save, close_overdue, start_attempt, submit_attempt
from quizzes.items.skills import Skill
from quizzes.models import Answer, Attempt, Submission
from quizzes.practice.services import practise_skill
from tests.each import each
from tests.world import Threads, let_time_run_out, refresh, replace_wording, save_answer

POSITION = 3  # softmax_row with two tokens


def typed(attempt):
    return Answer.objects.get(item__attempt=attempt, item__position=POSITION).raw["weights"]


def carrying(text, *, revision=0, token=""):
    return {POSITION: Save({"weights-0-0": text}, revision, token)}


def draft(attempt, text, token="t"):
    return save_answer(attempt.items.get(position=POSITION), {"weights-0-0": text}, token=token)


def overdue(attempt, minutes=0.02):
    let_time_run_out(attempt, minutes * 60)


@pytest.fixture
def two_overdue(attempt, quiz, other_student):
    """Two attempts, of which the first is overdue by a minute more."""
    other = start_attempt(student=other_student, quiz=quiz)
    overdue(attempt, 2)
    overdue(other, 1)
    return attempt, other


@pytest.mark.service
def test_drafts_become_answers_that_wait(attempt):
    draft(attempt, "0.5")
    submission = submit_attempt(attempt=attempt)
    assert submission.state == "waiting"
    assert Answer.objects.filter(submission=submission).count() == 6
    assert typed(attempt) == ["0.5", ""]
    assert (refresh(attempt).state, attempt.closed_by_clock) == ("submitted", False)


@each("saved_by, counts", [("this page", "0.25"), ("other tab", "0.2")])
def test_what_was_typed_after_this_pages_last_save_counts_and_a_draft_saved_elsewhere_stands(
    attempt, saved_by, counts
):
    draft(attempt, "0.2", token=saved_by)
    submit_attempt(attempt=attempt, saves=carrying("0.25", revision=0, token="this page"))
    assert typed(attempt) == [counts, ""]


def test_what_a_submit_carries_counts_and_submitting_again_returns_the_same(attempt):
    first = submit_attempt(attempt=attempt, saves=carrying("1"))
    assert submit_attempt(attempt=attempt, saves=carrying("2")) == first
    assert typed(attempt) == ["1", ""]


@pytest.mark.service
@pytest.mark.django_db(transaction=True)
def test_many_submits_at_once_make_one_submission(attempt):
    def submit(_):
        return submit_attempt(attempt=attempt).pk

    with Threads(8) as pool:
        assert len(set(pool.map(submit, range(8)))) == 1
    assert Answer.objects.count() == 6


@pytest.mark.service
def test_after_the_grace_the_drafts_count_and_the_late_content_does_not(attempt):
    draft(attempt, "in time")
    overdue(attempt)
    submit_attempt(attempt=attempt, saves=carrying("late", revision=1))
    assert typed(attempt) == ["in time", ""]
    assert refresh(attempt).closed_by_clock


@pytest.mark.parametrize(("left", "by_clock"), [(3, False), (0.5, True), (-3, True)])
def test_what_the_page_hands_in_at_zero_was_ended_by_the_clock(attempt, left, by_clock):
    Attempt.objects.filter(pk=attempt.pk).update(deadline=timezone.now() + timedelta(seconds=left))
    submit_attempt(attempt=attempt, saves=carrying("0.25"))
    assert typed(attempt) == ["0.25", ""]
    assert refresh(attempt).closed_by_clock is by_clock


@pytest.mark.service
def test_the_sweep_closes_what_is_overdue_with_its_drafts_and_nothing_within_its_grace(attempt):
    draft(attempt, "0.5")
    overdue(attempt, -5 / 60)
    assert close_overdue() == 0
    overdue(attempt)
    assert close_overdue() == 1
    assert typed(attempt) == ["0.5", ""]
    assert close_overdue() == 0


def test_what_runs_on_does_not_keep_the_sweep_from_what_is_overdue(attempt, student):
    practise_skill(student=student, skill=Skill("family", "cosine"))
    overdue(attempt)
    assert close_overdue(seconds=0) == 1


@pytest.mark.service
def test_a_sweep_closes_as_many_as_it_may_the_longest_overdue_first(two_overdue):
    assert close_overdue(seconds=0) == 1
    assert Submission.objects.get().attempt == two_overdue[0]
    assert close_overdue() == 1


@pytest.mark.service
def test_a_sweep_leaves_what_was_given_more_time_while_it_ran(two_overdue):
    _first, later = two_overdue

    def give_time(**closed):
        overdue(later, -5)

    post_save.connect(give_time, sender=Submission)
    try:
        assert close_overdue() == 1
    finally:
        post_save.disconnect(give_time, sender=Submission)
    assert refresh(later).is_open


@pytest.mark.service
def test_one_that_cannot_be_closed_keeps_no_other_open(two_overdue, caplog):
    caches["local"].clear()
    attempt, other = two_overdue
    item = attempt.items.get(position=POSITION)
    replace_wording(item, {})  # it cannot be frozen
    assert close_overdue() == 1
    assert Submission.objects.get().attempt == other
    assert f"attempt {attempt.pk} needs attention" in caplog.text
    replace_wording(item, item.shown)
    caches["local"].clear()  # a minute later
    assert close_overdue() == 1


@pytest.mark.service
@pytest.mark.django_db(transaction=True)
def test_one_that_somebody_holds_keeps_no_other_open(two_overdue):
    if not connection.features.has_select_for_update_skip_locked:
        pytest.skip("SQLite locks no single rows")
    with transaction.atomic(), Threads(1) as pool:
        Attempt.objects.select_for_update().get(pk=two_overdue[0].pk)
        assert pool.submit(close_overdue).result(10) == 1
    assert close_overdue() == 1


def test_a_save_whose_receipt_was_lost_gets_it_though_the_submit_carried_it_too(attempt):
    first = draft(attempt, "0.5", token="saved")
    submit_attempt(attempt=attempt, saves=carrying("0.5", revision=1, token="form"))
    again = save_answer(first, {"weights-0-0": "0.5"}, revision=0, token="saved")
    assert (again.revision, again.token, again.saved_at) == (1, "saved", first.saved_at)


def test_a_submit_writes_only_what_it_changes(attempt):
    submit_attempt(attempt=attempt, saves=carrying("0.5") | {1: Save({}, 0, "form")})
    revisions = dict(attempt.items.values_list("position", "revision"))
    assert revisions == {position: int(position == POSITION) for position in range(1, 7)}


@pytest.mark.service
@pytest.mark.django_db(transaction=True)
def test_sweeps_and_a_submit_at_once_make_one_submission(attempt):
    overdue(attempt)

    def act(n):
        return submit_attempt(attempt=attempt) if n % 2 else close_overdue()

    with Threads(6) as pool:
        list(pool.map(act, range(6)))
    assert Submission.objects.count() == 1
    assert Answer.objects.count() == 6
