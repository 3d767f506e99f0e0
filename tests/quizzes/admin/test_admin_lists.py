"""The lists of the admin stay fast with any number of attempts."""

import re
import time

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from benchmarks.admin_lists import list_addresses, staff_client
from foundation import large_lists
from quizzes.admin.questions import listing
from quizzes.models import Attempt, Quiz
from tests.fixtures import WHOLE
from tests.slowness import slowness

ASKS = WHOLE

pytestmark = pytest.mark.django_db

ATTEMPTS = "admin:quizzes_attempt_changelist"
SUBMISSIONS = "admin:quizzes_submission_changelist"
# For one page of any list.
MOST_QUERIES = 20
# Pages that would take three seconds for twenty thousand attempts exceed this with 5000.
MANY, MOST_SECONDS = 5000, 1
# The count of `CountedUpTo`, and the mean of `Facility`.
BOUNDED = re.compile(
    r"\(SELECT COUNT\(\*\) FROM \(.*?LIMIT \d+\) counted\)"
    r"|\(SELECT AVG\(people\.share\) .*?LIMIT \d+\).*? people WHERE [^)]*\)"
)


@pytest.fixture
def staff(db):
    return staff_client()


def pages(staff):
    """Yield every address of every list, and its queries."""
    for _list, address in list_addresses(staff, most_choices=3):
        with CaptureQueriesContext(connection) as queries:
            assert staff.get(address).status_code == 200, address
        yield address, [query["sql"] for query in queries]


def seconds(staff, address):
    began = time.thread_time()  # includes SQLite's work, and no other process's
    staff.get(address)
    return time.thread_time() - began


def change_list(staff, name, **asked):
    return staff.get(reverse(name), asked).context_data["cl"]


@pytest.mark.slow
def test_the_queries_of_a_list_do_not_grow_with_its_rows(quiz, staff):
    call_command("fill", attempts=4, students=2, verbosity=0)
    few = {address: len(queries) for address, queries in pages(staff)}
    call_command("fill", attempts=40, students=20, verbosity=0)
    many = {address: len(queries) for address, queries in pages(staff)}
    assert len(few) > 50
    for address, count in few.items():
        assert count <= MOST_QUERIES, address
        assert many[address] <= count + 2, address


@pytest.mark.slow
def test_no_list_of_many_attempts_is_counted_over_joins_or_takes_long(quiz, staff):
    call_command("fill", attempts=MANY, verbosity=0)
    for address, queries in pages(staff):
        for sql in queries:
            assert not counts_over_joins(sql), f"{address}: {sql}"
        most = MOST_SECONDS * slowness()
        assert any(seconds(staff, address) < most for _again in range(4)), address


def counts_over_joins(sql):
    """Return whether the query counts attempts or their rows unbounded over a join."""
    sql = BOUNDED.sub("", sql)
    of_attempts = re.search(r'"quizzes_(attempt|submission|item|answer|grade)"', sql)
    return of_attempts and "COUNT(" in sql and " JOIN " in sql


@pytest.mark.service
@pytest.mark.parametrize("name", [ATTEMPTS, SUBMISSIONS])
def test_a_long_list_is_counted_no_further_than_anybody_pages(quiz, staff, monkeypatch, name):
    call_command("fill", attempts=12, students=2, verbosity=0)
    monkeypatch.setattr(large_lists, "MAX_LISTED", 5)
    page = staff.get(reverse(name)).text
    assert "more than 5" in page
    monkeypatch.setattr(large_lists, "MAX_LISTED", 12)
    page = staff.get(reverse(name)).text
    assert "12 " in page
    assert "more than" not in page


@pytest.mark.service
def test_pages_follow_one_another_in_the_lists_order(quiz, staff, monkeypatch):
    call_command("fill", attempts=12, students=2, verbosity=0)
    monkeypatch.setattr(large_lists.LargeAdmin, "list_per_page", 5, raising=False)
    pages = [list(change_list(staff, ATTEMPTS, p=page).result_list) for page in (1, 2, 3)]
    assert [len(page) for page in pages] == [5, 5, 2]
    in_order = Attempt.objects.order_by("-started_at", "-pk")
    assert [row for page in pages for row in page] == list(in_order)


@pytest.mark.service
@pytest.mark.parametrize("most_people", [0, 3000])
@pytest.mark.parametrize("name", [ATTEMPTS, SUBMISSIONS])
def test_a_search_finds_by_name_by_address_and_by_quiz(
    quiz, staff, student, other_student, monkeypatch, name, most_people
):
    monkeypatch.setattr(large_lists, "MAX_PEOPLE", most_people)
    other = Quiz.objects.create(title="Another one", slug="another")
    for who, what in ((student, quiz), (student, other), (other_student, other)):
        attempt = Attempt.objects.create(
            student=who, quiz=what, sitting=what.own_sitting, state="submitted"
        )
        attempt.submissions.create(state="graded")

    def found(words):
        return change_list(staff, name, q=words).result_count

    assert found("Sam") == 2
    assert found("student@EXAMPLE sam") == 2
    assert found("Another") == 2
    assert found("sam another") == 1
    assert found("olu foundations") == 0
    assert found("sam olu") == 0
    assert found("nobody") == 0


@pytest.mark.service
def test_a_question_says_how_often_it_was_asked_up_to_a_bound(quiz, staff, monkeypatch):
    call_command("fill", attempts=12, students=2, verbosity=0)
    name = "admin:quizzes_conceptquestion_changelist"
    assert sum(each.asked for each in change_list(staff, name).result_list) == 12 * 4
    monkeypatch.setattr(listing, "MAX_COUNTED", 2)
    assert "2 or more" in staff.get(reverse(name)).text
