"""The list of quizzes: their lengths, due dates and results."""

from datetime import timedelta

import pytest
from django.utils import timezone

from quizzes.models import ExtraTime, Quiz, Sitting
from tests.quizzes.reading import Page
from tests.world import missing_in, take_quiz

URL = "/quizzes/"


def links(client):
    return [link["href"] for link in Page(client.get(URL)).all("a", inside="main")]


def test_a_visitor_sees_what_each_quiz_takes(client, quiz):
    assert missing_in(Page(client.get(URL)).text, "6 questions, 23 min", "60%") == []
    assert links(client) == ["/quizzes/foundations/", "/try/"]


def test_what_is_not_open_to_all_or_not_published_is_not_listed(client, quiz):
    Sitting.objects.filter(quiz=quiz).update(open_to_all=False)
    Quiz.objects.create(slug="draft", title="Draft")
    assert links(client) == ["/try/"]
    assert "No quizzes yet" in Page(client.get(URL)).text


def test_a_student_sees_when_it_is_due_and_what_counts(client, student, quiz, as_student):
    closes_at = timezone.now().replace(microsecond=0) + timedelta(days=1)
    Sitting.objects.filter(quiz=quiz).update(attempts_allowed=3, closes_at=closes_at)
    attempt = take_quiz(student, quiz)
    page = Page(client.get(URL))
    assert page.all("time", datetime=closes_at.isoformat())
    assert "100%, passed" in page.text
    assert f"/attempts/{attempt.pk}/certificate/" in links(client)


def test_an_attempt_under_way_is_a_click_away(client, as_student, attempt):
    assert attempt.get_absolute_url() in links(client)


def test_extra_time_is_in_the_length(client, student, quiz, as_student):
    ExtraTime.objects.create(student=student, factor="1.5")
    assert "6 questions, 34 min" in Page(client.get(URL)).text


def test_what_closed_before_this_student_began_is_not_listed(client, quiz, as_student):
    Sitting.objects.update(closes_at=timezone.now())
    assert "/quizzes/foundations/" not in links(client)


def test_what_closed_since_says_so_and_comes_last(client, student, quiz, as_student):
    take_quiz(student, quiz)
    Sitting.objects.filter(quiz=quiz).update(closes_at=timezone.now())
    other = Quiz.objects.create(slug="zebra", title="Zebra", published=True)
    assert links(client)[0] == other.get_absolute_url()
    assert "closed 100%, passed" in Page(client.get(URL)).text


def test_every_page_leads_there(client, quiz):
    assert URL in [link["href"] for link in Page(client.get("/search/")).all("a")]


@pytest.mark.parametrize("known", [False, True])
def test_it_reads_as_little_however_much_there_is(
    client, student, quiz, django_assert_max_num_queries, known
):
    if known:
        client.force_login(student)
        take_quiz(student, quiz)
    for slug in ("second", "third"):
        Quiz.objects.create(slug=slug, title=slug, published=True)
    with django_assert_max_num_queries(9 if known else 2):
        client.get(URL)
