"""Classes filled for measurements, whose pages take as long for any size."""

import time

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import Count
from django.test import Client
from django.test.utils import CaptureQueriesContext

from audit.models import Event
from benchmarks.class_pages import instructor_of, pages
from classes.models import Assignment, Course, Membership, Override
from quizzes.models import AskedQuestion, Attempt, Item
from tests.fixtures import WHOLE
from tests.slowness import slowness

pytestmark = pytest.mark.django_db
ASKS = WHOLE
FEW, MANY = 3, 60
# For one page of any length.
MOST_QUERIES = 30
MOST_SECONDS = 0.5
# Figures are computed from every answer: 27,000 of them in a class of 1,800.
MOST_SECONDS_OF_FIGURES = 2.0
# A new regrade lists first what stands out in these figures.
WITH_FIGURES = ("figures", "new-ruling")


@pytest.fixture
def filled(quiz):
    """Two classes: one of three students, then one of sixty."""
    for students in (FEW, MANY):
        call_command("fill", attempts=students + 2, students=students)
        call_command("fill_classes", classes=1, events=students)
    return Course.objects.order_by("pk")


@pytest.mark.service
def test_each_student_is_in_one_class_with_what_they_have_taken(filled):
    connection.check_constraints()
    few, many = filled
    students = {course: course.memberships.filter(role="student").count() for course in filled}
    assert students[few] >= FEW
    assert students[many] >= MANY
    by_student = Membership.objects.filter(role="student").values("user")
    assert not by_student.annotate(n=Count("pk")).filter(n__gt=1).exists()
    assert not Attempt.objects.filter(sitting__given_in="").exists()
    for attempt in Attempt.objects.select_related("sitting__assignment"):
        places = attempt.sitting.assignment.course.memberships
        assert places.filter(user=attempt.student).exists()
    assert Event.objects.filter(scope=many.scope).count() == MANY
    items = Item.objects.exclude(question=None)
    asked = set(AskedQuestion.objects.values_list("sitting", "question"))
    assert asked >= set(items.values_list("attempt__sitting", "question"))


def test_a_tenth_of_the_students_are_in_the_first_class(quiz):
    call_command("fill", attempts=30, students=30)
    call_command("fill_classes", classes=4)
    courses = Course.objects.order_by("pk")
    sizes = [course.memberships.filter(role="student").count() for course in courses]
    assert sum(sizes) >= 30
    assert sizes[0] == sum(sizes) // 10
    assert max(sizes[1:]) - min(sizes[1:]) <= 1


def test_without_filled_students_there_is_nobody_to_put_into_classes(quiz):
    with pytest.raises(CommandError, match=r"run: manage\.py fill"):
        call_command("fill_classes", classes=2)


def more_of_everything(course):
    """Create sixty assignments and sixty exceptions."""
    assignment = course.assignments.select_related("sitting").latest("pk")
    for _ in range(MANY):
        sitting = assignment.sitting
        sitting.pk = None
        sitting.save(force_insert=True)
        Assignment.objects.create(course=course, sitting=sitting)
    free = course.memberships.filter(role="student", overrides=None)
    Override.objects.bulk_create(
        Override(course=course, member=member, more_minutes=5) for member in free
    )


def queries_of(course):
    """Return the queries of each page, and the names of responses without a page."""
    client = Client()
    client.force_login(instructor_of(course))
    found = {}
    for name, address in pages(course)[0]:
        client.get(address)
        with CaptureQueriesContext(connection) as queries:
            status = client.get(address).status_code
        assert status < 500, address
        if status == 200:
            found[name] = [query["sql"] for query in queries]
    return found


@pytest.mark.slow
def test_the_queries_of_a_page_do_not_grow_with_the_class(filled):
    few, many = filled
    more_of_everything(many)
    at_few, at_many = queries_of(few), queries_of(many)
    assert {"teach", "people", "assignments", "assignment", "exceptions", "history"} <= set(at_few)
    for name, queries in at_many.items():
        assert len(queries) <= MOST_QUERIES, name
        if name in at_few:
            extra = "\n".join(queries)
            assert len(queries) <= len(at_few[name]) + 2, f"{name}: {extra}"


@pytest.mark.slow
def test_no_page_of_a_large_class_takes_long(quiz):
    call_command("fill", attempts=6000, students=2000)
    call_command("fill_classes", classes=2, events=20_000)
    course = Course.objects.order_by("pk").last()
    client = Client()
    client.force_login(instructor_of(course))

    def seconds(address):
        """Return the processor time, as the machine may be busy otherwise."""
        began = time.process_time()
        client.get(address)
        return time.process_time() - began

    for name, address in pages(course)[0]:
        most = MOST_SECONDS_OF_FIGURES if name.startswith(WITH_FIGURES) else MOST_SECONDS
        assert any(seconds(address) < most * slowness() for _again in range(4)), name
