"""Several sittings of one quiz: whose they are, and the settings of each."""

from datetime import timedelta

import pytest
from django.utils import timezone

from quizzes.delivery import effective_settings
from quizzes.delivery.effective_settings import EffectiveSettings, available_settings, own_settings
from quizzes.delivery.services.taking import start_attempt, submit_attempt
from quizzes.errors import NotOpen
from quizzes.models import Attempt, ExtraTime, Sitting
from quizzes.practice.services import practise_quiz
from tests.quizzes.reading import Page
from tests.world import refresh

URL = "/quizzes/foundations/"


@pytest.fixture
def sitting(quiz, student, monkeypatch):
    """The sitting of a class that gives the quiz to Sam, for ten minutes and one attempt."""
    sitting = Sitting.objects.create(
        quiz=quiz, given_in="Class A", open_to_all=False, minutes=10, attempts_allowed=1
    )

    class ClassSittings:
        def given_to(self, somebody, quizzes):
            return [own_settings(sitting)] if somebody == student else []

        def unfinished(self, somebody):
            return []

        def course_names(self, somebody):
            return {}

        def expected(self, now):
            return {}

    monkeypatch.setattr(effective_settings, "_providers", [ClassSittings()])
    return sitting


def test_every_quiz_has_its_own_sitting_for_those_who_learn_alone(quiz, attempt):
    assert (attempt.sitting.quiz, attempt.sitting.given_in) == (quiz, "")
    assert quiz.sittings.get() == attempt.sitting


def test_a_class_has_its_own_attempts_and_minutes(quiz, student, sitting):
    own = start_attempt(student=student, quiz=quiz)
    in_class = start_attempt(student=student, quiz=quiz, settings=own_settings(sitting))
    assert own != in_class
    assert own.number == in_class.number == 1
    assert in_class.deadline - in_class.started_at == timedelta(minutes=10)
    submit_attempt(attempt=in_class)
    with pytest.raises(NotOpen, match="all your attempts"):
        start_attempt(student=student, quiz=quiz, settings=own_settings(sitting))


def test_an_attempt_keeps_the_terms_that_it_began_with(attempt):
    Sitting.objects.update(minutes=5, closes_at=timezone.now())
    assert (refresh(attempt).minutes, attempt.closes_at) == (23, None)


def test_without_a_clock_an_attempt_ends_when_it_is_handed_in(quiz, student, sitting):
    sitting.minutes = 1
    untimed = EffectiveSettings(sitting, None, None, minutes=None, attempts_allowed=None)
    attempt = start_attempt(student=student, quiz=quiz, settings=untimed)
    assert (attempt.deadline, attempt.minutes) == (None, None)
    assert attempt.takes_answers(timezone.now() + timedelta(days=100))


def test_extra_time_lasts_on_after_the_close(sitting, student):
    closes_at = timezone.now() + timedelta(minutes=5)
    extra = ExtraTime(student=student, minutes=7)
    found = EffectiveSettings(sitting, None, closes_at, 10, None, extra=extra)
    assert found.deadline(timezone.now()) == closes_at + timedelta(minutes=7)


def test_results_wait_for_those_who_may_begin_later(sitting):
    now = timezone.now()
    sitting.release = Sitting.Release.AFTER_CLOSE
    sitting.closes_at = now - timedelta(minutes=1)
    assert sitting.shows_results(now)
    sitting.last_closes_at = now + timedelta(minutes=1)
    assert not sitting.shows_results(now)


def test_a_student_in_a_class_chooses_the_sitting(client, quiz, sitting, as_student):
    links = [link.get("href", "") for link in Page(client.get(URL)).all("a")]
    links = [link for link in links if link.startswith(URL)]
    assert links == [f"{URL}{sitting.pk}/", f"{URL}{quiz.own_sitting.pk}/"]
    for link, minutes in zip(links, (10, 23), strict=True):
        assert f"{minutes} minutes" in Page(client.get(link)).text


