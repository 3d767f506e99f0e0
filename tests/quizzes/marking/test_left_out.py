"""Scores without secret questions of another quiz, and pages that say so."""

from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.personal import export_personal_data
from audit.services import record
from design.moments import format_moment
from outbox.models import Message
from outbox.sending import send_waiting
from quizzes.certificates.services import make_certificate
from quizzes.delivery.queries.attempts import graded_attempts
from quizzes.delivery.queries.secrecy import ShownMarks, VisibleMarks, visible_marks
from quizzes.delivery.services.taking import start_attempt
from quizzes.errors import Refused
from quizzes.models import Attempt, ConceptQuestion, Quiz, Ruling, Sitting
from quizzes.regrades.letters import LETTER
from quizzes.regrades.services import APPLIED, accept_regrade, draft_undo
from tests.quizzes.delivery.test_what_students_learn import answer_alone
from tests.quizzes.reading import Page
from tests.quizzes.regrades.regrade_over import rule
from tests.world import found_in, missing_in, take_quiz

pytestmark = pytest.mark.django_db


@pytest.fixture
def attempt(partly_secret_quiz, student):
    """Three right answers, of which the one on keys is secret."""
    return take_quiz(student, partly_secret_quiz)


@pytest.fixture
def results(client, attempt):
    client.force_login(attempt.student)
    return lambda: Page(client.get(f"/attempts/{attempt.pk}/results/"))


def close_final(**rules):
    Sitting.objects.filter(quiz__slug="final").update(**rules)


def test_the_score_is_of_what_is_shown_and_the_page_names_the_day(results):
    closes = Sitting.objects.get(quiz__slug="final").closes_at
    page = results()
    assert missing_in(page.text, "2 of 2 points", "100% of what’s shown, passed") == []
    assert "1 question is left out of this score" in page.text
    last = format_moment(closes + timedelta(days=30))
    assert f"counted here by {last}." in page.html
    assert not page.all("svg", **{"class": "score-bar"})


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"closes_at": None}, "Once that changes, everything left out"),
        ({"release": "after_close"}, "counted here by"),
        ({"release": "after_close", "closes_at": None}, "Once that changes, everything left out"),
    ],
)
def test_an_uncertain_day_is_not_named(results, rules, message):
    close_final(**rules)
    assert message in results().text


def test_what_is_asked_in_an_open_attempt_of_ones_own_is_left_out_until_its_end(
    results, partly_secret_quiz, student
):
    close_final(released=True)
    ConceptQuestion.objects.exclude(items__attempt__student=student).update(published=False)
    assert "3 of 3 points" in results().text
    Attempt.objects.filter(pk=start_attempt(student=student, quiz=partly_secret_quiz).pk).update(
        deadline=timezone.now() + timedelta(hours=3)
    )
    assert missing_in(results().text, "of what’s shown", "counted here by") == []
    Attempt.objects.filter(state="open").update(deadline=None)
    assert "Once that changes, everything left out" in results().text


@pytest.mark.parametrize(("days", "whole"), [(-29, False), (-31, True)])
def test_what_is_never_released_stays_secret_for_30_days_after_the_last_close(results, days, whole):
    close_final(closes_at=timezone.now() + timedelta(days=days))
    assert ("3 of 3 points" in results().text) is whole
    close_final(last_closes_at=timezone.now())
    assert "2 of 2 points" in results().text


@pytest.mark.parametrize(
    ("points", "at_stake", "pass_mark", "passes"),
    [(2, 1, 66, True), (2, 1, 67, None), (0, 1, 34, False), (0, 1, 33, None), (2, 0, 100, True)],
)
def test_passed_is_shown_only_if_no_secret_can_change_it(points, at_stake, pass_mark, passes):
    assert ShownMarks(points, 2, 1 if at_stake else 0, at_stake).passes(pass_mark) is passes


def test_the_page_says_if_what_is_left_out_decides(results, attempt):
    Quiz.objects.update(pass_mark=67)
    assert "100% of what’s shown, the pass mark is 67%" in results().text
    with pytest.raises(Refused):
        make_certificate(attempt=attempt, name="Sam")


def test_a_certificate_that_was_made_before_still_says_passed_but_no_points(attempt):
    Quiz.objects.update(pass_mark=67)
    close_final(released=True)
    address = make_certificate(attempt=attempt, name="Sam").get_absolute_url()
    assert "3 of 3" in Page(Client().get(address)).text
    close_final(released=False)
    text = Page(Client().get(address)).text
    assert "passed this quiz" in text
    assert found_in(text, "of 3", "of 2") == []


def test_the_best_attempt_is_not_marked_while_something_is_left_out(
    client, partly_secret_quiz, student, attempt
):
    answer_alone(start_attempt(student=student, quiz=partly_secret_quiz), 1)
    client.force_login(student)
    assert not Page(client.get("/quizzes/alone/")).all("b", **{"class": "counts"})
    close_final(released=True)
    assert Page(client.get("/quizzes/alone/")).all("b", **{"class": "counts"})


def test_instructors_see_everything(client, attempt):
    client.force_login(get_user_model().objects.create_superuser("root@example.org"))
    page = Page(client.get(f"/attempts/{attempt.pk}/review/"))
    assert "3 of 3 points" in page.text
    assert found_in(page.text, "left out", "withheld") == []


