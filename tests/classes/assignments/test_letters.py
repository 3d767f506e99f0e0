"""Letters to students about assignments: their content, their time, and when they are dropped."""

import re
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth import get_user_model
from django.core import mail
from django.utils import timezone

from classes.assignments.services import reminders
from classes.assignments.services.assigning import (
    Rules,
    assign,
    change_assignment,
    release_results,
    withdraw,
)
from classes.assignments.services.exceptions import OverrideValues, change_override, remove_override
from classes.assignments.services.reminders import check_waiting
from classes.courses.services.courses import archive_course
from classes.models import Assignment, Label, Membership
from classes.people.services.importing import apply_import, keep_import, plan_kept_import
from classes.people.services.joining import claim_invitations, join
from classes.people.services.people import leave_course, remove_members, restore_members
from classes.rosters import read_pasted
from outbox.models import Message, Preference
from outbox.sending import send_waiting
from quizzes.authoring.services.quizzes import withdraw_quiz
from quizzes.delivery.services.taking import submit_attempt
from quizzes.models import Attempt, Sitting
from tests.slowness import slowness
from tests.world import (
    found_in,
    make_override,
    make_quiz,
    make_user,
    missing_in,
    refresh,
    rules,
    start_assigned_quiz,
)

pytestmark = pytest.mark.django_db
NOW = timezone.now().replace(microsecond=0)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
RULES = rules(due_at=NOW + 3 * DAY, closes_at=NOW + 4 * DAY)
ASSIGNED, DUE, RELEASED, EXCEPTION = (
    f"classes.{name}" for name in ("assigned", "due_tomorrow", "released", "exception")
)


@pytest.fixture(autouse=True)
def at(monkeypatch):
    """Return a function that sets the time for looking, sending and reading."""

    def go(when):
        monkeypatch.setattr(timezone, "now", lambda: when)

    go(NOW)
    return go


def change(access, assignment, **rules):
    sitting = refresh(refresh(assignment).sitting)
    names = ("opens_at", "closes_at", "minutes", "attempts_allowed", "release")
    now = {name: getattr(sitting, name) for name in names} | {"due_at": assignment.due_at}
    changed = Rules(**now | rules)
    change_assignment(
        access=access, assignment=assignment, rules=changed, version=assignment.version
    )


def except_for(*whom, **said):
    return make_override(*whom, reason="a secret illness", **said)[0]


def hand_in_assigned(member):
    submit_attempt(attempt=start_assigned_quiz(member))


def waiting(kind):
    """Return the names of those to whom a kind of letter waits."""
    rows = Message.objects.filter(kind=kind, state="waiting").order_by("to__name")
    return list(rows.values_list("to__name", flat=True))


def looked(at, when, kind):
    """Look at this time; return the names of those to whom a kind of letter then waits."""
    at(when)
    check_waiting()
    return waiting(kind)


def sent():
    """Send waiting letters; return the receiver and text of each."""
    already = len(mail.outbox)
    send_waiting()
    return [(letter.to[0].partition("@")[0], letter.body) for letter in mail.outbox[already:]]


def reminded(at, when):
    """Return the receivers of the reminders that go out at this time."""
    at(when)
    check_waiting()
    return [name for name, text in sent() if "is due by" in text]


# A quiz is given


def test_a_letter_has_dates_by_the_class_s_clock_or_the_reader_s_own(assign_quiz, sam, settings):
    settings.SITE_URL = "https://learn.example.org"
    assignment = assign_quiz(due_at=datetime(2090, 7, 1, 6, 30, tzinfo=UTC), closes_at=None)
    ((to, text),) = sent()
    assert to == "sam"
    assert "The quiz “Foundations” has been assigned to your class Attention 101" in text
    assert "Due: Sat 1 Jul 2090, 08:30 CEST" in text
    assert found_in(text, "Opens", "Closes") == []
    assert f"https://learn.example.org{assignment.sitting.get_absolute_url()}" in text
    sam.user.time_zone = "Asia/Kathmandu"
    sam.user.save()
    assign_quiz(due_at=datetime(2090, 7, 1, 6, 30, tzinfo=UTC), closes_at=None)
    ((_to, text),) = sent()
    assert "Due: Sat 1 Jul 2090, 12:15 UTC+0545" in text


def test_a_letter_follows_the_reader_s_own_exceptions(assign_quiz, access, sam, add_member):
    add_member("Ann")
    except_for(access, assign_quiz(), sam, due_at=NOW + 3 * DAY + HOUR)
    texts = dict(sent())
    due = {name: re.search("Due: (.*)", text)[1] for name, text in texts.items()}
    assert due["sam"] != due["ann"]


