"""A published quiz of fifteen slots, and people to take it."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Model
from django.db.models.signals import post_save
from django.test import Client
from django.utils import timezone

from accounts.roles import make_instructor
from lessons.models import Lesson, Section
from quizzes.models import Choice, ConceptQuestion, Quiz, Sitting, Slot
from sharing.models import Access, share_of, shares_of

NUMERIC_SLOTS = [
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
TOPICS = ["why-softmax", "values", "values", "keys"]


@pytest.fixture
def questions(db):
    """Two questions for each topic; the choice “a” is right."""
    made = []
    for topic in sorted(set(TOPICS)):
        for number in (1, 2):
            question = ConceptQuestion.objects.create(
                key=f"{topic}-{number}",
                topic=topic,
                prompt=f"Question {number} about {topic}, with $d_k$?",
                explanation=f"An explanation of {topic}.",
                published=True,
            )
            for order, key in enumerate("abcd"):
                Choice.objects.create(
                    question=question,
                    key=key,
                    text=f"Choice {key} of {question.key}",
                    correct=key == "a",
                    feedback=f"Feedback to {key} of {question.key}.",
                    order=order,
                )
            made.append(question)
    return made


@pytest.fixture
def quiz(questions):
    """Eleven numeric slots, then four concept questions."""
    quiz = Quiz.objects.create(slug="foundations", title="Foundations", published=True)
    slots = [{"family": family, "options": options} for family, options in NUMERIC_SLOTS]
    slots += [{"topic": topic} for topic in TOPICS]
    for position, slot in enumerate(slots, start=1):
        Slot.objects.create(quiz=quiz, position=position, **slot)
    return quiz


@pytest.fixture
def alone(questions):
    """A quiz that shows its results at once; another one keeps the questions on keys secret."""
    lesson = Lesson.objects.create(slug="lesson", title="A lesson", order=1, published=True)
    quiz = Quiz.objects.create(slug="alone", title="Alone", published=True, lesson=lesson)
    for position, asks in enumerate(
        [{"family": "cosine", "options": {"width": 2}}, {"topic": "keys"}, {"topic": "values"}],
        start=1,
    ):
        quiz.slots.create(position=position, **asks)
    final = Quiz.objects.create(slug="final", title="Final", published=True)
    final.slots.create(position=1, topic="keys")
    Sitting.objects.filter(quiz=final).update(
        open_to_all=False,
        release=Sitting.Release.BY_HAND,
        closes_at=timezone.now() + timedelta(days=3),
    )
    return Quiz.objects.get(pk=quiz.pk)


@pytest.fixture
def fit_quiz(quiz):
    """The same with what it takes to be published: the time for it, and sections to read again."""
    section = Section.objects.create(
        lesson=Lesson.objects.create(slug="taught", title="Taught"), slug="here", title="Here"
    )
    ConceptQuestion.objects.update(section=section)
    Sitting.objects.filter(quiz=quiz).update(minutes=60)
    return Quiz.objects.get(pk=quiz.pk)


@pytest.fixture
def student(db):
    return get_user_model().objects.create_user("student@example.org", "secret", name="Sam")


@pytest.fixture
def other_student(db):
    return get_user_model().objects.create_user("other@example.org", "secret", name="Olu")


@pytest.fixture
def migrate():
    """Bring quizzes to a state, and back to today's in the end, with all that build on them."""
    executor = MigrationExecutor(connection)
    latest = executor.loader.graph.leaf_nodes()

    def to(targets):
        executor.loader.build_graph()
        return executor.migrate(targets).apps

    yield lambda targets=latest: to(targets)
    to(latest)


@pytest.fixture
def instructor_client(client, django_user_model, edited_by_all) -> Client:
    """Of an instructor who may edit every quiz and question of the test."""
    instructor = django_user_model.objects.create_user("teacher@example.org", "secret")
    make_instructor(instructor)
    client.force_login(instructor)
    return client


@pytest.fixture
def edited_by_all(db) -> Iterator[None]:
    """Share what there is, and what the test makes, with every instructor."""

    def share_with_all(instance: Model, **_: object) -> None:
        if not shares_of(instance).exists():
            share_of(instance, user=None, access=Access.EDIT).save()

    for model in (Quiz, ConceptQuestion):
        for row in model.objects.all():
            share_with_all(row)
        post_save.connect(share_with_all, sender=model, weak=False, dispatch_uid="shared")
    yield
    for model in (Quiz, ConceptQuestion):
        post_save.disconnect(sender=model, dispatch_uid="shared")
