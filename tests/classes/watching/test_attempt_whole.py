"""The page of a single attempt for staff: its events, by whom, and its review."""

from datetime import timedelta

import pytest
from django.utils import timezone

from classes.models import Membership
from classes.watching import services
from quizzes.delivery.services.taking import start_attempt
from quizzes.models import Item, Sitting
from tests.each import each
from tests.quizzes.reading import Page
from tests.world import (
    REASON,
    attempts_in_every_state,
    fail_marking,
    let_time_run_out,
    make_assignment,
    missing_in,
    right_fields,
    rules,
    save_answer,
    start_assignment,
    submit_and_mark,
)

RULES = rules(minutes=30, attempts_allowed=None)


@pytest.fixture
def attempt(assignment, add_member):
    return start_assignment(assignment, add_member("Ada", section="A").user)


@pytest.fixture
def read_attempt(ines_client, course):
    def page(attempt):
        return Page(ines_client.get(f"/teach/{course.pk}/attempts/{attempt.pk}/"))

    return page


def test_a_running_one_says_whose_it_is_and_how_far(read_attempt, attempt):
    [item] = attempt.items.filter(position=1).select_related("variant", "attempt")
    save_answer(item, right_fields(item))
    page = read_attempt(attempt)
    for words in ("Ada", "ada@example.org", "section A", "30 minutes", "Started", "Not submitted"):
        assert words in page.text
    assert "1 of 6 questions are answered" in page.text
    assert "points" not in page.text


def test_a_marked_one_shows_the_review_as_the_student_reads_it(read_attempt, attempt, client):
    [item] = attempt.items.filter(position=1).select_related("variant", "attempt")
    save_answer(item, right_fields(item))
    submit_and_mark(attempt)
    page = read_attempt(attempt)
    assert missing_in(page.text, "1 of 6 points", "Marked") == []
    client.force_login(attempt.student)
    own = Page(client.get(f"/attempts/{attempt.pk}/results/"))
    sections = [each["id"] for each in own.all("section") if "id" in each]
    assert sections
    assert [each["id"] for each in page.all("section") if "id" in each] == sections


def test_what_could_not_be_marked_says_so(read_attempt, attempt):
    fail_marking(attempt)
    assert "Couldn’t be marked" in read_attempt(attempt).text


def test_before_release_it_says_that_the_student_sees_nothing(read_attempt, attempt):
    submit_and_mark(attempt)
    Sitting.objects.update(release=Sitting.Release.BY_HAND)
    page = read_attempt(attempt)
    assert missing_in(page.text, "Results haven’t been released", "0 of 6 points") == []


def test_last_saves_stand_in_groups_with_the_gaps_between(read_attempt, attempt):
    start = timezone.now() - timedelta(minutes=20)
    for position, minutes, revision in ((1, 0, 3), (2, 2, 1), (5, 12, 2)):
        Item.objects.filter(attempt=attempt, position=position).update(
            saved_at=start + timedelta(minutes=minutes), revision=revision
        )
    text = read_attempt(attempt).text
    assert missing_in(text, "Questions 1, 2 last saved", "4 saves in all") == []
    assert missing_in(text, "Question 5 last saved", "10 minutes after the previous save") == []


def test_deeds_stand_in_it_with_who_and_why(read_attempt, access, assignment, attempt):
    until = timezone.now() + timedelta(minutes=50)
    deed = {"access": access, "assignment": assignment, "reason": REASON}
    services.extend(**deed, until={attempt.pk: until})
    services.hand_in(**deed, attempts=[attempt.pk])
    submit_and_mark(attempt)
    services.reopen(**deed, attempts=[attempt.pk], until=until)
    text = read_attempt(attempt).text
    expected = (
        *("Started", "Ines gave Ada more time for an attempt", "Submitted"),
        *("Ines submitted an attempt for Ada", "Marked", "Ines reopened an attempt by Ada"),
    )
    where = [text.index(words) for words in expected]
    assert where == sorted(where)
    assert text.count(f"Reason: {REASON}") == 3
    assert missing_in(text, "no longer counts: the attempt was reopened", "points: was 0") == []


def test_an_overdue_attempt_says_that_its_time_is_up(read_attempt, attempt):
    let_time_run_out(attempt)
    assert "Time was up" in read_attempt(attempt).text
    submit_and_mark(attempt)
    assert "Submitted automatically when time ran out" in read_attempt(attempt).text


def test_events_of_other_attempts_stay_out_of_it(
    read_attempt, access, assignment, attempt, add_member
):
    other = start_assignment(assignment, add_member("Bob").user)
    services.hand_in(access=access, assignment=assignment, attempts=[other.pk], reason=REASON)
    assert REASON not in read_attempt(attempt).text


@each(
    "role, section, status",
    [("assistant", "A", 200), ("assistant", "B", 404), ("observer", "", 200)],
)
def test_assistants_read_those_of_the_own_section_and_observers_all(
    log_in, course, attempt, add_member, role, section, status
):
    client = log_in(add_member("Abe", role=role, section=section).user)
    assert client.get(f"/teach/{course.pk}/attempts/{attempt.pk}/").status_code == status


def test_what_was_made_elsewhere_or_by_who_teaches_is_not_there(
    ines_client, course, other_course, assignment, attempt, add_member, ines, quiz
):
    elsewhere = start_assignment(make_assignment(other_course, quiz), attempt.student)
    alone = start_attempt(student=attempt.student, quiz=quiz)
    own = start_assignment(assignment, ines)
    for key in (elsewhere.pk, alone.pk, own.pk, 0, 10**30):
        assert ines_client.get(f"/teach/{course.pk}/attempts/{key}/").status_code == 404


def test_it_stays_when_its_student_has_left(read_attempt, attempt):
    Membership.objects.filter(user=attempt.student).update(state="left")
    assert "left" in read_attempt(attempt).text


def test_every_state_has_a_page(read_attempt, assignment, add_member):
    for made in attempts_in_every_state(assignment, add_member).values():
        if made:
            assert made.student.name in read_attempt(made).text
