"""Staff send a message to all who work now, from the live view."""

import pytest

from audit.models import Event
from quizzes.models import SittingMessage
from tests.each import each
from tests.quizzes.reading import Page
from tests.world import missing_in, start_assignment

TEXT = "Ten more minutes. <i>Stay seated</i>"


@pytest.fixture
def watch(course, assignment):
    return f"/teach/{course.pk}/quizzes/{assignment.pk}/watch/"


@pytest.fixture
def address(watch):
    return watch.replace("watch/", "message/")


@pytest.fixture
def sent(db):
    return lambda: [*SittingMessage.objects.values_list("text", "reached")]


def test_it_is_sent_to_all_who_work_and_says_to_how_many(
    ines_client, attempts_by_name, add_member, assignment, watch, address, sent
):
    start_assignment(assignment, add_member("Fay").user)
    assert address in ines_client.get(watch).text
    answer = ines_client.post(address, {"text": f" {TEXT}\r\n"}, follow=True)
    assert answer.redirect_chain == [(watch, 302)]
    assert "Sent to the 2 students who are working now." in answer.text
    assert sent() == [(TEXT, 2)]


def test_it_stays_in_the_history_and_in_the_timelines_of_those_it_reached(
    ines_client, course, assignment, add_member, address
):
    attempt = start_assignment(assignment, add_member("Ada").user)
    ines_client.post(address, {"text": TEXT})
    for page in ("history/", f"attempts/{attempt.pk}/"):
        assert TEXT in Page(ines_client.get(f"/teach/{course.pk}/{page}")).text
    event = Event.objects.get(verb="classes.assignment.messaged")
    assert event.after == {"quiz": assignment.sitting.quiz.title, "message": TEXT, "reached": 1}


@each("text", ["", " \r\n ", "a" * 301, "a\0"])
def test_a_text_that_cannot_be_sent_is_kept_with_the_reason(ines_client, address, sent, text):
    answer = ines_client.post(address, {"text": text})
    assert answer.status_code == 200
    assert missing_in(answer.text, text.strip(), "errorlist") == []
    assert sent() == []


def test_pressing_the_button_twice_sends_one(ines_client, address, sent):
    for _press in range(2):
        answer = ines_client.post(address, {"text": TEXT}, follow=True)
        assert (
            "Nobody is working now. Anyone who starts within a day will see the message."
            in answer.text
        )
    assert sent() == [(TEXT, 0)]
    assert Event.objects.filter(verb="classes.assignment.messaged").count() == 1


def test_many_in_a_short_time_are_refused_with_what_was_typed(ines_client, address, sent, settings):
    settings.ACCOUNT_RATE_LIMITS |= {"message_all": "1/600s/user"}
    ines_client.post(address, {"text": "One"})
    answer = ines_client.post(address, {"text": "Two"})
    assert answer.status_code == 429
    assert missing_in(answer.text, "Wait ten minutes", "Two</textarea>") == []
    assert sent() == [("One", 0)]


def test_an_assistant_of_a_section_is_not_offered_what_reaches_every_section(
    log_in, add_member, watch, address
):
    helper = log_in(add_member("Hal", role="assistant", section="A").user)
    assert address not in helper.get(watch).text
    assert helper.post(address, {"text": TEXT}).status_code == 403
