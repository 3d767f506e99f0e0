"""A class whose students have taken a quiz, and programs that use the API."""

import json
from typing import Any

import pytest
from django.test import Client

from api.services import create_token
from classes.models import Label
from quizzes.delivery.services.taking import submit_attempt
from quizzes.marking.services import grade_waiting
from tests.world import answer_everything, make_override, start_assignment, wrong_fields


class Program:
    """A client of the API: with a token, and without cookies."""

    def __init__(self, secret: str = "") -> None:
        self.client = Client(enforce_csrf_checks=True, raise_request_exception=False)
        self.headers = {"Authorization": f"Bearer {secret}"} if secret else {}

    def get(self, path: str, headers: Any = None, **query: Any) -> Any:
        headers = self.headers | (headers or {})
        return self.client.get(f"/api/v1/{path}", query, headers=headers)

    def send(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        sent = body if isinstance(body, str) else json.dumps(body)
        asked = (method, f"/api/v1/{path}", sent, "application/json")
        return self.client.generic(*asked, headers=self.headers, query_params=query)

    def items(self, path: str, **query: Any) -> list[dict[str, Any]]:
        answer = self.get(path, **query)
        assert answer.status_code == 200, answer.content
        return answer.json()["items"]

    def every(self, path: str, **query: Any) -> list[dict[str, Any]]:
        """Return the items of all pages."""
        found: list[dict[str, Any]] = []
        cursor: str | None = ""
        while cursor is not None:
            page = self.get(path, cursor=cursor, **query).json()
            found += page["items"]
            cursor = page["next"]
        return found


@pytest.fixture
def make_program():
    """Return a function that makes a program with a user's token."""

    def make(user, *, scope="read", course=None, days=30) -> Program:
        made = create_token(owner=user, name="Notebook", scope=scope, course=course, days=days)
        return Program(made[1])

    return make


@pytest.fixture
def reader(make_program, ines, course):
    return make_program(ines)


@pytest.fixture
def writer(make_program, ines, course):
    return make_program(ines, scope="exceptions")


@pytest.fixture
def label(course):
    return Label.objects.create(course=course, text="extra time")


@pytest.fixture
def marked_attempts(assignment, add_member):
    """Two students' marked attempts, the second one all wrong, beside a third that is open."""
    attempts = [
        start_assignment(assignment, add_member(name, section="1").user) for name in ("Ada", "Bob")
    ]
    answer_everything(attempts[1], wrong_fields)
    for attempt in attempts:
        submit_attempt(attempt=attempt)
    grade_waiting()
    start_assignment(assignment, add_member("Cyd", section="2").user)
    return attempts


@pytest.fixture
def exception(access, assignment, add_member):
    """Ten minutes more for one student."""
    return make_override(access, assignment, add_member("Dan", section="2"), more_minutes=10)[0]