def test_only_students_with_an_account_get_letters(assign_quiz, course, add_member, sam):
    add_member("Ada", role="assistant")
    add_member("Gone", state="left")
    Membership.objects.create(course=course, email="nobody@example.org", state="invited")
    assign_quiz()
    assert waiting(ASSIGNED) == ["Sam"]


@pytest.mark.parametrize(
    "gone",
    [
        lambda access, assignment, sam: withdraw(access=access, assignment=assignment),
        lambda access, assignment, sam: remove_members(access=access, keys=[sam.pk]),
        lambda access, assignment, sam: leave_course(member=sam),
        lambda access, assignment, sam: archive_course(
            course=access.course, by=access.user, archived=True
        ),
        lambda access, assignment, sam: withdraw_quiz(quiz=assignment.sitting.quiz),
        lambda access, assignment, sam: change(
            access, assignment, due_at=None, closes_at=NOW - HOUR
        ),
    ],
    ids=["taken back", "removed", "left", "archived", "unpublished", "closed"],
)
def test_a_letter_whose_reason_is_gone_is_not_sent(assign_quiz, access, sam, gone):
    gone(access, assign_quiz(), sam)
    assert sent() == []
    assert set(Message.objects.values_list("state", flat=True)) == {"dropped"}


def test_a_waiting_letter_has_the_dates_of_when_it_is_sent(assign_quiz, access, sam):
    change(access, assign_quiz(), due_at=datetime(2090, 7, 1, 6, 30, tzinfo=UTC), closes_at=None)
    ((_to, text),) = sent()
    assert "1 Jul 2090" in text


def test_who_joins_later_gets_one_letter_about_open_assignments(assign_quiz, access, course, sam):
    assign_quiz()
    sent()
    ann, ben = make_user("Ann"), make_user("Ben")
    join(user=ann, code=course.code)
    Membership.objects.create(course=course, email="ben@example.org", state="invited")
    claim_invitations(user=ben)
    assert [name for name, _text in sent()] == ["ann", "ben"]
    remove_members(access=access, keys=[sam.pk])
    restore_members(access=access, keys=[sam.pk])
    assert sent() == []


def test_who_is_restored_gets_a_letter_about_new_assignments(assign_quiz, access, sam):
    remove_members(access=access, keys=[sam.pk])
    assign_quiz()
    assert sent() == []
    restore_members(access=access, keys=[sam.pk])
    assert [name for name, _text in sent()] == ["sam"]


def test_nobody_is_welcomed_with_what_has_closed(assign_quiz, course):
    assign_quiz(due_at=None, closes_at=NOW - HOUR)
    join(user=make_user("Ann"), code=course.code)
    assert waiting(ASSIGNED) == []


def test_who_is_imported_by_a_list_gets_a_letter(assign_quiz, access, course):
    assign_quiz()
    make_user("Ann")
    kept = keep_import(access=access, lines=read_pasted("ann@example.org"), role="student")
    apply_import(kept=kept, access=access, digest=plan_kept_import(kept).digest)
    assert waiting(ASSIGNED) == ["Ann"]


def test_copied_dates_are_not_sent_before_somebody_looked_at_them(assign_quiz, access, course):
    assignment = assign_quiz()
    Assignment.objects.update(dates_copied=True)
    join(user=make_user("Ann"), code=course.code)
    assert waiting(ASSIGNED) == []
    change(access, assignment)
    assert waiting(ASSIGNED) == ["Ann"]


def test_giving_a_quiz_to_many_takes_few_statements_and_less_than_a_second(
    access, quiz, course, django_assert_max_num_queries
):
    new = (get_user_model()(email=f"s{number}@example.org") for number in range(500))
    users = get_user_model().objects.bulk_create(new)
    Membership.objects.bulk_create([Membership(course=course, user=user) for user in users])
    began = time.process_time()
    with django_assert_max_num_queries(25):
        assignment = assign(access=access, quiz=quiz, rules=replace(RULES, due_at=NOW + DAY + HOUR))
    assert time.process_time() - began < slowness()
    assert Message.objects.filter(kind=ASSIGNED).count() == 500
    Assignment.objects.filter(pk=assignment.pk).update(tell_at=NOW)
    assignment.due_at = NOW + HOUR
    assignment.save(update_fields=["due_at"])
    with django_assert_max_num_queries(30):
        check_waiting()
    assert Message.objects.filter(kind=DUE).count() == 500


# Reminders


def test_a_reminder_goes_out_a_day_before_and_once(assign_quiz, sam, at):
    assign_quiz()
    sent()
    assert reminded(at, NOW + 2 * DAY - HOUR) == []
    assert reminded(at, NOW + 2 * DAY + HOUR) == ["sam"]
    assert reminded(at, NOW + 2 * DAY + 2 * HOUR) == []


