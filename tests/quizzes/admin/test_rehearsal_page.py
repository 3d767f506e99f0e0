"""The admin's page of a simulation: requested by a form, computed by a worker, read by all."""

import pytest
from django.urls import reverse

from quizzes.models import Rehearsal, Slot
from quizzes.simulation import robots
from quizzes.simulation.services import queue_simulation, run_waiting_simulations
from tests.world import found_in, missing_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def rehearsal_page(instructor_client, quiz, monkeypatch):
    """Return a function that returns the page's current text."""
    monkeypatch.setattr(robots, "ROBOTS", 40)
    monkeypatch.setattr(robots, "VARIANTS", 4)
    url = reverse("admin:quizzes_quiz_rehearsal", args=[quiz.pk])
    return lambda: instructor_client.get(url).text


def run_rehearsal(quiz):
    queue_simulation(quiz=quiz, by=None)
    while run_waiting_simulations():
        pass


def test_the_quiz_leads_there_and_nothing_is_computed_in_the_request(
    instructor_client, quiz, rehearsal_page
):
    url = reverse("admin:quizzes_quiz_rehearsal", args=[quiz.pk])
    change = instructor_client.get(reverse("admin:quizzes_quiz_change", args=[quiz.pk]))
    assert url in change.text
    assert "This quiz hasn’t been rehearsed yet." in rehearsal_page()
    assert instructor_client.post(url).headers["Location"] == url
    waiting = Rehearsal.objects.get()
    assert (waiting.state, waiting.slots_done) == (Rehearsal.State.WAITING, 0)
    assert waiting.asked_by.is_staff
    shown = ("Slots answered: 0 of 6.", '<meta http-equiv="refresh"')
    assert missing_in(rehearsal_page(), *shown) == []


def test_the_last_result_is_shown_with_all_there_is_to_say_until_the_next_is_computed(
    quiz, rehearsal_page
):
    run_rehearsal(quiz)
    text = rehearsal_page()
    for expected in (
        *("The median score is", "Number of robots by minutes needed to finish", "As a table"),
        *("You’ve only taken the exponentials; divide each by their sum", "<code>base_two</code>"),
        "Assumptions about the robots",
    ):
        assert expected in text, expected
    # The admin's own script takes whatever has the class `chart` for a canvas.
    unwanted = ("The quiz has changed since.", "http-equiv", 'class="chart"')
    assert found_in(text, *unwanted) == []
    Slot.objects.filter(quiz=quiz, position=1).update(points=2)
    assert "The quiz has changed since." in rehearsal_page()
    queue_simulation(quiz=quiz, by=None)
    assert missing_in(rehearsal_page(), "Slots answered: 0 of 6.", "The median score is") == []


def test_the_reason_why_robots_did_not_finish_is_shown(quiz, rehearsal_page):
    Slot.objects.filter(quiz=quiz, position=3).update(family="gone")
    run_rehearsal(quiz)
    assert "The robots couldn’t finish. Slot 3: there’s no family “gone”" in rehearsal_page()


def test_who_may_only_look_cannot_begin_one(client, quiz, log_in_with_permissions):
    log_in_with_permissions("view_quiz")
    url = reverse("admin:quizzes_quiz_rehearsal", args=[quiz.pk])
    assert "Start rehearsal" not in client.get(url).text
    assert client.post(url).status_code == 403
    assert not Rehearsal.objects.exists()
