"""The page before the start: the quiz's content, its rules, and the way in."""

from datetime import timedelta

import pytest
from django.utils import timezone

from quizzes.delivery.services import taking
from quizzes.delivery.services.taking import start_attempt, submit_attempt
from quizzes.models import Attempt, ExtraTime, Quiz, Sitting
from quizzes.notifiers import stocking_notifier
from tests.each import each
from tests.quizzes.reading import Page
from tests.world import missing_in

URL = "/quizzes/foundations/"


def test_it_says_what_is_asked_and_under_which_rules(client, quiz):
    message = ("6 questions · 23 min", "23 minutes from the start")
    message += ("60% of the points", "shown as soon as you submit")
    assert missing_in(Page(client.get(URL)).text, *message) == []


def test_what_is_to_come_is_said_first(client, quiz, as_student):
    Sitting.objects.update(attempts_allowed=3)
    text = Page(client.get(URL)).text
    assert text.index("6 questions · 23 min · 3 attempts left") < text.index("23 minutes from")
    Sitting.objects.update(attempts_allowed=None)
    assert "attempts left" not in Page(client.get(URL)).text


@pytest.mark.parametrize("rule", ["best", "last"])
def test_it_says_which_of_several_attempts_counts(client, quiz, rule):
    Sitting.objects.update(counts=rule)
    assert f"The {rule} attempt counts." in Page(client.get(URL)).text
    Sitting.objects.update(attempts_allowed=1)
    assert "attempt counts" not in Page(client.get(URL)).text


@each(
    "extra, message",
    [
        ({"factor": "1.5"}, "You have 34 minutes: 23 and 50% more."),
        ({"factor": "1.25"}, "You have 28 minutes: 23 and 25% more."),
        ({"factor": "2", "minutes": 5}, "You have 51 minutes: 23 and 100% more and 5 more."),
        ({"factor": "1.4"}, "You have 32 minutes: 23 and 40% more."),
        ({"minutes": 10}, "You have 33 minutes: 23 and 10 more."),
    ],
)
def test_extra_time_is_shown_to_its_student(client, quiz, student, other_student, extra, message):
    ExtraTime.objects.create(student=student, **extra)
    client.force_login(student)
    assert message in Page(client.get(URL)).text
    client.force_login(other_student)
    assert "23 minutes from the start." in Page(client.get(URL)).text


def test_a_quiz_that_opens_later_says_when_and_has_no_start(client, quiz, as_student):
    Sitting.objects.update(opens_at=timezone.now() + timedelta(days=1))
    text = Page(client.get(URL)).text
    assert "This quiz hasn’t opened yet" in text
    assert "Start the quiz" not in text
    Sitting.objects.update(opens_at=timezone.now())
    assert "Start the quiz" in Page(client.get(URL)).text


def closes_in(minutes):
    Sitting.objects.update(closes_at=timezone.now() + timedelta(minutes=minutes, seconds=30))


def test_a_quiz_that_closes_before_its_time_is_over_says_so(client, quiz, student, as_student):
    def is_closing(words):
        return f"It closes in {words}" in Page(client.get(URL)).text

    closes_in(9)
    assert is_closing("9 minutes, so you’d have 9 instead of 23.")
    ExtraTime.objects.create(student=student, minutes=10)
    assert is_closing("9 minutes, so you’d have 19 instead of 33.")
    closes_in(24)
    assert not is_closing("")


def test_who_is_not_logged_in_is_led_there_and_back(client, quiz):
    links = Page(client.get(URL)).all("a", href="/accounts/login/?next=%2Fquizzes%2Ffoundations%2F")
    assert links
    answer = client.post(URL + "start/")
    assert (answer.status_code, answer.url) == (302, links[0]["href"])
    assert client.get(URL + "start/").url == URL


def test_starting_leads_to_the_attempt_and_starting_again_to_the_same(client, quiz, as_student):
    first, again = client.post(URL + "start/"), client.post(URL + "start/")
    attempt = Attempt.objects.get()
    assert first.url == again.url == f"/attempts/{attempt.pk}/"
    assert "Continue attempt 1" in Page(client.get(URL)).text


def test_a_student_who_starts_again_and_again_is_told_to_wait(
    client, quiz, student, other_student, settings
):
    settings.ACCOUNT_RATE_LIMITS |= {"start_attempt": "2/600s/user"}
    client.force_login(student)
    client.post(URL + "start/")
    submit_attempt(attempt=Attempt.objects.get())
    client.post(URL + "practise/")
    for address in (URL + "start/", URL + "practise/", "/practice/family/cosine/"):
        assert "Wait ten minutes, then try again." in Page(client.post(address, follow=True)).text
    assert Attempt.objects.count() == 2
    client.force_login(other_student)
    assert client.post(URL + "start/").url.startswith("/attempts/")


