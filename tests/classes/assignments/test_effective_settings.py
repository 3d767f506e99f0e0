"""A student's effective settings: the most specific override applies, and nothing adds up."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from classes.assignments.effective_settings import effective_settings_by_user, expected, unfinished
from classes.assignments.letters import EXCEPTION
from classes.assignments.services.assigning import assign, change_assignment
from classes.assignments.services.exceptions import OverrideValues, create_overrides
from classes.courses.services.courses import archive_course, set_code_open
from classes.models import Label, Membership, Override
from classes.people.services.joining import join
from classes.people.services.people import leave_course, remove_members
from classes.watching.queries import student_lines
from outbox.models import Message
from quizzes.authoring.services.quizzes import withdraw_quiz
from quizzes.delivery.effective_settings import available_settings, due_for, given_to, own_settings
from quizzes.delivery.services.taking import submit_attempt
from quizzes.models import ExtraTime
from tests.each import each
from tests.world import make_override, refresh, rules, start_assigned_quiz

pytestmark = pytest.mark.django_db
NOW = timezone.now().replace(microsecond=0)
HOUR = timedelta(hours=1)
RULES = rules(opens_at=NOW - HOUR, due_at=NOW + HOUR, closes_at=NOW + 2 * HOUR)


@pytest.fixture
def assignment(assign_quiz):
    """The assignment, open to the class alone."""
    return assign_quiz(open_to_all=False)


def wear(member, text):
    label, _made = Label.objects.get_or_create(course=member.course, text=text)
    member.labels.add(label)
    return label


def terms_of(member):
    (settings,) = given_to(member.user)
    return settings


def test_a_student_of_the_class_takes_it_by_its_rules(assignment, sam):
    settings = terms_of(sam)
    assert (settings.opens_at, settings.due_at) == (RULES.opens_at, RULES.due_at)
    assert settings.closes_at == RULES.closes_at
    assert (settings.minutes, settings.attempts_allowed, settings.extra) == (20, 1, None)


@each(
    "place",
    [{"role": role} for role in ("instructor", "assistant", "observer")]
    + [{"state": state} for state in ("left", "removed")],
)
def test_who_teaches_or_is_no_longer_in_the_class_is_given_nothing(assignment, add_member, place):
    assert given_to(add_member("Tia", **place).user) == []


def test_an_archived_class_gives_nothing(assignment, sam):
    sam.course.archived = True
    sam.course.save()
    assert given_to(sam.user) == []


def test_a_quiz_that_is_given_is_closed_to_those_who_learn_alone_unless_wanted(
    assignment, quiz, other_course, add_member
):
    stranger = add_member("Yuki", of=other_course)
    quiz.refresh_from_db()
    assert available_settings(stranger.user, quiz) == []


def test_in_two_classes_a_student_chooses_the_sitting(assignment, access, sam, quiz, other_course):
    sam.pk = None
    sam.course = other_course
    sam.save()
    other = assign(
        access=type(access)(other_course, access.user, "instructor"), quiz=quiz, rules=RULES
    )
    sittings = [settings.sitting for settings in available_settings(sam.user, quiz)]
    assert {sitting.pk for sitting in sittings} == {assignment.sitting_id, other.sitting_id}


def test_an_exception_for_a_section_is_for_whoever_is_in_it_by_place_or_by_label(
    access, assignment, add_member
):
    ann, bob, cyd = add_member("Ann", section="A"), add_member("Bob"), add_member("Cyd")
    wear(bob, "Else")
    (override,), _changed = create_overrides(
        access=access,
        assignment=assignment,
        section="A",
        difference=OverrideValues(attempts_allowed=4),
    )
    bob.labels.add(override.label)
    for member, allowed in ((ann, 4), (bob, 4), (cyd, 1)):
        assert terms_of(member).attempts_allowed == allowed, member
        by_user = effective_settings_by_user(assignment, [member])
        assert by_user[member.user_id].attempts_allowed == allowed
    assert {letter.to for letter in Message.objects.filter(kind=EXCEPTION)} == {ann.user}
    late = NOW + 9 * HOUR
    create_overrides(
        access=access, assignment=assignment, section="A", difference=OverrideValues(closes_at=late)
    )
    assert last_close(assignment) == late
    assert [each.closes_at for each in unfinished(ann.user)] == [late]


LEVELS = ("everybody", "site", "label", "student", "label here", "student here")


@pytest.mark.parametrize("is_more_generous", [True, False])
@pytest.mark.parametrize("highest", range(1, len(LEVELS)))
def test_the_most_specific_exception_applies_and_nothing_adds_up(
    access, assignment, sam, highest, is_more_generous
):
    label = wear(sam, "more time")
    minutes = {
        level: place if is_more_generous else len(LEVELS) - place
        for place, level in enumerate(LEVELS)
    }
    make = {
        "site": lambda more: ExtraTime.objects.create(student=sam.user, minutes=more),
        "label": lambda more: make_override(access, label=label, more_minutes=more),
        "student": lambda more: make_override(access, None, sam, more_minutes=more),
        "label here": lambda more: make_override(
            access, assignment, label=label, more_minutes=more
        ),
        "student here": lambda more: make_override(access, assignment, sam, more_minutes=more),
    }
    for level in LEVELS[1 : highest + 1]:
        make[level](minutes[level])
    extra = timedelta(minutes=minutes[LEVELS[highest]])
    assert terms_of(sam).extra_time == extra
    of_all = effective_settings_by_user(assignment, [sam])
    assert of_all[sam.user_id].extra_time == extra


def test_each_field_is_decided_by_itself(access, assignment, sam):
    make_override(access, None, sam, factor=Decimal("1.5"))
    make_override(access, assignment, sam, closes_at=NOW + 5 * HOUR)
    settings = terms_of(sam)
    assert (settings.extra_time, settings.closes_at) == (timedelta(minutes=10), NOW + 5 * HOUR)


def test_of_two_labels_the_more_generous_applies_field_by_field(access, assignment, sam):
    one, other = wear(sam, "A"), wear(sam, "B")
    late, later = NOW + 3 * HOUR, NOW + 4 * HOUR
    make_override(
        access, assignment, label=one, closes_at=later, factor=Decimal(2), opens_at=NOW - 3 * HOUR
    )
    make_override(access, assignment, label=other, closes_at=late, untimed=True, attempts_allowed=3)
    settings = terms_of(sam)
    assert (settings.closes_at, settings.minutes, settings.attempts_allowed) == (later, None, 3)
    assert settings.opens_at == NOW - 3 * HOUR


def test_an_exception_of_another_class_does_not_apply(assignment, sam, other_course):
    place = type(sam).objects.create(course=other_course, user=sam.user)
    Override.objects.create(course=other_course, member=place, untimed=True)
    assert terms_of(sam).minutes == 20


def test_exceptions_of_others_in_the_class_do_not_apply(access, assignment, sam, add_member):
    ann = add_member("Ann")
    label = wear(ann, "more time")
    make_override(access, None, ann, untimed=True)
    make_override(access, assignment, ann, due_at=NOW + HOUR / 2)
    make_override(access, assignment, label=label, attempts_allowed=3)
    for settings in (
        terms_of(sam),
        effective_settings_by_user(assignment, [sam, ann])[sam.user_id],
    ):
        assert (settings.minutes, settings.attempts_allowed, settings.due_at) == (
            20,
            1,
            RULES.due_at,
        )
    assert due_for(sam.user, assignment.sitting).at == RULES.due_at
    assert due_for(ann.user, assignment.sitting).at == NOW + HOUR / 2


def test_a_student_is_read_by_three_queries_at_most(
    access, assignment, sam, django_assert_max_num_queries
):
    make_override(access, label=wear(sam, "A"), factor=Decimal(2))
    with django_assert_max_num_queries(3):
        given_to(sam.user)


def test_whoever_is_given_nothing_costs_one_query(add_member, django_assert_num_queries):
    alone = add_member("Lone").user
    with django_assert_num_queries(1):
        given_to(alone)


def test_as_many_are_expected_as_have_not_begun(access, assignment, add_member, quiz):
    first, *_others = [add_member(f"Student{number}") for number in range(4)]
    add_member("Gone", state="left")
    assert expected(NOW) == {quiz.pk: 4}
    start_assigned_quiz(first)
    assert expected(NOW) == {quiz.pk: 3}


@pytest.mark.parametrize(("opens", "closes"), [(2, 3), (-3, -2)])
def test_nobody_is_expected_long_before_or_after(access, assignment, add_member, opens, closes):
    add_member("Sam")
    later = rules(opens_at=NOW + opens * HOUR, closes_at=NOW + closes * HOUR, minutes=5)
    change_assignment(access=access, assignment=assignment, rules=later, version=1)
    assert expected(NOW) == {}


@pytest.mark.parametrize(
    "over",
    [
        lambda access, quiz: archive_course(course=access.course, by=access.user, archived=True),
        lambda access, quiz: withdraw_quiz(quiz=quiz),
    ],
    ids=["class archived", "quiz withdrawn"],
)
def test_nobody_is_expected_if_nobody_may_start(access, assignment, sam, quiz, over):
    over(access, quiz)
    assert expected(NOW) == {}


def test_who_has_begun_in_another_class_is_not_taken_for_one_of_this(
    access, assignment, sam, add_member, quiz, other_course
):
    assign(access=replace(access, course=other_course), quiz=quiz, rules=RULES)
    assert (
        start_assigned_quiz(add_member("Eve", of=other_course)).sitting_id != assignment.sitting_id
    )
    assert expected(NOW) == {quiz.pk: 1}


def test_own_sittings_stay_what_they_are(quiz, sam):
    (settings,) = available_settings(sam.user, quiz)
    assert settings == own_settings(quiz.own_sitting)


def last_close(assignment):
    return refresh(assignment.sitting).last_closes_at


def test_results_wait_for_a_later_close_only_of_those_who_are_there(access, assignment, sam):
    make_override(access, assignment, sam, closes_at=NOW + 9 * HOUR)
    assert last_close(assignment) == NOW + 9 * HOUR
    remove_members(access=access, keys=[sam.pk])
    assert last_close(assignment) is None


def test_results_wait_for_who_is_invited_and_has_a_later_close_by_a_label(
    access, assignment, course
):
    invited = Membership.objects.create(course=course, email="in@example.org", state="invited")
    make_override(access, assignment, label=wear(invited, "later"), closes_at=NOW + 9 * HOUR)
    assert last_close(assignment) == NOW + 9 * HOUR


def test_results_wait_again_for_who_comes_back_by_the_code(access, assignment, sam, course, ines):
    make_override(access, assignment, sam, closes_at=NOW + 9 * HOUR)
    set_code_open(course=course, by=ines, is_open=True)
    leave_course(member=sam)
    assert last_close(assignment) is None
    course.refresh_from_db()
    join(user=sam.user, code=course.code)
    assert last_close(assignment) == NOW + 9 * HOUR


def test_what_is_handed_in_after_it_was_due_for_somebody_is_late(
    access, assignment, sam, add_member
):
    ann = add_member("Ann")
    for student in (sam, ann):
        submit_attempt(attempt=start_assigned_quiz(student))
    assignment.due_at = NOW - HOUR / 2
    assignment.save()
    Override.objects.create(
        course=assignment.course, assignment=assignment, member=ann, due_at=NOW + HOUR
    )
    late = {line.member: line.late for line in student_lines(access, assignment, NOW)}
    assert late == {sam.pk: True, ann.pk: False}
