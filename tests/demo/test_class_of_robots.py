"""The demo's class: robots' attempts are like those that the site itself stores."""

from collections import Counter
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import Count, F, Q
from django.urls import reverse
from django.utils import timezone

from audit.models import Event
from classes.models import Course, Membership, Override
from demo import class_of_robots
from demo.class_of_robots import OPEN_NOW, TERM, TITLE, create_demo_class
from outbox.models import Message
from outbox.presenters import notifications
from quizzes.delivery.effective_settings import given_to
from quizzes.delivery.services.taking import start_attempt
from quizzes.models import Answer, Attempt, Grade, Item, Quiz, Submission, Variant
from tests.fixtures import WHOLE
from tests.world import make_user

pytestmark = pytest.mark.django_db
ASKS = [WHOLE[index] for index in (1, 5, 7, 11, 12)]
STUDENTS = 6


@pytest.fixture
def quizzes(quiz):
    """A quiz that has ended, and copies of it for the rest of a term."""
    slots = list(quiz.slots.values("position", "points", "family", "options", "topic"))
    for number in range(1, len(TERM)):
        copy = Quiz.objects.create(slug=f"quiz-{number}", title=f"Quiz {number}", published=True)
        for slot in slots:
            copy.slots.create(**slot)
    return Quiz.objects.order_by("title")


@pytest.fixture
def sam(db):
    return make_user("Sam")


def make(ines, sam):
    return create_demo_class(
        instructor=ines, student=sam, now=timezone.now(), seed="a seed", students=STUDENTS
    )


@pytest.fixture
def diligent(monkeypatch):
    """Robots of which none misses a quiz and all have begun what is open."""
    monkeypatch.setattr(class_of_robots, "MISS", 0)
    monkeypatch.setattr(class_of_robots, "BEGUN_ALREADY", 1)


@pytest.fixture
def made(quizzes, ines, sam, diligent):
    list(make(ines, sam))
    return Course.objects.get(title=TITLE)


def attempts_in(course):
    return Attempt.objects.filter(sitting__assignment__course=course)


def test_its_people_and_its_history_are_there(made, ines, sam, log_in):
    found = Counter(made.memberships.values_list("role", "state"))
    assert found == {
        ("instructor", "active"): 1,
        ("assistant", "active"): 2,
        ("observer", "active"): 1,
        ("student", "active"): STUDENTS - 1,
        ("student", "left"): 1,
    }
    assert made.memberships.get(user=ines).role == "instructor"
    assert made.memberships.get(user=sam).role == "student"
    assert made.memberships.exclude(section="").values("section").distinct().count() == 3
    assert log_in(ines).get(reverse("classes:history", args=[made.pk])).status_code == 200
    days = {event.at.date() for event in Event.objects.filter(scope=made.scope)}
    assert len(days) > 4


@pytest.mark.service
def test_attempts_have_all_their_rows_and_numbers_as_if_students_had_made_them(made):
    connection.check_constraints()
    handed_in = attempts_in(made).filter(state="submitted").count()
    assert handed_in >= 4 * (STUDENTS - 1)
    slots = Attempt.objects.annotate(asked=Count("quiz__slots", distinct=True))
    for attempt in slots.annotate(items_there=Count("items", distinct=True)):
        assert attempt.items_there == attempt.asked
    assert Submission.objects.filter(state="graded", item=None).count() == handed_in
    own = Q(answer__item__attempt=F("answer__submission__attempt"))
    assert Grade.objects.filter(own).count() == Grade.objects.count() == Answer.objects.count()
    of_problems = Grade.objects.filter(answer__item__variant__isnull=False)
    assert {"right", "mistake"} <= set(of_problems.values_list("verdict", flat=True))
    for submission in Submission.objects.filter(state="graded"):
        assert submission.graded_at - submission.received_at < timedelta(minutes=1)
    late = F("answer__submission__received_at") + timedelta(minutes=1)
    assert not Grade.objects.filter(graded_at__gt=late).exists()
    uses = Counter(Item.objects.exclude(variant=None).values_list("variant", flat=True))
    assert set(uses.values()) == {1}
    assert not Variant.objects.filter(pk__in=uses, given_at=None).exists()
    assert not Variant.objects.filter(pk__in=uses, for_exams=False).exists()