def test_the_start_of_a_class_is_an_attempt_of_that_class(client, sitting, as_student):
    client.get(f"{URL}{sitting.pk}/")
    answer = client.post(f"{URL}{sitting.pk}/start/")
    attempt = Attempt.objects.get()
    assert answer.url == attempt.get_absolute_url()
    assert attempt.sitting == sitting


def test_nobody_else_finds_the_sitting_of_a_class(client, quiz, other_student, sitting):
    client.force_login(other_student)
    assert client.get(f"{URL}{sitting.pk}/").status_code == 404
    assert client.get(f"{URL}{quiz.own_sitting.pk}/").status_code == 200
    assert "23 minutes" in Page(client.get(URL)).text


def test_a_quiz_that_only_classes_take_says_so_to_others_and_leads_its_students_straight_to_it(
    client, quiz, student, other_student, sitting
):
    Sitting.objects.filter(pk=quiz.own_sitting.pk).update(open_to_all=False)
    client.force_login(other_student)
    assert "This quiz is for classes" in Page(client.get(URL)).text
    client.post(f"{URL}start/")
    assert not Attempt.objects.exists()
    client.force_login(student)
    assert "10 minutes" in Page(client.get(URL)).text


def test_practice_follows_the_sittings_that_are_ones_own(quiz, student, other_student, sitting):
    Sitting.objects.filter(pk=quiz.own_sitting.pk).update(open_to_all=False)
    del quiz.own_sitting
    assert practise_quiz(student=student, quiz=quiz)
    with pytest.raises(NotOpen):
        practise_quiz(student=other_student, quiz=quiz)


def test_the_home_lists_both(client, sitting, as_student):
    text = Page(client.get("/learning/")).text
    assert "Class A" in text
    assert text.count("Foundations") >= 2


def test_choices_are_the_open_one_alone_for_whoever_is_not_logged_in(quiz):
    assert [each.sitting for each in available_settings(None, quiz)] == [quiz.own_sitting]


BEFORE = [("quizzes", "0015_sheets")]
RULES = ("minutes", "attempts_allowed", "counts", "practice", "release", "closes_at", "released")


@pytest.mark.django_db(transaction=True)
def test_migrating_back_and_forth_keeps_rules_and_terms(
    quiz, author, student, other_student, migrate
):
    """Back to one sitting a quiz, attempts in classes count with the others."""
    in_class = Sitting.objects.create(quiz=quiz, given_in="Class A", open_to_all=False)
    for settings in (None, own_settings(in_class), None):
        submit_attempt(attempt=start_attempt(student=author, quiz=quiz, settings=settings))
    rules = quiz.own_sitting
    rules.release, rules.attempts_allowed = Sitting.Release.BY_HAND, 7
    rules.closes_at = timezone.now() + timedelta(minutes=9)
    rules.save()
    submit_attempt(attempt=start_attempt(student=student, quiz=quiz))
    ExtraTime.objects.create(student=other_student, factor=2)
    start_attempt(student=other_student, quiz=quiz)
    practise_quiz(student=student, quiz=quiz)
    columns = ("pk", "mode", "state", "minutes", "closes_at", "deadline", "extra_time", "number")
    others = Attempt.objects.exclude(student=author)
    expected = list(others.order_by("pk").values_list(*columns))
    kept = Sitting.objects.filter(pk=rules.pk).values(*RULES).get()

    before = migrate(BEFORE)
    assert before.get_model("quizzes", "Quiz").objects.values(*RULES).get() == kept
    in_both = before.get_model("quizzes", "Attempt").objects.filter(student=author.pk)
    assert list(in_both.order_by("pk").values_list("number", flat=True)) == [1, 2, 3]
    in_both.delete()
    migrate()
    assert list(others.order_by("pk").values_list(*columns)) == expected
    sitting = Sitting.objects.get()
    assert Sitting.objects.values(*RULES).get() == kept
    modes = set(Attempt.objects.values_list("mode", "sitting"))
    assert modes == {("graded", sitting.pk), ("practice", None)}