def test_a_mark_that_comes_while_marks_are_read_is_not_shown_whole(
    partly_secret_quiz, student, monkeypatch
):
    """A list that read them just before would otherwise show a figure with its secrets once."""
    attempt = start_attempt(student=student, quiz=partly_secret_quiz)
    marks = visible_marks(student, timezone.now())
    answer_alone(attempt, 2)
    [read] = graded_attempts(student)
    assert read.score == 1
    assert marks.of(read) is None
    assert visible_marks(student, timezone.now()).of(read) == ShownMarks(0, 2, 1, 1)


def letters_sent():
    """Send due letters, also those held back an hour ago. Return the number sent."""
    Message.objects.update(claimed_until=None)
    send_waiting()
    return Message.objects.filter(kind=LETTER, state="sent").count()


@pytest.mark.parametrize(("topic", "letters"), [("keys", 0), ("values", 1)])
def test_a_letter_on_the_mark_of_a_secret_question_waits_for_the_end_of_the_secret(
    partly_secret_quiz, student, topic, letters
):
    asked = take_quiz(student, partly_secret_quiz).items.get(question__topic=topic).question
    how = {"values": {"mode": "instead", "accept": ["b"]}, "never_lower": False, "tells": True}
    rule(partly_secret_quiz, Ruling.Kind.KEY, scope=Ruling.Scope.QUESTION, question=asked, **how)
    assert letters_sent() == letters
    assert len(export_personal_data(student)["messages"]) == letters
    close_final(released=True)
    assert [letters_sent(), letters_sent()] == [1, 1]


def test_a_letter_that_waited_for_the_end_of_a_secret_is_dropped_with_its_regrade(
    partly_secret_quiz, attempt
):
    asked = attempt.items.get(question__topic="keys").question
    regrade = rule(
        partly_secret_quiz, Ruling.Kind.VOID, scope="question", question=asked, tells=True
    )
    undo = draft_undo(regrade=regrade, by=None, reason="No.")
    accept_regrade(regrade=undo, by=None)
    close_final(released=True)
    assert letters_sent() == 0
    assert Message.objects.get(kind=LETTER).state == "dropped"


def test_a_mark_that_a_secret_question_decided_is_in_no_page_and_letter_until_its_release(
    results, partly_secret_quiz, attempt
):
    asked = attempt.items.get(question__topic="values").question
    rule(
        partly_secret_quiz,
        Ruling.Kind.VOID,
        scope=Ruling.Scope.QUESTION,
        question=asked,
        tells=True,
    )
    page = results()
    message = ("1 of 1 points", "2 questions are left out of this score")
    message += (
        "A question is also left out if its mark depended on a question that’s left out.",
        "parts of your attempt are still withheld",
    )
    assert missing_in(page.text, *message) == []
    assert "no longer counts" not in page.text
    assert letters_sent() == 0
    close_final(released=True)
    text = results().text
    assert missing_in(text, "2 of 2 points", "no longer counts") == []
    assert "parts of your attempt are still withheld" not in text
    assert letters_sent() == 1


def test_no_letter_tells_of_a_question_that_an_open_attempt_of_ones_own_asks(
    partly_secret_quiz, student
):
    asked = take_quiz(student, partly_secret_quiz).items.get(question__topic="values").question
    ConceptQuestion.objects.exclude(items__attempt__student=student).update(published=False)
    start_attempt(student=student, quiz=partly_secret_quiz)
    rule(
        partly_secret_quiz,
        Ruling.Kind.VOID,
        scope=Ruling.Scope.QUESTION,
        question=asked,
        tells=True,
    )
    assert letters_sent() == 0
    Attempt.objects.filter(state="open").update(state="submitted")
    close_final(released=True)
    assert letters_sent() == 1


def test_events_in_ones_own_file_tell_no_marks_but_those_that_one_gave(student, attempt):
    for actor in (get_user_model().objects.create_superuser("root@example.org"), student):
        with transaction.atomic():
            of = {"actor": actor, "target": attempt, "person": student}
            before = {"score": 3.0, "handed_in": attempt.submitted_at}
            record(**of, verb="classes.attempt.reopened", before=before)
            after = {"quiz": "Alone", "points": "1", "higher": 1}
            record(**of, verb=APPLIED, after=after)
    reopened, regraded, *own = export_personal_data(student)["events"]
    assert reopened["before"].keys() == {"handed_in"}
    assert regraded["after"] == {"quiz": "Alone"}
    assert (own[0]["before"]["score"], own[1]["after"]["higher"]) == (3, 1)


@pytest.mark.parametrize(("released", "queries"), [(True, 1), (False, 3)])
def test_marks_cost_one_query_where_nothing_is_secret(attempt, student, released, queries):
    close_final(released=released)
    visible_marks(student, timezone.now())
    with CaptureQueriesContext(connection) as asked:
        marks = visible_marks(student, timezone.now())
    assert len(asked) == queries
    assert isinstance(marks, VisibleMarks)


def test_marks_of_some_attempts_cost_nothing_where_none_is_out_and_tell_nothing_of_others(
    partly_secret_quiz, attempt, student
):
    other = start_attempt(student=student, quiz=partly_secret_quiz)
    assert visible_marks(student, timezone.now(), [attempt]).of(attempt) == ShownMarks(2, 2, 1, 1)
    with CaptureQueriesContext(connection) as asked:
        marks = visible_marks(student, timezone.now(), [other])
    assert len(asked) == 0
    assert marks.of(attempt) is None
    other = answer_alone(other, 1)
    assert marks.of(other) is None
    assert visible_marks(student, timezone.now(), [other]).of(other) is not None
