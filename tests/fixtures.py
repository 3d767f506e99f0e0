"""Fixtures: published quizzes and people to take them, and two classes."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.db.models import Model
from django.db.models.signals import post_save
from django.test import Client
from django.utils import timezone

from classes.access.queries import CourseAccess
from classes.assignments.services.assigning import assign
from classes.courses.services.courses import create_course
from classes.models import Membership
from lessons.models import Lesson, Section
from quizzes.delivery.services.taking import start_attempt
from quizzes.models import ConceptQuestion, Quiz, Sitting
from quizzes.notifiers import grading_notifier
from sharing.models import Access, new_share, shares_of
from tests.conftest import FormClient
from tests.world import (
    answer_everything,
    attempts_in_every_state,
    make_instructor_user,
    make_lesson,
    make_question,
    make_quiz,
    make_user,
    rules,
    start_assignment,
    submit_and_mark,
)

TOPICS = ["why-softmax", "values", "values", "keys"]
# A whole quiz: eleven numeric slots, then four concept questions.
WHOLE = [
    *(
        {"family": family, "options": options}
        for family, options in [
            ("cosine", {"width": 2}),
            ("cosine", {}),
            ("dot_score", {"width": 2}),
            ("dot_score", {}),
            ("score_matrix", {"width": 2}),
            ("scale_row", {}),
            ("softmax_row", {"tokens": 2}),
            ("softmax_row", {}),
            ("weighted_value", {}),
            ("causal_attention", {}),
            ("attention", {"width": 2}),
        ]
    ),
    *({"topic": topic} for topic in TOPICS),
]
# One question of each kind: a number, matrices, a row, cells that are given, and two of choices.
SOME = [WHOLE[index] for index in (0, 4, 6, 9, 11, 14)]


@pytest.fixture
def questions(db):
    """Two questions for each topic; the choice “a” is right."""
    return [
        make_question(
            f"{topic}-{number}",
            topic,
            prompt=f"Question {number} about {topic}, with $d_k$?",
            explanation=f"An explanation of {topic}.",
        )
        for topic in sorted(set(TOPICS))
        for number in (1, 2)
    ]


@pytest.fixture
def quiz(request, questions):
    """Six questions, or what the module lists as ASKS."""
    return make_quiz("foundations", *getattr(request.module, "ASKS", SOME))


@pytest.fixture
def full_quiz(questions):
    """A quiz of fifteen questions, as many as publishing needs."""
    return make_quiz("foundations", *WHOLE)


@pytest.fixture
def partly_secret_quiz(questions):
    """A quiz that shows its results at once; another one keeps the questions on keys secret."""
    quiz = make_quiz(
        "alone",
        *({"family": "cosine", "options": {"width": 2}}, {"topic": "keys"}, {"topic": "values"}),
        lesson=make_lesson("lesson", title="A lesson", order=1),
    )
    final = make_quiz("final", {"topic": "keys"})
    Sitting.objects.filter(quiz=final).update(
        open_to_all=False,
        release=Sitting.Release.BY_HAND,
        closes_at=timezone.now() + timedelta(days=3),
    )
    return Quiz.objects.get(pk=quiz.pk)


@pytest.fixture
def publishable_quiz(full_quiz):
    """A quiz with all that publishing needs: fifteen slots, the time and sections to read."""
    section = Section.objects.create(
        lesson=Lesson.objects.create(slug="taught", title="Taught"), slug="here", title="Here"
    )
    ConceptQuestion.objects.update(section=section)
    Sitting.objects.filter(quiz=full_quiz).update(minutes=60)
    return Quiz.objects.get(pk=full_quiz.pk)


@pytest.fixture
def root(db):
    """An administrator."""
    return get_user_model().objects.create_superuser("root@example.org", "secret", name="Root")


@pytest.fixture
def root_client(root) -> Client:
    """An administrator's client, who sees all attempts and gives extra time."""
    client = FormClient()
    client.force_login(root)
    return client


@pytest.fixture
def ada(db):
    return make_user("Ada", name="Ada Lovelace")


@pytest.fixture
def student(db):
    return get_user_model().objects.create_user("student@example.org", "secret", name="Sam")


