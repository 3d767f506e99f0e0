"""A class with its people, and another class that is nobody's business here."""

import pytest
from django.contrib.auth import get_user_model

from accounts.roles import make_instructor
from classes.access.queries import Seat
from classes.courses.services.courses import create_course
from classes.models import Membership
from tests.conftest import FormClient


def account(name: str):
    address = f"{name.lower()}@example.org"
    return get_user_model().objects.create_user(address, "secret", name=name)


@pytest.fixture
def ines(db):
    """An instructor by role."""
    user = account("Ines")
    make_instructor(user)
    return user


@pytest.fixture
def course(ines):
    return create_course(by=ines, title="Attention 101", time_zone="Europe/Vienna", first_day=None)


@pytest.fixture
def seat(course, ines):
    return Seat(course, ines, Membership.Role.INSTRUCTOR)


@pytest.fixture
def member(course):
    """Put somebody into the class."""

    def put(name: str, role: str = "student", section: str = "", state: str = "active", of=None):
        return Membership.objects.create(
            course=of or course, user=account(name), role=role, section=section, state=state
        )

    return put


@pytest.fixture
def logged_in():
    """A client of somebody who is logged in."""

    def log_in(user):
        client = FormClient()
        client.force_login(user)
        return client

    return log_in


@pytest.fixture
def teaching(logged_in, ines, course):
    """The instructor's own client."""
    return logged_in(ines)


@pytest.fixture
def other_course(db):
    return create_course(
        by=account("Otto"), title="Another", time_zone="Asia/Tokyo", first_day=None
    )
