"""Actions on attempts from /teach/: who may, on whom, and what is recorded and sent."""

import html
import re
from datetime import timedelta
from functools import partial
from threading import Barrier

import pytest
from django.core import mail

from audit.models import Event
from classes.access.queries import access_of
from classes.person.queries import letters_to
from classes.watching import services
from outbox.models import Message
from outbox.sending import send_waiting
from quizzes.delivery.services.taking import start_attempt, submit_attempt
from quizzes.marking.services import grade_waiting
from quizzes.models import Attempt, Sitting, Submission
from tests.each import each
from tests.page_forms import form_with
from tests.world import (
    REASON,
    Threads,
    fail_marking,
    later,
    make_assignment,
    missing_in,
    start_assignment,
    submit_and_mark,
)


def extend(access, assignment, attempts, until=None):
    ends = {attempt.pk: until or later(60) for attempt in attempts}
    return services.extend(access=access, assignment=assignment, until=ends, reason=REASON)


def act(deed, access, assignment, attempts, **more):
    keys = [attempt.pk for attempt in attempts]
    return deed(access=access, assignment=assignment, attempts=keys, reason=REASON, **more)


def reopen(*whose):
    return act(services.reopen, *whose, until=later())


NAMES = ("Ada", "Bob", "Cyd", "Dan", "Eve", "Fay")
hand_in_for = partial(act, services.hand_in)
mark_again = partial(act, services.mark_again)
DEEDS = {
    "extended": (extend, "Ada"),
    "reopened": (reopen, "Cyd"),
    "handed_in": (hand_in_for, "Ada"),
    "marked_again": (mark_again, "Dan"),
}


def test_all_who_work_now_are_chosen_at_once_within_the_filter(
    ines_client, assignment, attempts_by_name, course, add_member
):
    start_assignment(assignment, add_member("Fay", section="B").user)
    watch = f"/teach/{course.pk}/quizzes/{assignment.pk}"

    def chosen(query):
        page = ines_client.get(f"{watch}/watch/?{query}").text
        found = re.findall(rf'href="({watch}/(?:extend|hand-in)/[^"]*)"', page)
        assert [address.partition("?")[0].split("/")[-2] for address in found] == [
            "extend",
            "hand-in",
        ]
        asked = [ines_client.get(html.unescape(address)).text for address in found]
        names = [[name for name in NAMES if f"<b><bdi>{name}" in page] for page in asked]
        assert names[0] == names[1]
        return names[0]

    assert chosen("") == ["Ada", "Fay"]
    assert chosen("section=B") == ["Fay"]
    assert "working now" not in ines_client.get(f"{watch}/watch/?search=Cyd").text


@pytest.mark.service
@each("name", DEEDS)
def test_each_deed_is_remembered_with_its_reason_and_sent_to_its_student_unless_it_fails(
    access, assignment, attempts_by_name, name
):
    do, whose = DEEDS[name]
    attempt = attempts_by_name[whose]
    do(access, assignment, [attempt])
    event = Event.objects.get(verb__startswith="classes.attempt.")
    assert event.verb == f"classes.attempt.{name}"
    assert (event.actor, event.person, event.reason) == (access.user, attempt.student, REASON)
    assert (event.scope, event.target_id) == (access.course.scope, str(attempt.pk))
    assert event.after["quiz"] == "Foundations"

    message = Message.objects.get()
    assert (message.kind, message.to) == (f"classes.{name}", attempt.student)
    mail.outbox.clear()  # the letter of the case before
    send_waiting()
    [letter] = mail.outbox
    assert letter.to == [attempt.student.email]
    assert "Foundations" in letter.subject
    link = attempt.get_absolute_url()
    assert missing_in(letter.body, "Attention 101", f"Reason: {REASON}", link) == []

    counts = Event.objects.count(), Message.objects.count()
    if do is extend:
        submit_attempt(attempt=attempt)
    [outcome] = do(access, assignment, [attempt])
    assert outcome.why
    assert (Event.objects.count(), Message.objects.count()) == counts


def test_one_that_cannot_be_done_keeps_no_other_from_it(access, assignment, attempts_by_name):
    done = extend(
        access, assignment, [attempts_by_name[name] for name in ("Ada", "Bob", "Cyd", "Dan")]
    )
    refused = {each.attempt.student.name: bool(each.why) for each in done}
    assert refused == {"Ada": False, "Bob": True, "Cyd": True, "Dan": True}


@pytest.mark.service
def test_nothing_is_done_to_people_of_other_classes_and_sections(
    access, assignment, attempts_by_name, add_member, other_course, quiz
):
    elsewhere = make_assignment(other_course, quiz)
    stranger = start_assignment(elsewhere, add_member("Stranger", of=other_course).user)
    alone = start_attempt(student=stranger.student, quiz=quiz)
    for attempt in (stranger, alone):
        assert hand_in_for(access, assignment, [attempt]) == []
        assert hand_in_for(access, elsewhere, [attempt]) == []
    helper = add_member("Abe", role="assistant", section="B")
    watcher = add_member("Olga", role="observer")
    for place in (helper, watcher):
        own = access_of(place.user, access.course.pk)
        for do, name in DEEDS.values():
            assert do(own, assignment, [attempts_by_name[name]]) == []
    assert not Message.objects.exists()


