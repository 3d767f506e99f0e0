"""Assigning quizzes to a class, and the effect of changes on running attempts."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from audit.models import Event
from classes.access.queries import CourseAccess
from classes.assignments.services.assigning import (
    assign,
    change_assignment,
    release_results,
    withdraw,
)
from classes.assignments.services.exceptions import OverrideValues, change_override, remove_override
from classes.errors import Outdated, Refused
from classes.models import Assignment, Label, Override
from classes.people.services.people import Change, change_members, remove_members
from quizzes.delivery.services.deadlines import grant_extra_time
from quizzes.delivery.services.taking import submit_attempt
from quizzes.models import Attempt, ExtraTime, Sitting
from tests.each import each
from tests.world import make_override, refresh, rules, start_assigned_quiz

pytestmark = pytest.mark.django_db
NOW = timezone.now().replace(microsecond=0)
HOUR = timedelta(hours=1)
RULES = rules(due_at=NOW + HOUR, closes_at=NOW + 2 * HOUR)


@pytest.fixture
def attempt(assignment, sam):
    return start_assigned_quiz(sam)


def minutes_of(attempt):
    attempt.refresh_from_db()
    return attempt.deadline and (attempt.deadline - attempt.started_at) / timedelta(minutes=1)


def change(access, assignment, *, may_shorten=False, version=None, **said):
    one = {
        "access": access,
        "assignment": refresh(assignment),
        "version": version or assignment.version,
    }
    return change_assignment(**one, rules=replace(RULES, **said), may_shorten=may_shorten)


@pytest.mark.parametrize(
    "wrong",
    [
        {"opens_at": NOW + 2 * HOUR},
        {"opens_at": NOW + HOUR, "due_at": NOW + HOUR},
        {"due_at": NOW + 3 * HOUR},
        {"closes_at": None, "release": Sitting.Release.AFTER_CLOSE},
    ],
)
def test_dates_that_contradict_each_other_are_refused(wrong):
    with pytest.raises(Refused):
        replace(RULES, **wrong)


def test_a_draft_cannot_be_given(access, quiz):
    quiz.published = False
    quiz.save()
    with pytest.raises(Refused, match="published"):
        assign(access=access, quiz=quiz, rules=RULES)


def test_an_assistant_gives_nothing(course, add_member, quiz):
    helper = CourseAccess(course, add_member("Ada", role="assistant").user, "assistant")
    with pytest.raises(Refused, match="Only instructors"):
        assign(access=helper, quiz=quiz, rules=RULES)


def test_what_somebody_has_begun_is_not_taken_back(access, assignment, attempt):
    with pytest.raises(Refused, match="already started"):
        withdraw(access=access, assignment=assignment)
    assert Assignment.objects.filter(pk=assignment.pk).exists()


def test_what_nobody_has_begun_is_taken_back_with_its_exceptions(access, assignment, sam):
    make_override(access, assignment, sam, attempts_allowed=2)
    withdraw(access=access, assignment=assignment, reason="the wrong one")
    assert not Override.objects.exists()
    assert not Sitting.objects.exclude(given_in="").exists()
    assert Event.objects.get(verb="classes.assignment.withdrawn").reason == "the wrong one"


def test_shorter_rules_apply_to_running_attempts_only_on_request(access, assignment, attempt):
    done = change(access, assignment, minutes=5)
    assert (done.changed, done.kept) == (0, 1)
    assert minutes_of(attempt) == 20
    assert change(access, assignment, minutes=30).changed == 1  # longer times always apply
    assert minutes_of(attempt) == 30
    done = change(access, assignment, minutes=5, may_shorten=True)
    assert (done.changed, done.kept) == (1, 0)
    assert minutes_of(attempt) == 5


def test_what_is_granted_goes_on_top_of_the_time_that_was_kept(access, assignment, attempt, sam):
    change(access, assignment, minutes=5)
    make_override(access, assignment, sam, more_minutes=10)
    assert minutes_of(attempt) == 30


def test_an_exception_counts_in_the_midst_of_an_attempt(access, assignment, attempt, sam):
    override, changed = make_override(access, assignment, sam, factor=Decimal("1.5"))
    assert changed.changed == 1
    assert minutes_of(attempt) == 30
    untimed = OverrideValues(untimed=True, closes_at=NOW + 5 * HOUR)
    assert change_override(access=access, override=override, difference=untimed, version=1)
    attempt.refresh_from_db()
    # The ten minutes that were shown are not taken back.
    assert attempt.deadline == NOW + 5 * HOUR + timedelta(minutes=10)


def test_the_end_of_an_exception_shortens_running_attempts_only_on_request(
    access, assignment, attempt, sam
):
    override, _changed = make_override(access, assignment, sam, more_minutes=10)
    done = remove_override(access=access, override=override, version=1)
    assert (done.changed, done.kept) == (0, 1)
    assert minutes_of(attempt) == 30
    override, _changed = make_override(access, assignment, sam, more_minutes=10)
    remove_override(access=access, override=override, version=1, may_shorten=True)
    assert minutes_of(attempt) == 20


def test_extra_time_of_an_attempt_itself_outranks_everything(access, assignment, attempt, sam):
    grant_extra_time(granted=ExtraTime(student=sam.user, attempt=attempt, minutes=40))
    make_override(access, assignment, sam, more_minutes=10)
    assert minutes_of(attempt) == 60


def test_extra_time_of_the_site_does_not_reach_past_an_exception(access, assignment, attempt, sam):
    make_override(access, assignment, sam, more_minutes=5)
    grant_extra_time(granted=ExtraTime(student=sam.user, minutes=60))
    assert minutes_of(attempt) == 25


def test_a_label_that_somebody_gets_counts_at_once(access, assignment, attempt, sam):
    label = Label.objects.create(course=access.course, text="double")
    make_override(access, assignment, label=label, factor=Decimal(2))
    assert minutes_of(attempt) == 20
    change_members(access=access, keys=[sam.pk], change=Change(add_labels="double"))
    assert minutes_of(attempt) == 40


def test_who_is_removed_in_mid_attempt_can_end_it(access, assignment, attempt, sam):
    remove_members(access=access, keys=[sam.pk])
    assert minutes_of(attempt) == 20
    submit_attempt(attempt=attempt)
    assert Attempt.objects.get(pk=attempt.pk).state == "submitted"


def test_the_second_of_two_who_change_the_rules_gets_a_conflict(access, assignment):
    change(access, assignment, minutes=30, version=1)
    with pytest.raises(Outdated):
        change(access, assignment, minutes=40, version=1)


def test_the_second_of_two_who_change_an_exception_gets_a_conflict(access, assignment, sam):
    override, _changed = make_override(access, assignment, sam, more_minutes=10)
    one = {"access": access, "override": override, "version": 1}
    change_override(**one, difference=OverrideValues(more_minutes=20))
    with pytest.raises(Outdated, match="changed"):
        change_override(**one, difference=OverrideValues(more_minutes=30))
    remove_override(access=access, override=override, version=2)
    with pytest.raises(Outdated, match="removed"):
        remove_override(access=access, override=override, version=2)


def test_a_second_exception_for_somebody_adds_to_what_the_first_one_said(access, assignment, sam):
    make_override(access, assignment, sam, more_minutes=10)
    override, _changed = make_override(access, assignment, sam, attempts_allowed=3)
    assert (refresh(override).more_minutes, override.attempts_allowed) == (10, 3)
    # The rules of time are one thing: the new ones replace all of the old.
    override, _changed = make_override(access, assignment, sam, untimed=True)
    assert (refresh(override).more_minutes, override.untimed) == (None, True)


@each(
    "wrong",
    [
        {},
        {"factor": Decimal("0.5")},
        {"factor": Decimal(9)},
        {"more_minutes": 10_000},
        {"attempts_allowed": 0},
        {"opens_at": NOW + 3 * HOUR},
        {"due_at": NOW + 3 * HOUR},
    ],
)
def test_an_exception_that_makes_no_sense_is_refused(access, assignment, sam, wrong):
    with pytest.raises(Refused):
        make_override(access, assignment, sam, **wrong)
    assert not Override.objects.exists()


def test_dates_belong_to_one_quiz(access, sam):
    with pytest.raises(Refused, match="single quiz"):
        make_override(access, None, sam, due_at=NOW)


def test_who_has_left_gets_no_exception(access, assignment, add_member):
    with pytest.raises(Refused):
        make_override(access, assignment, add_member("Gone", state="left"), more_minutes=5)


def test_an_assistant_makes_exceptions_in_their_own_section_alone(course, assignment, add_member):
    access = CourseAccess(
        course, add_member("Ada", role="assistant", section="A").user, "assistant", "A"
    )
    make_override(access, assignment, add_member("Own", section="A"), more_minutes=5)
    with pytest.raises(Refused):
        make_override(access, assignment, add_member("Other", section="B"), more_minutes=5)
    label = Label.objects.create(course=course, text="all")
    with pytest.raises(Refused, match="one section"):
        make_override(access, label=label, more_minutes=5)


def test_every_change_is_recorded_with_its_person_and_reason(access, assignment, sam):
    make_override(access, assignment, sam, more_minutes=10, reason="a broken arm")
    event = Event.objects.get(verb="classes.exception.made")
    assert (event.actor_id, event.person_id) == (access.user.pk, sam.user_id)
    assert (event.after["more_minutes"], event.reason) == (10, "a broken arm")
    change(access, assignment, minutes=30)
    event = Event.objects.get(verb="classes.assignment.changed")
    assert (event.before["minutes"], event.after["minutes"]) == (20, 30)


def test_results_are_released_by_hand_once(access, assignment):
    change(access, assignment, release=Sitting.Release.BY_HAND)
    release_results(access=access, assignment=assignment)
    release_results(access=access, assignment=assignment)
    assert refresh(assignment.sitting).released
    assert Event.objects.filter(verb="classes.assignment.released").count() == 1


def test_an_exception_is_in_a_persons_data_and_deleted_with_them(access, assignment, sam):
    from classes.people.services.importing import delete_personal_data
    from classes.personal import export_personal_data

    make_override(access, assignment, sam, more_minutes=10)
    (exported,) = export_personal_data(sam.user)["exceptions"]
    assert (exported["quiz"], exported["more_minutes"]) == ("Foundations", 10)
    delete_personal_data(student=sam.user)
    assert not Override.objects.exists()