def test_attempts_lie_in_the_term_of_which_one_quiz_is_open_and_one_to_come(made):
    now = timezone.now()
    for attempt in attempts_in(made).select_related("sitting"):
        sitting = attempt.sitting
        assert sitting.opens_at <= attempt.started_at <= now
        assert attempt.started_at > now - timedelta(days=21)
        if not attempt.is_open:
            assert attempt.started_at < attempt.submitted_at <= attempt.deadline
        for item in attempt.items.exclude(saved_at=None):
            assert attempt.started_at < item.saved_at <= (attempt.submitted_at or now)
    longer = attempts_in(made).exclude(extra_time=timedelta(0))
    assert longer.values("student").distinct().count() == 3
    assert Override.objects.filter(course=made).count() == 3
    sittings = [each.sitting for each in class_of_robots._assignments(made)]
    assert [each.has_closed(now) for each in sittings] == [True] * 4 + [False] * 2
    assert not sittings[-1].has_opened(now)
    assert not sittings[-1].attempts.exists()
    assert {each.release for each in sittings} == {"at_once", "after_close", "by_hand"}
    assert set(attempts_in(made).filter(state="open").values_list("sitting", flat=True)) <= {
        sittings[OPEN_NOW].pk
    }


def test_the_students_own_quiz_is_due_and_can_be_begun(made, sam):
    (settings,) = (
        settings
        for settings in given_to(sam)
        if settings.has_opened(timezone.now()) and not settings.has_closed(timezone.now())
    )
    assert not settings.sitting.attempts.filter(student=sam).exists()
    attempt = start_attempt(student=sam, quiz=settings.sitting.quiz, settings=settings)
    assert (attempt.sitting, attempt.number) == (settings.sitting, 1)


def test_students_at_work_have_saved_what_they_did(quizzes, ines, sam, diligent, monkeypatch):
    monkeypatch.setattr(class_of_robots, "AT_WORK", 1)
    list(make(ines, sam))
    at_work = Attempt.objects.filter(state="open")
    assert at_work.count() == STUDENTS - 2
    now = timezone.now()
    for attempt in at_work:
        assert attempt.takes_answers(now)
        assert attempt.items.filter(revision=0, saved_at=None, draft={}).exists()
        assert attempt.items.filter(revision=1).exclude(saved_at=None).exists()


@pytest.mark.service
def test_a_run_that_was_interrupted_is_gone_on_with(quizzes, ines, sam):
    first = make(ines, sam)
    next(first)
    first.close()
    begun = set(Attempt.objects.values_list("pk", flat=True))
    assert len(list(make(ines, sam))) >= 3
    assert begun < set(Attempt.objects.values_list("pk", flat=True))
    assert Course.objects.filter(title=TITLE).count() == 1


def goes_of(course, sam, seed):
    """Return each attempt's planned start by student, sitting and number."""
    robots = class_of_robots._RobotClass(course, sam, seed, course.created_at + timedelta(days=21))
    goes = [go for place in range(OPEN_NOW + 1) for go in robots.goes(place)]
    return {(go.student.pk, go.settings.sitting.pk, go.number): go.started_at for go in goes}


def test_the_same_seed_makes_the_same_class_once_and_another_one_another(made, ines, sam):
    kept = attempts_in(made).values_list("student", "sitting", "number", "started_at")
    assert goes_of(made, sam, "a seed") == {tuple(key): began for *key, began in kept}
    assert goes_of(made, sam, "another") != goes_of(made, sam, "a seed")
    rows = Attempt.objects.count(), Membership.objects.count(), Variant.objects.count()
    assert list(make(ines, sam)) == []
    assert (Attempt.objects.count(), Membership.objects.count(), Variant.objects.count()) == rows


def test_the_student_alone_was_told_of_quizzes_and_of_marks_on_their_days(made, sam):
    told = Message.objects.filter(kind__in=["classes.assigned", "classes.released"])
    assert set(told.values_list("to", flat=True)) == {sam.pk}
    shown = notifications(told.order_by("due"), seen=None)
    assert [(timezone.now() - each.at).days for each in shown] == [9, 4, 3, 1]


class TestTheCommand:
    def test_it_prints_what_it_made_and_then_that_all_is_there(
        self, quizzes, ines, sam, settings, capsys
    ):
        settings.SOFTMARK_DEMO = True
        people = {"instructor": ines.email, "student": sam.email}
        call_command("demo_class", students=STUDENTS, **people)
        assert "attempts in" in capsys.readouterr().out
        call_command("demo_class", students=STUDENTS, **people)
        assert "already complete" in capsys.readouterr().out
        call_command("demo_class", students=STUDENTS, again=True, **people)
        assert Course.objects.filter(title=TITLE, archived=True).count() == 1
        assert Course.objects.filter(title=TITLE, archived=False).count() == 1

    def test_it_is_refused_where_real_people_learn(self, ines, sam, settings):
        settings.SOFTMARK_DEMO = settings.DEBUG = False
        with pytest.raises(CommandError, match="This would add robots to your students"):
            call_command("demo_class", instructor=ines.email, student=sam.email)
        assert not Course.objects.filter(title=TITLE).exists()

    def test_without_the_accounts_it_says_which_command_makes_them(self, settings, db):
        settings.SOFTMARK_DEMO = True
        with pytest.raises(CommandError, match="demo_accounts"):
            call_command("demo_class")
