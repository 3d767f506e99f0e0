"""Filling a site for measurements: its rows are like those that the site itself writes."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import F, Sum
from django.urls import reverse

from quizzes.delivery.services.taking import start_attempt
from quizzes.models import Answer, AskedQuestion, Attempt, Grade, Item, Submission
from tests.fixtures import WHOLE
from tests.world import make_user

pytestmark = pytest.mark.django_db
ASKS = WHOLE

ATTEMPTS = 12


@pytest.fixture
def filled(quiz, capsys):
    """Three patterns, and nine copies by two students."""
    call_command("fill", attempts=ATTEMPTS, students=2)
    return quiz


def copies():
    return Attempt.objects.order_by("pk")[3:]


@pytest.mark.service
def test_it_makes_as_many_attempts_as_asked_for_each_with_all_its_own_rows_and_in_order(filled):
    assert Attempt.objects.count() == ATTEMPTS
    assert Submission.objects.filter(state="graded", item=None).count() == ATTEMPTS
    for model in (Item, Answer, Grade):
        assert model.objects.count() == 15 * ATTEMPTS
    asked = set(AskedQuestion.objects.values_list("sitting", "question"))
    items = Item.objects.exclude(question=None)
    assert asked == set(items.values_list("attempt__sitting", "question"))
    assert set(Grade.objects.values_list("verdict", flat=True)) >= {"right", "wrong"}

    connection.check_constraints()
    own = Grade.objects.filter(
        answer__item__attempt=F("answer__submission__attempt"), answer__submission__item=None
    )
    assert own.count() == 15 * ATTEMPTS
    scores = own.values("answer__item__attempt").annotate(total=Sum("points"))
    found = dict(scores.values_list("answer__item__attempt", "total"))
    assert found == pytest.approx(dict(Attempt.objects.values_list("pk", "score")))
    made = copies().values_list("student", "number")
    by_student = {}
    for student, number in made:
        by_student.setdefault(student, []).append(number)
    assert sorted(by_student.values()) == [[1, 2, 3, 4], [1, 2, 3, 4, 5]]
    started = list(Attempt.objects.order_by("pk")[3:].values_list("started_at", flat=True))
    assert started == sorted(started)


def test_a_student_sees_the_results_of_each(filled, client):
    for attempt in copies():
        client.force_login(attempt.student)
        page = client.get(reverse("quizzes:results", args=[attempt.pk]))
        assert page.status_code == 200
        assert page.content.decode().count('data-verdict="') >= 15
        listed = client.get(reverse("quizzes:mine")).content.decode()
        assert reverse("quizzes:results", args=[attempt.pk]) in listed


@pytest.mark.service
def test_filling_again_adds_to_it_and_the_site_goes_on_afterwards(filled):
    call_command("fill", attempts=ATTEMPTS)
    assert Attempt.objects.count() == 2 * ATTEMPTS
    attempt = start_attempt(student=make_user("Sam"), quiz=filled)
    assert attempt.items.count() == 15
    assert Attempt.objects.count() == 2 * ATTEMPTS + 1


def test_a_site_with_real_students_is_left_alone_unless_forced(quiz, django_user_model):
    django_user_model.objects.create_user("sam@school.org", "secret")
    with pytest.raises(CommandError, match="real students"):
        call_command("fill", attempts=ATTEMPTS)
    assert not Attempt.objects.exists()
    call_command("fill", attempts=1, force=True)
    assert Attempt.objects.count() == 1


def test_people_of_an_example_are_not_real(quiz, django_user_model):
    django_user_model.objects.create_user("sam@softmark.example", "secret")
    call_command("fill", attempts=1)
    assert Attempt.objects.count() == 1


def test_a_site_without_a_quiz_is_not_filled(db):
    with pytest.raises(CommandError, match="no quiz"):
        call_command("fill", attempts=ATTEMPTS)