@pytest.fixture
def other_student(db):
    return get_user_model().objects.create_user("other@example.org", "secret", name="Olu")


@pytest.fixture
def as_student(client, student):
    """The student, who is logged in."""
    client.force_login(student)
    return student


@pytest.fixture
def attempt(quiz, student):
    """An attempt that the student has begun."""
    return start_attempt(student=student, quiz=quiz)


@pytest.fixture
def answered_attempt(attempt):
    """The attempt with everything right, not yet submitted."""
    answer_everything(attempt)
    return attempt


@pytest.fixture
def marked_attempt(answered_attempt):
    """The attempt, submitted and marked, with everything right."""
    return submit_and_mark(answered_attempt)


@pytest.fixture
def instructor_client(client, share_all_content) -> Client:
    """The client of an instructor who may edit every quiz and question of the test."""
    client.force_login(make_instructor_user("teacher"))
    return client


@pytest.fixture
def share_all_content(db) -> Iterator[None]:
    """Share every quiz and question, present and future, with every instructor."""

    def share_with_all(instance: Model, **_: object) -> None:
        if not shares_of(instance).exists():
            new_share(instance, user=None, access=Access.EDIT).save()

    for model in (Quiz, ConceptQuestion):
        for row in model.objects.all():
            share_with_all(row)
        post_save.connect(share_with_all, sender=model, weak=False, dispatch_uid="shared")
    yield
    for model in (Quiz, ConceptQuestion):
        post_save.disconnect(sender=model, dispatch_uid="shared")


@pytest.fixture
def ines(db):
    return make_instructor_user("Ines")


@pytest.fixture
def course(ines):
    return create_course(by=ines, title="Attention 101", time_zone="Europe/Vienna", first_day=None)


@pytest.fixture
def access(course, ines):
    return CourseAccess(course, ines, Membership.Role.INSTRUCTOR)


@pytest.fixture
def add_member(course):
    """Return a function that adds somebody to the class."""

    def add(name: str, role: str = "student", section: str = "", state: str = "active", of=None):
        return Membership.objects.create(
            course=of or course, user=make_user(name), role=role, section=section, state=state
        )

    return add


@pytest.fixture
def sam(add_member):
    """A student of the class."""
    return add_member("Sam")


@pytest.fixture
def assign_quiz(request, access, quiz):
    """Return a function that assigns the quiz by the module's RULES, with changes."""
    usual = getattr(request.module, "RULES", rules(minutes=23, attempts_allowed=None))

    def assign_it(open_to_all=None, **changes):
        settings = replace(usual, **changes)
        return assign(access=access, quiz=quiz, rules=settings, open_to_all=open_to_all)

    return assign_it


@pytest.fixture
def assignment(assign_quiz):
    """The quiz's assignment to the class by the module's RULES."""
    return assign_quiz()


@pytest.fixture
def attempts_by_name(assignment, add_member):
    """Attempts at the class's quiz in every state, by their students' names."""
    return attempts_in_every_state(assignment, add_member)


@pytest.fixture
def right_attempt(assignment, add_member):
    """Rita's attempt, in section A, with everything right."""
    attempt = start_assignment(assignment, add_member("Rita", section="A").user)
    answer_everything(attempt)
    return submit_and_mark(attempt)


@pytest.fixture
def silent_notifier(monkeypatch):
    """Silence the notifier of graders; see test_notifier.py."""
    monkeypatch.setattr(grading_notifier, "wake_after_commit", lambda: None)
    monkeypatch.setattr(grading_notifier, "wake_again", lambda: None)


@pytest.fixture
def require_confirmed_addresses(settings):
    """Require a confirmed address before an account can be used."""
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"


@pytest.fixture
def log_in():
    """Return a function that logs a user in and returns the client."""

    def log_in_user(user):
        client = FormClient()
        client.force_login(user)
        return client

    return log_in_user


@pytest.fixture
def ines_client(log_in, ines, course):
    """The instructor's own client."""
    return log_in(ines)


@pytest.fixture
def other_course(db):
    return create_course(
        by=make_user("Otto"), title="Another", time_zone="Asia/Tokyo", first_day=None
    )
