"""Dry runs that are too long for a request: workers make them, part by part."""

from datetime import timedelta
from unittest import mock

import pytest
from django.db import connection
from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from quizzes.errors import Refused
from quizzes.models import Ruling, RulingLine
from quizzes.regrades import services
from quizzes.regrades.queries import dry_runs
from quizzes.regrades.services import (
    accept_regrade,
    discard_regrade,
    draft_undo,
    renew_dry_run,
    run_waiting_dry_runs,
)
from tests.quizzes.reading import Page
from tests.quizzes.regrades.regrade_over import Kind, apply_all, drafted, make_student, prove, score
from tests.world import (
    Threads,
    found_in,
    missing_in,
    refresh,
    right_fields,
    take_quiz,
    wrong_fields,
)

pytestmark = pytest.mark.django_db

EACH = 6  # the questions of an attempt


@pytest.fixture
def attempts(quiz):
    """Three attempts, one of which is all wrong."""
    fields = (right_fields, wrong_fields, right_fields)
    return [take_quiz(make_student(n), quiz, each) for n, each in enumerate(fields)]


@pytest.fixture
def long(attempts, monkeypatch):
    """Limits under which three attempts are too long, and one is a worker's part."""
    monkeypatch.setattr(dry_runs, "MAX_ANSWERS_IN_REQUEST", 3 * EACH - 1)
    monkeypatch.setattr(services, "PART_SIZE", EACH)


def void(quiz):
    return drafted(quiz, Kind.VOID, never_lower=False)


def dry_run_result(regrade):
    """Return the whole result of a dry run: its summary and lines."""
    columns = [field.attname for field in RulingLine._meta.fields]
    columns = [name for name in columns if name not in ("id", "ruling_id")]
    return refresh(regrade).summary, list(regrade.lines.order_by("answer").values_list(*columns))


def renew_with_a_policy(draft):
    renew_dry_run(regrade=draft, never_lower=True)


def discard(draft):
    discard_regrade(regrade=draft)


def run_all():
    while run_waiting_dry_runs():
        pass


def test_as_many_answers_as_a_request_may_are_run_over_at_once(quiz, attempts, monkeypatch):
    monkeypatch.setattr(dry_runs, "MAX_ANSWERS_IN_REQUEST", 3 * EACH)
    assert not void(quiz).is_running
    monkeypatch.setattr(dry_runs, "MAX_ANSWERS_IN_REQUEST", 3 * EACH - 1)
    assert void(quiz).is_running


@pytest.mark.service
def test_workers_find_what_a_request_would(quiz, attempts, monkeypatch):
    at_once = void(quiz)
    monkeypatch.setattr(dry_runs, "MAX_ANSWERS_IN_REQUEST", 1)
    monkeypatch.setattr(services, "PART_SIZE", 1)
    by_workers = void(quiz)
    assert not by_workers.lines.exists()
    run_all()
    assert dry_run_result(by_workers) == dry_run_result(at_once)
    assert not refresh(by_workers).is_running


def test_undoing_much_is_workers_work_too(quiz, long, attempts):
    rule_all = void(quiz)
    run_all()
    accept_regrade(regrade=rule_all, by=None)
    apply_all()
    undo = draft_undo(regrade=refresh(rule_all), by=None, reason="It was right.")
    assert undo.is_running
    run_all()
    accept_regrade(regrade=undo, by=None)
    apply_all()
    assert [score(each) for each in attempts] == [(6, 6), (0, 6), (6, 6)]
    prove()


def test_it_cannot_be_applied_before_it_is_over(quiz, long):
    draft = void(quiz)
    services._run_part(services._claim_dry_run())
    with pytest.raises(Refused, match="is still in progress"):
        accept_regrade(regrade=draft, by=None)
    run_all()
    accept_regrade(regrade=draft, by=None)
    apply_all()
    assert (refresh(draft).state, draft.lines_done) == ("applied", 3 * EACH)


@pytest.mark.service
def test_a_part_lost_with_its_worker_is_run_again_once_its_claim_ends(quiz, attempts, monkeypatch):
    expected = dry_run_result(void(quiz))
    monkeypatch.setattr(dry_runs, "MAX_ANSWERS_IN_REQUEST", 1)
    monkeypatch.setattr(services, "PART_SIZE", EACH)
    draft = void(quiz)
    services._run_part(services._claim_dry_run())
    dies = mock.patch.object(services, "_write_lines", side_effect=KeyboardInterrupt)
    with dies, pytest.raises(KeyboardInterrupt):
        run_waiting_dry_runs()
    assert refresh(draft).lines_done == EACH == draft.lines.count()
    assert not run_waiting_dry_runs()  # its claim has not expired
    assert refresh(draft).is_running
    Ruling.objects.filter(pk=draft.pk).update(claimed_until=timezone.now() - timedelta(seconds=1))
    run_all()
    assert dry_run_result(draft) == expected


def test_a_part_that_fails_is_left_alone_for_minutes(quiz, long):
    draft = void(quiz)
    fails = mock.patch.object(services, "dry_run", side_effect=ZeroDivisionError)
    with fails, pytest.raises(ZeroDivisionError):
        run_waiting_dry_runs()
    assert refresh(draft).claimed_until > timezone.now() + timedelta(minutes=9)
    assert not run_waiting_dry_runs()
    renew_dry_run(regrade=draft, never_lower=True)
    run_all()
    assert not refresh(draft).is_running


