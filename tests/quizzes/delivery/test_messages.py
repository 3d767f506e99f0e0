"""Messages to all at a sitting: which attempts get them, with what, and at what cost."""

from datetime import timedelta

import pytest
from django.utils import timezone

from quizzes.delivery.services.messages import send_message
from quizzes.models import Answer, Attempt, SittingMessage
from tests.world import let_time_run_out

pytestmark = pytest.mark.usefixtures("as_student")

TEXT = "Question 3: <b>round</b> to two decimals & go on"


@pytest.fixture
def send(attempt, author):
    def send_it(text=TEXT, **ago):
        message, _new = send_message(sitting=attempt.sitting, text=text, by=author)
        SittingMessage.objects.filter(pk=message.pk).update(at=message.at - timedelta(**ago))
        return message

    return send_it


@pytest.fixture
def save(client, url):
    def save_it(text, revision=0):
        body = {"revision": revision, "token": f"t{revision}", "fields": {"weights-0-0": text}}
        return client.post(f"{url}items/3/draft/", body, content_type="application/json")

    return save_it


def texts(answer):
    return [each["text"] for each in answer.json().get("messages", ())]


@pytest.mark.service
def test_the_next_save_and_status_carry_every_message(client, url, send, save):
    assert texts(save("0.1")) == []
    send("First")
    send("Second")
    assert texts(save("0.2", 1)) == ["First", "Second"]
    assert texts(client.get(f"{url}status/")) == ["First", "Second"]


def test_a_save_and_a_status_cost_as_much_as_before_where_nothing_was_sent(
    client, url, send, save, django_assert_num_queries
):
    save("0.1")  # prepares the statements
    with django_assert_num_queries(5):
        save("0.2", 1)
    with django_assert_num_queries(3):
        client.get(f"{url}status/")
    send()
    with django_assert_num_queries(6):
        save("0.3", 2)


def test_the_page_prints_it_as_text(client, url, send):
    send()
    page = client.get(url).text
    assert "Question 3: &lt;b&gt;round&lt;/b&gt; to two decimals &amp; go on" in page
    assert TEXT not in page


def test_an_attempt_shows_those_of_the_day_before_it_began(client, url, send):
    send("Yesterday", hours=23)
    send("Long ago", hours=25)
    page = client.get(url).text
    assert "Yesterday" in page
    assert "Long ago" not in page


def test_another_sitting_gets_none(client, other_student, attempt, assign_quiz, author, url):
    send_message(sitting=assign_quiz().sitting, text=TEXT, by=author)
    assert "data-message=" not in client.get(url).text.partition("<template data-message-line>")[0]


def test_a_message_while_the_attempt_closes_loses_no_save(client, url, attempt, send, save):
    save("in time")
    Attempt.objects.update(deadline=timezone.now())
    message = send()
    assert message.reached == 1  # within the grace its answers still count
    closing = save("in the grace", 1)
    assert (closing.status_code, texts(closing)) == (200, [TEXT])
    let_time_run_out(attempt)
    late = send("Too late")
    assert late.reached == 0
    refused = save("late", 2)
    assert refused.status_code == 409
    assert refused.json()["results"] == f"{url}results/"
    assert client.get(url).url == f"{url}results/"
    assert texts(client.get(f"{url}status/")) == []
    assert Answer.objects.get(item__position=3).raw["weights"][0] == "in the grace"
