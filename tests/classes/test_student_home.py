"""A student's home: what a class has given, with its date by the clock of the class."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from classes.services.assigning import Rules, assign
from lessons.models import Lesson
from tests.quizzes.conftest import questions, quiz  # noqa: F401 - fixtures
from tests.quizzes.reading import Page

pytestmark = pytest.mark.django_db
DUE = datetime(2099, 1, 15, 22, 30, tzinfo=UTC)


@pytest.fixture
def given(seat, quiz):  # noqa: F811
    rules = Rules(opens_at=None, due_at=DUE, closes_at=None, minutes=20, attempts_allowed=1)
    return assign(seat=seat, quiz=quiz, rules=rules)


def test_what_is_due_comes_before_the_next_lesson_by_the_clock_of_the_class(
    given, member, logged_in
):
    lesson = Lesson.objects.create(slug="one", title="One", order=1, published=True)
    lesson.sections.create(slug="first", title="First")
    sam = member("Sam").user
    sam.time_zone = "Asia/Tokyo"
    sam.save()
    page = Page(logged_in(sam).get("/learning/"))
    first = page.all("a", inside="main")[0]
    assert first["href"] == given.sitting.get_absolute_url()
    assert "Due 15 Jan 2099, 23:30 CET" in page.text
    assert "20 min · assigned in Attention 101" in page.text
    # No script may put the time of this machine in its place.
    assert all("data-kept" in time for time in page.all("time", datetime=DUE.isoformat()))


def test_a_new_student_sees_the_quizzes_of_the_class_and_no_others(given, member, logged_in):
    page = Page(logged_in(member("Sam").user).get("/learning/"))
    rows = page.all("th", scope="row")
    assert "Welcome, Sam" in page.text
    assert len(rows) == 1


def test_what_was_due_and_is_still_open_says_so(given, member, logged_in):
    given.due_at = timezone.now() - timedelta(hours=1)
    given.save()
    assert "Was due" in Page(logged_in(member("Sam").user).get("/learning/")).text


def test_home_reads_no_more_for_a_class(given, member, logged_in, django_assert_max_num_queries):
    sams = logged_in(member("Sam").user)
    with django_assert_max_num_queries(14):
        sams.get("/learning/")
