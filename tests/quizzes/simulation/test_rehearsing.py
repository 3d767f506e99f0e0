"""Simulations: robots take a quiz through the real marker, and nothing is left behind."""

import time

import pytest

import attention_core
from attention_core.problems.fingerprint import fingerprint
from attention_core.variety import is_kept_for_exams
from quizzes import problems
from quizzes.models import Answer, Attempt, ConceptQuestion, Item, Rehearsal, Slot, Variant
from quizzes.simulation import robots, services
from quizzes.simulation.services import queue_simulation, run_waiting_simulations
from tests.world import refresh


@pytest.fixture
def few(monkeypatch):
    """Use only forty robots, where their number does not matter."""
    monkeypatch.setattr(robots, "ROBOTS", 40)
    monkeypatch.setattr(robots, "VARIANTS", 4)


def rehearsed(quiz, by=None):
    asked = queue_simulation(quiz=quiz, by=by)
    while run_waiting_simulations():
        pass
    asked.refresh_from_db()
    return asked


def test_all_slots_are_answered_and_marked_and_nothing_else_is_written(quiz, few, student):
    done = rehearsed(quiz, student)
    assert (done.state, done.slots_done, done.parts) == (Rehearsal.State.DONE, 6, [])
    assert [item["position"] for item in done.result["items"]] == list(range(1, 7))
    for model in (Attempt, Item, Answer, Variant):
        assert not model.objects.exists()


def test_two_hundred_robots_are_through_in_less_than_thirty_seconds(quiz):
    began = time.monotonic()
    done = rehearsed(quiz)
    assert time.monotonic() - began < 30
    assert done.result["robots"] == 200
    assert sum(each["count"] for each in done.result["scores"]) == 200
    assert sum(each["count"] for each in done.result["times"]) == 200


def test_every_mistake_of_the_families_is_met_named_and_explained(quiz):
    Slot.objects.exclude(family="softmax_row").filter(position__lt=3).delete()
    mistakes = rehearsed(quiz).result["mistakes"]
    of_softmax = [
        each for each in mistakes if each["title"] == problems.family_title("softmax_row")
    ]
    keys = {"no_exponential", "unnormalised", "base_two"}
    assert keys <= {each["mistake"] for each in of_softmax}
    for each in of_softmax:
        assert each["made"] > 0, each
        assert each["named"] >= 0.9 * each["made"], each
        assert each["lost"] > 0, each
        assert each["feedback"], each


def test_the_same_seed_gives_the_same_result(quiz, few):
    first = rehearsed(quiz)
    again = queue_simulation(quiz=quiz, by=None)
    Rehearsal.objects.filter(pk=again.pk).update(seed=first.seed)
    run_waiting_simulations(seconds=60)
    assert refresh(again).result == first.result


def test_who_runs_out_of_time_leaves_the_rest_blank(quiz, few):
    quiz.sittings.update(minutes=1)
    result = rehearsed(type(quiz).objects.get(pk=quiz.pk)).result
    assert (result["in_time"], result["items"][-1]["late"]) == (0, 1)
    assert result["items"][-1]["facility"] == 0


def test_one_at_a_time_is_enough(quiz, student):
    assert queue_simulation(quiz=quiz, by=student) == queue_simulation(quiz=quiz, by=student)
    assert Rehearsal.objects.count() == 1


@pytest.mark.service
def test_a_new_result_takes_the_place_of_the_last_one(quiz, few):
    rehearsed(quiz)
    last = rehearsed(quiz)
    assert list(Rehearsal.objects.all()) == [last]


@pytest.mark.service
def test_a_slot_is_claimed_and_answered_again_when_its_worker_was_lost(quiz, few):
    asked = queue_simulation(quiz=quiz, by=None)
    lost = services._claim()
    assert lost.pk == asked.pk
    assert services._claim() is None
    assert not run_waiting_simulations()
    Rehearsal.objects.update(claimed_until="2020-01-01T00:00Z")
    while run_waiting_simulations():
        pass
    assert refresh(asked).state == Rehearsal.State.DONE
    services._run_next_slot(lost)  # a worker that returns too late changes nothing
    assert refresh(asked).slots_done == 6


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (
            lambda: Slot.objects.filter(position=3).update(family="gone"),
            "Slot 3: there’s no family “gone”.",
        ),
        (lambda: ConceptQuestion.objects.update(published=False), "Slot 5: there’s no question"),
        (lambda: Slot.objects.all().delete(), "no slots"),
    ],
)
def test_slots_that_cannot_be_asked_are_reported(quiz, few, spoil, message):
    spoil()
    failed = rehearsed(quiz)
    assert failed.state == Rehearsal.State.FAILED
    assert message in failed.trouble


def test_numbers_kept_for_exams_are_not_drawn():
    kind = problems.kind_of("softmax_row", {"tokens": 3})
    drawn = problems.draw_samples(kind, [str(n) for n in range(12)])
    kept = [
        is_kept_for_exams(
            attention_core.family("softmax_row"), each["options"], fingerprint(each["givens"])
        )
        for each in drawn
    ]
    assert kept == [False] * 12


def test_abler_robots_earn_more(quiz):
    takers = robots.robots_for(services.simulation_input(quiz), "seed")
    slot = {"position": 1, "points": 2, "family": "attention", "options": {"tokens": 2}}
    points = robots.simulate_problem(slot, takers, "seed")["points"]
    order = sorted(range(len(takers)), key=lambda n: takers[n].ability)
    worse, better = order[:70], order[-70:]
    assert sum(points[n] for n in better) > 1.2 * sum(points[n] for n in worse)