def test_earlier_attempts_are_listed_to_their_student_alone(
    client, student, other_student, attempt
):
    submit_attempt(attempt=attempt)
    for who, listed in ((student, True), (other_student, False)):
        client.force_login(who)
        link = Page(client.get(URL)).all("a", href=f"/attempts/{attempt.pk}/results/")
        assert bool(link) is listed


def test_without_attempts_left_there_is_no_start(client, quiz, student, as_student):
    Sitting.objects.update(attempts_allowed=1)
    submit_attempt(attempt=start_attempt(student=student, quiz=quiz))
    page = Page(client.get(URL))
    assert "No attempts left" in page.text
    assert not page.all("form", action=URL + "start/")
    assert "You’ve used all your attempts" in Page(client.post(URL + "start/", follow=True)).text
    assert Attempt.objects.count() == 1


def test_a_quiz_that_has_closed_says_so(client, quiz, as_student):
    Sitting.objects.update(closes_at=timezone.now() - timedelta(days=1))
    page = Page(client.get(URL))
    assert "This quiz has closed" in page.text
    assert not page.all("form", action=URL + "start/")


def test_a_quiz_that_asks_for_what_is_gone_says_whom_to_tell(client, quiz, as_student):
    quiz.slots.filter(position=1).update(family="gone")
    assert "Please tell its author" in Page(client.post(URL + "start/", follow=True)).text


@each("path", ["/quizzes/foundation/", "/quizzes/foundation/start/"])
def test_an_unknown_quiz_gets_help_and_a_draft_is_not_found(client, quiz, path):
    answer = client.get(path)
    page = Page(answer)
    assert answer.status_code == 404
    assert "Did you mean Foundations ?" in page.text
    assert page.all("a", href=URL)
    Quiz.objects.update(published=False)
    assert client.get(URL).status_code == 404


def test_my_attempts_say_where_to_begin_when_there_are_none(client, quiz, as_student):
    page = Page(client.get("/attempts/"))
    assert "No attempts yet" in page.text
    assert page.all("a", href="/quizzes/", inside="main")


def test_my_attempts_are_listed_page_by_page(
    client, quiz, student, as_student, django_assert_max_num_queries
):
    at = {"student": student, "quiz": quiz, "sitting": quiz.own_sitting, "state": "submitted"}
    Attempt.objects.bulk_create(Attempt(**at, number=n, score=n, out_of=15) for n in range(1, 40))
    with django_assert_max_num_queries(10):
        page = Page(client.get("/attempts/"))
    assert len(page.all("tr")) == 1 + 25
    assert len(Page(client.get("/attempts/?page=2")).all("tr")) == 1 + 14


# Starting


@pytest.fixture
def no_time_to_draw(monkeypatch):
    """Limit a start to drawing one set of numbers."""
    monkeypatch.setattr(taking, "MAX_DRAWING_SECONDS", 0)
    monkeypatch.setattr(stocking_notifier, "wake_again", lambda: None)


def test_a_page_says_that_numbers_are_drawn_and_goes_on_by_itself(
    client, quiz, no_time_to_draw, as_student
):
    answer = client.post(f"{URL}start/", follow=True)
    assert answer.redirect_chain == [(f"{URL}start/", 302)]
    page = Page(answer)
    assert "Preparing your numbers" in page.text
    assert "numbers that are ready: 1 of 4." in page.text
    assert not Attempt.objects.exists()
    while answer.status_code == 200:
        answer = client.get(f"{URL}start/")
    assert answer.url == Attempt.objects.get().get_absolute_url()


def test_only_who_asked_for_a_start_gets_one_by_looking_again(
    client, quiz, no_time_to_draw, as_student
):
    assert client.get(f"{URL}start/").url == URL
    client.post(f"{URL}start/")
    while client.get(f"{URL}start/").status_code == 200:
        pass
    Attempt.objects.update(state="submitted")
    # That start is complete: another request begins no second attempt.
    assert client.get(f"{URL}start/").url == URL


def test_a_quiz_that_closes_while_numbers_are_drawn_says_so(
    client, quiz, no_time_to_draw, as_student
):
    client.post(f"{URL}start/")
    Sitting.objects.update(closes_at=timezone.now())
    assert "This quiz has closed" in Page(client.get(f"{URL}start/", follow=True)).text
    assert not Attempt.objects.exists()