def test_an_assistant_does_it_in_the_own_section(course, assignment, add_member):
    attempt = start_assignment(assignment, add_member("Ann", section="A").user)
    helper = access_of(add_member("Abe", role="assistant", section="A").user, course.pk)
    assert [each.why for each in hand_in_for(helper, assignment, [attempt])] == [""]


def test_more_time_lasts_until_the_end_that_was_shown(access, assignment, attempts_by_name):
    until = later(45)
    extend(access, assignment, [attempts_by_name["Ada"]], until)
    assert Attempt.objects.get(pk=attempts_by_name["Ada"].pk).deadline == until
    letter = Message.objects.get()
    assert letter.payload["ends"].endswith("(Europe/Vienna)")
    # So a person's page lists it among the letters of the class.
    assert list(letters_to(access.course.memberships.get(user=letter.to), [assignment])) == [letter]
    [again] = extend(access, assignment, [attempts_by_name["Ada"]], until)
    assert "already runs that long" in again.why


def test_more_time_has_a_bound(access, assignment, attempts_by_name):
    [outcome] = extend(access, assignment, [attempts_by_name["Ada"]], later(60 * 24 * 365))
    assert "too far" in outcome.why


def test_what_is_reopened_can_be_handed_in_for_its_student(access, assignment, attempts_by_name):
    reopen(access, assignment, [attempts_by_name["Cyd"]])
    assert Event.objects.get(verb="classes.attempt.reopened").before["score"] == 0
    assert [each.why for each in hand_in_for(access, assignment, [attempts_by_name["Cyd"]])] == [""]
    assert Submission.objects.filter(attempt=attempts_by_name["Cyd"]).count() == 2


@each("release", Sitting.Release.values)
def test_its_student_reads_that_staff_handed_it_in_until_they_do_so_again(
    log_in, access, assignment, attempts_by_name, release
):
    attempt = attempts_by_name["Ada"]
    Sitting.objects.filter(pk=assignment.sitting_id).update(release=release)
    page = f"{attempt.get_absolute_url()}results/"
    words = "A member of staff submitted this attempt for you"
    client = log_in(attempt.student)
    hand_in_for(access, assignment, [attempt])
    received = Submission.objects.get(attempt=attempt).received_at.isoformat()

    def notice():
        return re.search(rf'<p class="notice">\s*{words}.*?</p>', client.get(page).text, re.DOTALL)

    for mark in (lambda: None, grade_waiting):
        mark()
        assert missing_in(notice()[0], received, "ask your instructor", "reopen it") == []
    reopen(access, assignment, [attempt])
    submit_and_mark(attempt)
    assert notice() is None


@pytest.mark.service
def test_only_what_needs_attention_is_marked_again(access, assignment, attempts_by_name):
    done = mark_again(access, assignment, [attempts_by_name["Cyd"], attempts_by_name["Dan"]])
    assert [bool(each.why) for each in done] == [True, False]
    grade_waiting()
    assert Attempt.objects.get(pk=attempts_by_name["Dan"].pk).score is not None


def test_an_earlier_time_is_not_marked_again(access, assignment, add_member):
    attempt = fail_marking(start_assignment(assignment, add_member("Ann").user))
    reopen(access, assignment, [attempt])
    submit_and_mark(attempt)
    [outcome] = mark_again(access, assignment, [attempt])
    assert outcome.why
    assert Submission.objects.get(number=1).state == "attention"


@pytest.mark.service
@pytest.mark.django_db(transaction=True)
def test_of_two_who_do_the_same_at_once_one_does_it(access, assignment, attempts_by_name):
    for do, name in ((reopen, "Cyd"), (hand_in_for, "Ada"), (mark_again, "Dan")):
        together = Barrier(4)

        def act(by, do=do, name=name, together=together):
            together.wait()
            return [each.why for each in do(by, assignment, [attempts_by_name[name]])]

        with Threads(4) as pool:
            outcomes = list(pool.map(act, [access] * 4))
        assert sorted(bool(why) for [why] in outcomes) == [False, True, True, True]


def test_submitting_for_all_asks_first_and_is_undone_with_the_time_that_was_left(
    ines_client, course, assignment, add_member
):
    ann, bea = (start_assignment(assignment, add_member(name).user) for name in ("Ann", "Bea"))
    base = f"/teach/{course.pk}/quizzes/{assignment.pk}"
    asked = ines_client.get(f"{base}/hand-in/?who=working")
    assert missing_in(asked.text, "Submit for 2 students?", "Ann", "Bea") == []
    assert Attempt.objects.open().count() == 2
    chosen = re.findall(r'name="member" value="(\d+)"', asked.text)
    done = ines_client.post(f"{base}/hand-in/", {"member": chosen, "reason": REASON}, follow=True)
    assert Attempt.objects.open().count() == 0
    undo = form_with(done.text, "time_left")
    assert undo["member"] == chosen
    page = ines_client.get(f"{base}/reopen/", undo)
    confirmed = form_with(page.text, "reason") | {"reason": REASON}
    ines_client.post(f"{base}/reopen/", confirmed)
    for attempt in (ann, bea):
        now = Attempt.objects.get(pk=attempt.pk)
        assert now.is_open
        assert attempt.deadline <= now.deadline < attempt.deadline + timedelta(minutes=1)