def test_a_part_of_what_was_asked_for_before_is_thrown_away(quiz, long):
    draft = void(quiz)
    claimed = services._claim_dry_run()
    renewed = renew_dry_run(regrade=draft, never_lower=True)
    services._run_part(claimed)
    assert not draft.lines.exists()
    run_all()
    assert (
        refresh(renewed).summary["kept"] == 2 * EACH == draft.lines.filter(outcome="kept").count()
    )


@pytest.mark.service
def test_a_part_of_a_discarded_draft_is_thrown_away(quiz, long):
    draft = void(quiz)
    claimed = services._claim_dry_run()
    discard_regrade(regrade=draft)
    services._run_part(claimed)
    assert not RulingLine.objects.exists()


@pytest.mark.service
@pytest.mark.parametrize("meanwhile", [renew_with_a_policy, discard])
def test_what_is_asked_anew_or_discarded_while_a_worker_claims_it_is_nobodys(quiz, long, meanwhile):
    draft, update, patch = void(quiz), QuerySet.update, pytest.MonkeyPatch()

    def claimed_and_then(queryset, **values):
        found = update(queryset, **values)
        patch.undo()
        meanwhile(draft)
        return found

    patch.setattr(QuerySet, "update", claimed_and_then)
    assert services._claim_dry_run() is None


def test_asking_again_while_it_runs_begins_nothing_anew(quiz, long):
    draft = void(quiz)
    services._run_part(services._claim_dry_run())
    assert renew_dry_run(regrade=draft).lines_done == EACH
    assert (renew_dry_run(regrade=draft, tells=True).lines_done, draft.lines.count()) == (0, 0)


@pytest.mark.service
def test_marks_that_change_while_it_runs_have_it_made_anew(quiz, long, attempts):
    draft = void(quiz)
    services._run_part(services._claim_dry_run())
    take_quiz(make_student(9), quiz)
    assert (renew_dry_run(regrade=draft).lines_to_do, draft.lines.count()) == (4 * EACH, 0)


@pytest.mark.service
@pytest.mark.django_db(transaction=True)
def test_two_workers_and_two_who_press_at_once_make_it_once(quiz, attempts, monkeypatch):
    expected = dry_run_result(void(quiz))
    monkeypatch.setattr(dry_runs, "MAX_ANSWERS_IN_REQUEST", 1)
    monkeypatch.setattr(services, "PART_SIZE", 1)
    draft, parts = void(quiz), []
    run_over = services.dry_run

    def counted(regrade, some):
        parts.append(tuple(some))
        return run_over(regrade, some)

    monkeypatch.setattr(services, "dry_run", counted)
    presses = [lambda: renew_dry_run(regrade=draft)] * 2
    with Threads(4) as threads:
        list(threads.map(lambda do: do(), [run_all, *presses, run_all]))
    run_all()
    assert dry_run_result(draft) == expected
    assert sorted(parts) == [(each.pk,) for each in attempts]


@pytest.mark.service
@pytest.mark.django_db(transaction=True)
def test_the_same_regrade_saved_by_two_at_once_is_one_draft(quiz, long):
    with Threads(2) as threads:
        drafts = list(threads.map(void, [quiz] * 2))
    assert len({each.pk for each in drafts}) == Ruling.objects.count() == 1
    assert void(quiz) in drafts
    other = drafted(quiz, Kind.VOID, never_lower=True)
    run_all()
    assert [each.summary["lower"] for each in drafts if refresh(each)] == [2 * EACH] * 2
    assert refresh(other).summary["kept"] == 2 * EACH
    assert void(quiz) not in drafts  # that one is complete, and its author may be working on it


@pytest.fixture
def desk(admin_client, long, quiz):
    """An administrator's client, and the address of the site's regrades."""
    return admin_client, "/rulings/"


def test_its_page_says_how_far_it_is_and_offers_nothing_yet(desk, quiz):
    client, base = desk
    draft = void(quiz)
    services._run_part(services._claim_dry_run())
    shown = client.get(f"{base}{draft.pk}/").content.decode()
    assert missing_in(shown, "6 of 18 answers", '<progress max="18" value="6"', "data-moves") == []
    assert found_in(shown, 'name="digest"', "No mark would change") == []
    with CaptureQueriesContext(connection) as asked:  # every second, by each waiting page
        client.get(f"{base}{draft.pk}/")
    assert not [each for each in asked if "quizzes_rulingline" in each["sql"]]
    run_all()
    over = client.get(f"{base}{draft.pk}/").content.decode()
    assert 'name="digest"' in over
    assert "data-moves" not in over


def test_a_request_marks_nothing_where_there_is_much(desk, quiz, monkeypatch):
    client, base = desk

    def fails(*_):
        raise AssertionError("a request has made a long dry run")

    for module in ("quizzes.regrades.services.dry_run", "quizzes.regrades.views.dry_run"):
        monkeypatch.setattr(module, fails)
    new = {"sitting": quiz.own_sitting.pk, "of": "all", "kind": "void", "policy": "all"}
    assert "Continue to its dry run" in Page(client.get(f"{base}new/", new)).text
    kept = client.post(f"{base}new/", new | {"reason": "Wrong."}, follow=True)
    assert "0 of 18 answers" in Page(kept).text
    draft = Ruling.objects.get()
    again = client.post(f"{base}{draft.pk}/", {"renew": ""}, follow=True)
    assert "0 of 18 answers" in Page(again).text
