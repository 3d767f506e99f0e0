"""Authors and staff, quizzes of one question, and the database of an earlier release."""

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from quizzes.delivery.services.taking import start_attempt, submit_attempt
from tests.world import answer_everything, make_instructor_user, make_quiz, right_fields


@pytest.fixture
def author(db):
    return make_instructor_user("author")


@pytest.fixture
def student_client(client, as_student):
    """The student's own client."""
    return client


@pytest.fixture
def log_in_with_permissions(client, django_user_model):
    """Return a function that logs in somebody of the staff who has these permissions alone."""

    def log_in_staff(*names):
        person = django_user_model.objects.create_user("looks@example.org", is_staff=True)
        person.user_permissions.set(Permission.objects.filter(codename__in=names))
        client.force_login(person)
        return person

    return log_in_staff


@pytest.fixture
def url(attempt):
    return attempt.get_absolute_url()


@pytest.fixture
def cosine_quiz(db):
    """A quiz of one question."""
    return make_quiz("cosine", {"family": "cosine"})


@pytest.fixture
def submit(quiz, student):
    """Return a function that submits a new attempt, answered by `fields`."""

    def submit(fields=right_fields):
        attempt = start_attempt(student=student, quiz=quiz)
        answer_everything(attempt, fields)
        return submit_attempt(attempt=attempt)

    return submit


@pytest.fixture
def migrate():
    """Return a function that migrates quizzes to a state; the end restores today's.

    Apps that depend on quizzes are migrated along.
    """
    executor = MigrationExecutor(connection)
    latest = executor.loader.graph.leaf_nodes()

    def to(targets):
        executor.loader.build_graph()
        return executor.migrate(targets).apps

    yield lambda targets=latest: to(targets)
    to(latest)
