"""A student's attempts: listed by quiz and state, sorted, and no marks before the release."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from quizzes.delivery.services.taking import Save
from quizzes.items.skills import Skill
from quizzes.marking.services import grade_waiting
from quizzes.models import Attempt, Quiz, Submission
from quizzes.practice.services import check_item, practise_skill
from tests.each import each
from tests.quizzes.reading import Page

URL = "/attempts/"
NOW = timezone.now()


@pytest.fixture
def attempts(client, student, quiz):
    """Attempts marked 5 and 14 of 15, waiting and open; and one with hidden marks."""
    client.force_login(student)
    secret = Quiz.objects.create(slug="secret", title="Secret", published=True)
    secret.sittings.update(release="by_hand")

    def make(of, number, started, submission=None, **more):
        at = {"quiz": of, "sitting": of.own_sitting, "number": number, "out_of": 15}
        at |= {"started_at": NOW - timedelta(hours=started), "deadline": NOW + timedelta(hours=1)}
        state = "submitted" if submission else "open"
        attempt = Attempt.objects.create(student=student, state=state, **at, **more)
        if submission:
            Submission.objects.create(attempt=attempt, state=submission)

    make(quiz, 1, 5, "graded", score=5)
    make(quiz, 2, 4, "graded", score=14)
    make(quiz, 3, 3, "waiting")
    make(quiz, 4, 2)
    make(secret, 1, 1, "graded", score=15)


def attempts_listed(client, query=""):
    """Return (title, number) of every line."""
    _, _, body = Page(client.get(URL + query)).html.partition("<tbody>")
    rows = [re.split("<td[^>]*>", row) for row in re.split("<tr[^>]*>", body)[1:]]
    return [(row[0].split("</a>")[0].split(">")[-1], int(row[1][0])) for row in rows]


F, S = "Foundations", "Secret"


@each(
    "query, wanted",
    [
        ("", [(S, 1), (F, 4), (F, 3), (F, 2), (F, 1)]),
        ("?quiz=secret", [(S, 1)]),
        ("?state=open", [(F, 4)]),
        ("?state=waiting", [(F, 3)]),
        ("?state=graded", [(F, 2), (F, 1)]),
        ("?state=received", [(S, 1)]),
        ("?quiz=foundations&state=received", []),
        ("?order=oldest", [(F, 1), (F, 2), (F, 3), (F, 4), (S, 1)]),
        # Unreleased attempts have no score to sort by.
        ("?order=best", [(F, 2), (F, 1), (S, 1), (F, 4), (F, 3)]),
        ("?quiz=nowhere&state=odd&order=7", [(S, 1), (F, 4), (F, 3), (F, 2), (F, 1)]),
    ],
)
def test_attempts_are_listed_as_asked_for(client, attempts, query, wanted):
    assert attempts_listed(client, query) == wanted


def test_attempts_of_others_are_not_listed(client, attempts, other_student, quiz):
    at = {"quiz": quiz, "sitting": quiz.own_sitting, "number": 7, "out_of": 15}
    Attempt.objects.create(student=other_student, state="submitted", **at)
    client.force_login(other_student)
    for query in ("", "?quiz=foundations", "?order=oldest", "?order=best"):
        assert attempts_listed(client, query) == [(F, 7)]
    assert attempts_listed(client, "?state=graded") == []


def test_what_was_asked_for_stands_in_the_form_and_in_the_links(client, attempts, student, quiz):
    at = {"student": student, "quiz": quiz, "sitting": quiz.own_sitting, "state": "submitted"}
    Attempt.objects.bulk_create(Attempt(**at, number=n, out_of=15) for n in range(10, 40))
    page = Page(client.get(URL + "?quiz=foundations&order=oldest"))
    chosen = [option["value"] for option in page.all("option") if "selected" in option]
    assert chosen == ["foundations", "", "oldest"]
    assert page.all("a", rel="next")[0]["href"] == "?quiz=foundations&order=oldest&page=2"


def test_an_empty_result_links_back_to_all(client, attempts):
    page = Page(client.get(URL + "?quiz=secret&state=open"))
    assert "No matches" in page.text
    assert page.all("a", href=URL)
    assert page.all("select", name="state")


def test_practice_is_listed_to_go_on_with(client, student, questions, as_student):
    assert "What you practise is listed here" in Page(client.get(URL)).text
    practice = practise_skill(student=student, skill=Skill("family", "cosine"))
    check_item(attempt=practice, position=1, save=Save({"cosine-0-0": "1"}, 0, "token"))
    grade_waiting()
    page = Page(client.get(URL))
    assert page.all("a", href=f"/practice/{practice.pk}/")
    assert "Cosine similarity" in page.text
