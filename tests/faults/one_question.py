"""A quiz of one question, which starts fast, and students at it."""

import json
from uuid import uuid4

from django.contrib.auth import get_user_model

from quizzes.delivery.services.taking import start_attempt
from quizzes.models import Choice, ConceptQuestion, Quiz
from tests.page_script import session_of


def make_quiz() -> Quiz:
    """Create a quiz whose first choice is right. Its slug is new for repeated runs on one site."""
    slug = f"one-{uuid4().hex[:8]}"
    question = ConceptQuestion.objects.create(key=slug, topic=slug, prompt="?", published=True)
    for order, key in enumerate("abcd"):
        Choice.objects.create(
            question=question, key=key, text=key, correct=key == "a", feedback=key, order=order
        )
    quiz = Quiz.objects.create(slug=slug, title=slug, published=True)
    quiz.slots.create(position=1, topic=slug)
    return quiz


def print_sessions(count: int) -> None:
    """Print a new quiz and sessions of its students; for `manage.py shell` of a running site."""
    slug = make_quiz().slug
    create = get_user_model().objects.create_user
    students = [create(f"{slug}-{number}@example.org") for number in range(count)]
    found = {"slug": slug, "sessions": [session_of(student) for student in students]}
    print(json.dumps(found))  # noqa: T201 (another process reads it)


def print_students(count: int) -> None:
    """Start `count` attempts and print their sessions; for `manage.py shell` of a running site."""
    quiz = make_quiz()
    found = []
    for number in range(count):
        student = get_user_model().objects.create_user(f"{quiz.slug}-{number}@example.org")
        attempt = start_attempt(student=student, quiz=quiz)
        found.append({"session": session_of(student), "attempt": attempt.pk})
    print(json.dumps(found))  # noqa: T201 (another process reads it)