@pytest.mark.parametrize(
    ("due", "reminders"),
    [
        (3 * DAY + 12 * HOUR, {2 * DAY + HOUR: "ann", 2 * DAY + 13 * HOUR: "sam"}),
        (2 * DAY, {DAY + HOUR: "sam", 2 * DAY + HOUR: "ann"}),
    ],
    ids=["later", "earlier"],
)
def test_a_reminder_follows_the_student_s_own_terms(
    assign_quiz, access, sam, add_member, at, due, reminders
):
    add_member("Ann")
    except_for(access, assign_quiz(), sam, due_at=NOW + due)
    sent()
    for after, name in reminders.items():
        assert reminded(at, NOW + after) == [name]


def test_what_is_never_due_is_due_when_it_closes(assign_quiz, sam, at):
    assign_quiz(due_at=None)
    sent()
    assert reminded(at, NOW + 2 * DAY + HOUR) == []
    assert reminded(at, NOW + 3 * DAY + HOUR) == ["sam"]


def test_who_has_handed_in_is_not_reminded(assign_quiz, sam, at):
    assign_quiz()
    hand_in_assigned(sam)
    sent()
    assert reminded(at, NOW + 2 * DAY + HOUR) == []
    assert not Message.objects.filter(kind=DUE).exists()


def test_who_hands_in_before_the_day_s_digest_is_not_reminded(assign_quiz, sam, at):
    Preference.objects.create(person=sam.user, kind=DUE, how="daily")
    assign_quiz(due_at=NOW + 2 * DAY)
    sent()
    assert reminded(at, NOW + DAY + timedelta(minutes=1)) == []
    assert waiting(DUE) == ["Sam"]
    hand_in_assigned(sam)
    assert reminded(at, NOW + 2 * DAY - timedelta(minutes=1)) == []
    assert waiting(DUE) == []


def test_when_dates_move_the_reminder_moves(assign_quiz, access, sam, at):
    assignment = assign_quiz()
    sent()
    assert looked(at, NOW + 2 * DAY + HOUR, DUE) == ["Sam"]
    change(access, assignment, due_at=NOW + 6 * DAY, closes_at=NOW + 7 * DAY)
    assert reminded(at, NOW + 2 * DAY + 2 * HOUR) == []
    assert reminded(at, NOW + 5 * DAY + HOUR) == ["sam"]


def test_what_is_suddenly_due_soon_is_reminded_of_at_once(assign_quiz, access, sam, at):
    assignment = assign_quiz()
    sent()
    change(access, assignment, due_at=NOW + 5 * HOUR)
    assert reminded(at, NOW + timedelta(minutes=1)) == ["sam"]


def test_what_is_given_shortly_before_it_is_due_needs_no_reminder(assign_quiz, sam, at):
    assign_quiz(due_at=NOW + 5 * HOUR)
    sent()
    assert reminded(at, NOW + HOUR) == []


def test_an_overdue_check_is_not_lost_when_settings_change(
    assign_quiz, access, sam, add_member, at
):
    ann = add_member("Ann")
    assignment = assign_quiz()
    sent()
    at(NOW + 2 * DAY + HOUR)
    except_for(access, assignment, ann, attempts_allowed=2)
    sent()
    check_waiting()
    assert waiting(DUE) == ["Ann", "Sam"]


def test_a_class_that_is_fetched_from_the_archive_is_reminded_again(assign_quiz, access, sam, at):
    assign_quiz()
    sent()
    archive_course(course=access.course, by=access.user, archived=True)
    assert reminded(at, NOW + 2 * DAY + HOUR) == []
    archive_course(course=access.course, by=access.user, archived=False)
    assert reminded(at, NOW + 2 * DAY + 2 * HOUR) == ["sam"]


def test_many_checks_are_made_in_batches(assign_quiz, sam, at):
    for _number in range(3):
        assign_quiz()
    sent()
    at(NOW + 2 * DAY + HOUR)
    assert check_waiting(seconds=0) is True
    assert check_waiting() is False
    assert waiting(DUE) == ["Sam"] * 3


# Marks


def test_a_release_by_hand_is_sent_to_those_who_submitted(assign_quiz, access, sam, add_member):
    add_member("Ann")
    assignment = assign_quiz(release=Sitting.Release.BY_HAND)
    hand_in_assigned(sam)
    sent()

    def release(released=True):
        release_results(access=access, assignment=assignment, released=released)

    release()
    release(released=False)
    assert sent() == []  # it was undone at once
    release()
    ((to, text),) = sent()
    assert (to, "Marks and solutions for the quiz" in text) == ("sam", True)
    release(released=False)
    release()
    assert sent() == []


def test_a_release_is_sent_after_the_last_close(assign_quiz, access, sam, add_member, at):
    ann = add_member("Ann")
    except_for(
        access, assign_quiz(release=Sitting.Release.AFTER_CLOSE), ann, closes_at=NOW + 5 * DAY
    )
    hand_in_assigned(sam)
    sent()
    assert looked(at, NOW + 4 * DAY + HOUR, RELEASED) == []
    assert looked(at, NOW + 5 * DAY + HOUR, RELEASED) == ["Sam"]


def test_a_release_is_sent_when_no_attempt_is_open(assign_quiz, sam, add_member, at):
    ann = add_member("Ann")
    assignment = assign_quiz(release=Sitting.Release.AFTER_CLOSE)
    hand_in_assigned(sam)
    attempt = start_assigned_quiz(ann)
    Attempt.objects.filter(pk=attempt.pk).update(deadline=NOW + 4 * DAY + HOUR)
    sent()
    assert looked(at, NOW + 4 * DAY + timedelta(minutes=1), RELEASED) == []
    assert refresh(assignment).tell_at == NOW + 4 * DAY + HOUR + reminders.RECHECK_AFTER
    submit_attempt(attempt=attempt)
    assert looked(at, assignment.tell_at, RELEASED) == ["Ann", "Sam"]


def test_who_worked_until_the_close_gets_a_letter_after_the_submission(assign_quiz, sam, at):
    assignment = assign_quiz(release=Sitting.Release.AFTER_CLOSE)
    attempt = start_assigned_quiz(sam)
    sent()
    assert looked(at, NOW + 4 * DAY, RELEASED) == []
    submit_attempt(attempt=attempt)
    assignment.refresh_from_db()
    assert looked(at, assignment.tell_at, RELEASED) == ["Sam"]


def test_while_somebody_works_other_assignments_are_not_checked_again(assign_quiz, access, sam, at):
    assign_quiz(release=Sitting.Release.AFTER_CLOSE)
    start_assigned_quiz(sam)
    later = replace(RULES, due_at=NOW + 30 * DAY, closes_at=NOW + 40 * DAY)
    other = assign(access=access, quiz=make_quiz("other"), rules=later)
    before = refresh(other).tell_at
    at(NOW + 4 * DAY)
    check_waiting()
    assert refresh(other).tell_at == before


# Exceptions


def test_a_letter_about_an_exception_has_the_settings_and_not_the_reason(assign_quiz, access, sam):
    assignment = assign_quiz()
    sent()
    except_for(access, assignment, sam, more_minutes=10, attempts_allowed=3)
    ((to, text),) = sent()
    assert to == "sam"
    assert missing_in(text, "Time: 30 minutes (20 + 10)", "Attempts: 3") == []
    assert "illness" not in text


def test_an_exception_in_the_class_lists_each_open_quiz(assign_quiz, access, sam):
    assign_quiz()
    assign_quiz(due_at=None, closes_at=NOW - HOUR)
    sent()
    except_for(access, None, sam, untimed=True)
    ((_to, text),) = sent()
    assert text.count("Time: no time limit") == 1
    assert "This concerns every quiz in the class" in text


def test_an_exception_for_a_label_is_sent_to_those_with_the_label(
    assign_quiz, access, sam, add_member, course
):
    add_member("Ann")
    label = Label.objects.create(course=course, text="extra")
    sam.labels.add(label)
    assignment = assign_quiz()
    sent()
    except_for(access, assignment, label=label, attempts_allowed=3)
    assert waiting(EXCEPTION) == ["Sam"]


def test_of_several_changes_the_last_is_sent(assign_quiz, access, sam):
    assignment = assign_quiz()
    sent()
    made = except_for(access, assignment, sam, attempts_allowed=2)
    four = OverrideValues(attempts_allowed=4)
    change_override(access=access, override=made, difference=four, version=1)
    ((_to, text),) = sent()
    assert text.count("Attempts: 4") == 1
    remove_override(access=access, override=made, version=2)
    ((_to, text),) = sent()
    assert "Attempts: 1" in text


def test_the_page_of_letters_lists_these_kinds(log_in, sam):
    page = log_in(sam.user).get("/letters/").text
    for kind in (ASSIGNED, DUE, RELEASED, EXCEPTION):
        assert re.search(f'<select name="{re.escape(kind)}".*?daily.*?off', page, re.S)


def test_news_of_one_class_come_as_one_letter(assign_quiz, sam):
    assign_quiz()
    assign_quiz()
    ((_to, text),) = sent()
    assert text.count("has been assigned to your class") == 2
