"""The page that watches a quiz: a line for each student, counts, and links to actions."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from audit.models import Event
from classes.models import Label, Membership
from classes.people.queries.people import PeopleChoice
from classes.watching.queries import count_states, filter_lines, student_lines
from quizzes.delivery.services.reopening import reopen_attempt
from quizzes.models import Attempt, Item, Submission
from tests.each import each as for_each
from tests.quizzes.reading import Page
from tests.world import (
    REASON,
    let_time_run_out,
    make_assignment,
    make_user,
    missing_in,
    right_fields,
    save_answer,
    start_assignment,
    submit_and_mark,
)


@pytest.fixture
def url(course, assignment):
    return f"/teach/{course.pk}/quizzes/{assignment.pk}/watch/"


def places(course):
    return {each.display_name: each.pk for each in course.memberships.select_related("user")}


def states(access, assignment, **choice):
    wanted = PeopleChoice(**choice)
    found = filter_lines(student_lines(access, assignment, timezone.now(), wanted), wanted)
    return {line.display_name: line.state for line in found}


# Lines


@pytest.mark.service
def test_each_student_has_a_line_with_their_state(access, assignment, attempts_by_name):
    assert states(access, assignment) == {
        "Ada": "working",
        "Bob": "waiting",
        "Cyd": "marked",
        "Dan": "attention",
        "Eve": "none",
    }


@pytest.mark.service
def test_answered_is_what_has_something_typed(access, assignment, attempts_by_name):
    items = list(attempts_by_name["Ada"].items.select_related("variant", "attempt"))
    save_answer(items[0], right_fields(items[0]))
    save_answer(items[1], dict.fromkeys(right_fields(items[1]), "  "))
    save_answer(items[2], dict.fromkeys(right_fields(items[2]), '": "x'))
    part = right_fields(items[4])
    save_answer(items[4], dict.fromkeys(part, "") | {next(reversed(part)): "1"})
    save_answer(items[3], right_fields(items[3]))
    save_answer(items[3], dict.fromkeys(right_fields(items[3]), ""), revision=1, token="cleared")
    line = student_lines(access, assignment, timezone.now())[0]
    assert (line.answered, line.asked) == (3, 6)
    assert line.saved_at == max(filter(None, Item.objects.values_list("saved_at", flat=True)))


@pytest.mark.service
@pytest.mark.parametrize(("seconds", "state"), [(1, "waiting"), (99, "attention")])
def test_time_that_is_up_waits_and_then_needs_attention(
    access, assignment, attempts_by_name, seconds, state
):
    let_time_run_out(attempts_by_name["Ada"], seconds)
    assert states(access, assignment)["Ada"] == state


def test_of_several_attempts_the_last_one_is_shown(access, assignment, attempts_by_name):
    submit_and_mark(attempts_by_name["Ada"])
    start_assignment(assignment, attempts_by_name["Ada"].student)
    [line] = [
        each
        for each in student_lines(access, assignment, timezone.now())
        if each.display_name == "Ada"
    ]
    assert (line.state, line.number) == ("working", 2)


def test_what_is_reopened_works_again_without_points(access, assignment, attempts_by_name):
    until = timezone.now() + timedelta(minutes=5)
    reopen_attempt(attempt=attempts_by_name["Cyd"], until=until)
    [line] = [
        each
        for each in student_lines(access, assignment, timezone.now())
        if each.display_name == "Cyd"
    ]
    assert (line.state, line.score, line.reopened, line.answered) == ("working", None, 1, 6)


def test_who_has_gone_is_shown_with_what_they_began(
    access, assignment, attempts_by_name, add_member
):
    add_member("Gil", state="removed")
    Membership.objects.filter(user=attempts_by_name["Ada"].student).update(state="left")
    assert "Ada" in states(access, assignment)
    assert "Gil" not in states(access, assignment)


def test_an_attempt_at_another_sitting_is_none_here(
    access, assignment, attempts_by_name, course, quiz
):
    assert set(states(access, make_assignment(course, quiz)).values()) == {"none"}


@pytest.mark.service
def test_lines_are_sorted_and_filtered(access, assignment, attempts_by_name, course):
    mine = places(course)
    Membership.objects.filter(pk=mine["Ada"]).update(section="B")
    label = Label.objects.create(course=course, text="extra time")
    Membership.objects.get(pk=mine["Cyd"]).labels.add(label)
    assert list(states(access, assignment, section="B")) == ["Ada"]
    assert list(states(access, assignment, label="extra time")) == ["Cyd"]
    assert list(states(access, assignment, search="dan@")) == ["Dan"]
    assert list(states(access, assignment, state="none")) == ["Eve"]
    assert list(states(access, assignment, order="")) == ["Ada", "Dan", "Bob", "Cyd", "Eve"]
    assert next(iter(states(access, assignment, order="score"))) == "Cyd"
    for order in ("left", "answered", "saved"):
        assert next(iter(states(access, assignment, order=order))) == "Ada"
    assert list(states(access, assignment, order="section"))[-1] == "Ada"


def test_counts_are_of_all_who_are_wanted(access, assignment, attempts_by_name):
    assert set(count_states(student_lines(access, assignment, timezone.now())).values()) == {1}


# The page


def test_the_page_shows_lines_and_counts(ines_client, url, attempts_by_name, course):
    page = Page(ines_client.get(url))
    assert len(page.all("tr")) == 6
    assert page.text.count("0 of 6") == 2  # one counts answers, the other points
    assert "23 min" in page.text
    assert page.all("a", href=f"/teach/{course.pk}/attempts/{attempts_by_name['Ada'].pk}/")


def test_an_empty_class_says_what_to_do(ines_client, url):
    assert "No students here yet" in ines_client.get(url).text


def test_a_search_without_a_match_links_to_everybody(ines_client, url, attempts_by_name):
    for query in ("search=nobody", "state=working&search=Eve"):
        assert "No matches" in ines_client.get(f"{url}?{query}").text


def test_what_a_filter_does_not_know_narrows_nothing(ines_client, url, attempts_by_name):
    for query in ("state=%00", "order=-1", "section=x", "label=x", "page=9999999999"):
        assert len(Page(ines_client.get(f"{url}?{query}")).all("tr")) == 6


def test_an_open_page_receives_its_lines_new_state(ines_client, url, attempts_by_name, course):
    mine = places(course)
    body = ines_client.get(f"{url}live/?line={mine['Ada']}&line={mine['Cyd']}&line=x").json()
    assert body["counts"] == dict.fromkeys(("working", "attention", "waiting", "marked", "none"), 1)
    assert body["lines"].keys() == {str(mine["Ada"]), str(mine["Cyd"])}
    said = {"state": "marked", "words": "marked", "score": "0 of 6"}
    said |= dict.fromkeys(("answered", "left", "saved"), "–")
    assert body["lines"][str(mine["Cyd"])] == said


COPIED = ("position", "place", "variant_id", "question_id", "wording_id")


def make_many(course, assignment, count=500):
    """Create `count` students with open attempts, by few statements."""
    first = start_assignment(assignment, make_user("First"))
    people = [make_user(f"Many{n}") for n in range(count - 1)]
    Membership.objects.bulk_create(
        Membership(course=course, user=user) for user in [first.student, *people]
    )
    same = {"quiz": first.quiz, "sitting": first.sitting, "deadline": first.deadline}
    attempts = Attempt.objects.bulk_create(
        Attempt(student=user, out_of=15, **same) for user in people
    )
    shown = list(first.items.all())
    Item.objects.bulk_create(
        Item(
            attempt=attempt,
            draft={"a": "1"} if item.position % 2 else {},
            saved_at=timezone.now(),
            **{name: getattr(item, name) for name in COPIED},
        )
        for attempt in attempts
        for item in shown
    )


@pytest.mark.slow
def test_it_asks_as_often_for_five_hundred_students_as_for_five(
    ines_client, url, attempts_by_name, course, assignment
):
    for address in (url, f"{url}live/?line=1"):
        with CaptureQueriesContext(connection) as few:
            ines_client.get(address)
        assert len(few) <= 14
    make_many(course, assignment)
    with CaptureQueriesContext(connection) as many:
        page = ines_client.get(f"{url}?order=left")
    assert len(many) <= 14
    assert "505 of 505 students" in page.text
    assert len(Page(page).all("tr")) == 51


# Access


def test_an_assistant_sees_the_own_section_alone(log_in, url, attempts_by_name, course, add_member):
    Membership.objects.filter(user=attempts_by_name["Ada"].student).update(section="A")
    client = log_in(add_member("Abe", role="assistant", section="A").user)
    mine = places(course)
    page = client.get(url)
    assert "Ada" in page.text
    assert "Cyd" not in page.text
    body = client.get(f"{url}live/?line={mine['Ada']}&line={mine['Cyd']}").json()
    assert list(body["lines"]) == [str(mine["Ada"])]
    assert sum(body["counts"].values()) == 1


def test_who_watches_is_offered_nothing_to_do(log_in, url, attempts_by_name, add_member):
    page = Page(log_in(add_member("Olga", role="observer").user).get(url))
    assert not page.all("input", type="checkbox")
    assert "With those selected" not in page.text


def test_a_quiz_of_another_class_is_not_there(
    ines_client, url, assignment, course, other_course, quiz
):
    elsewhere = make_assignment(other_course, quiz)
    for deed in ("watch/", "watch/live/", "extend/", "reopen/", "hand-in/", "mark-again/"):
        for key in (elsewhere.pk, 10**30):
            assert ines_client.get(f"/teach/{course.pk}/quizzes/{key}/{deed}").status_code == 404


# Deeds

FITTING = {"reopen": ("Cyd", {"minutes": "10"}), "hand-in": ("Ada", {}), "mark-again": ("Dan", {})}


def deed_url(url, deed):
    return url.replace("watch/", f"{deed}/")


@for_each("deed", FITTING)
def test_a_deed_is_asked_for_and_says_what_was_done_and_what_was_not(
    ines_client, url, attempts_by_name, course, deed
):
    name, more = FITTING[deed]
    mine = places(course)
    wanted = {"member": [mine[name], mine["Bob"], mine["Eve"]]}
    address = deed_url(url, deed)
    assert name in ines_client.get(address, wanted).text
    assert not Event.objects.filter(verb__startswith="classes.attempt").exists()
    sent = ines_client.post(address, wanted | more | {"reason": REASON})
    done = Page(ines_client.get(sent.url))  # so that going back from here sends nothing again
    fitting = {"reopen": 2}.get(deed, 1)
    assert missing_in(done.text, f"Done for {fitting}", "Not done", "not started") == []
    assert Event.objects.filter(verb__startswith="classes.attempt").count() == fitting


@for_each("deed", [*FITTING, "extend"])
def test_a_deed_asks_for_its_reason_and_keeps_what_was_typed(
    ines_client, url, attempts_by_name, course, deed
):
    sent = {"member": places(course)["Ada"], "minutes": "7", "reason": ""}
    page = Page(ines_client.post(deed_url(url, deed), sent))
    assert "This field is required" in page.text
    if deed in ("reopen", "extend"):
        assert page.all("input", name="minutes", value="7")
    assert not Event.objects.filter(verb__startswith="classes.attempt").exists()


def test_minutes_have_bounds(ines_client, url, attempts_by_name, course):
    sent = {"member": places(course)["Cyd"], "reason": REASON}
    for minutes in ("0", "-5", "601", "x", "", "1e9", "\0"):
        for deed in ("reopen", "extend"):
            answer = ines_client.post(deed_url(url, deed), sent | {"minutes": minutes})
            assert answer.status_code == 200
    assert not Event.objects.filter(verb__startswith="classes.attempt").exists()


def extended(ines_client, url, sent):
    """Post the form for more time, confirm the new ends, and return both pages."""

    def post(**more):
        answer = ines_client.post(deed_url(url, "extend"), sent | more)
        return Page(ines_client.get(answer.url))  # so that going back sends nothing again

    shown = post()
    return shown, post(until=[field["value"] for field in shown.all("input", name="until")])


@for_each("counted, minutes", [("end", 33), ("now", 30)])
def test_more_time_shows_the_new_end_of_each_before_it_is_given(
    ines_client, url, attempts_by_name, course, counted, minutes
):
    mine = places(course)
    began = Attempt.objects.get(pk=attempts_by_name["Ada"].pk).started_at
    sent = {"member": [mine["Ada"], mine["Cyd"]], "counted": counted, "reason": REASON}
    sent["minutes"] = "10" if counted == "end" else "30"
    shown, done = extended(ines_client, url, sent)
    assert "Nothing changes for" in shown.text
    assert "Done for 1 student" in done.text
    lasts = Attempt.objects.get(pk=attempts_by_name["Ada"].pk).deadline - began
    assert timedelta(0) <= lasts - timedelta(minutes=minutes) < timedelta(seconds=20)


def test_to_agree_twice_gives_the_time_once(ines_client, url, attempts_by_name, course):
    sent = {"member": places(course)["Ada"], "minutes": "10", "counted": "end", "reason": REASON}
    shown, _done = extended(ines_client, url, sent)
    until = [field["value"] for field in shown.all("input", name="until")]
    sent |= {"until": until}
    again = Page(ines_client.post(deed_url(url, "extend"), sent, follow=True))
    assert "already runs that long" in again.text
    assert Event.objects.filter(verb="classes.attempt.extended").count() == 1


def test_an_end_that_nobody_was_shown_is_not_given(ines_client, url, attempts_by_name, course):
    sent = {"member": places(course)["Ada"], "minutes": "10", "counted": "end", "reason": REASON}
    far = f"{attempts_by_name['Ada'].pk}:8000000000"
    for until in ("x", "1:2:3", "1:99999999999", "999:5", "\0", "1:-1", far):
        wanted = sent | {"until": until}
        answer = ines_client.post(deed_url(url, "extend"), wanted, follow=True)
        assert answer.status_code == 200
    assert not Event.objects.filter(verb="classes.attempt.extended").exists()


def test_where_nobody_runs_there_is_no_end_to_agree_to(ines_client, url, attempts_by_name, course):
    sent = {"member": places(course)["Cyd"], "minutes": "10", "counted": "end", "reason": REASON}
    page = Page(ines_client.post(deed_url(url, "extend"), sent, follow=True))
    assert "Nobody would get more time" in page.text
    assert not page.all("input", name="until")


def test_reopening_warns_where_solutions_are_shown(ines_client, url, attempts_by_name, course):
    address, cyd = deed_url(url, "reopen"), {"member": places(course)["Cyd"]}
    assert "may have read the solutions" in ines_client.get(address, cyd).text
    attempts_by_name["Cyd"].sitting.release = "by_hand"
    attempts_by_name["Cyd"].sitting.save()
    assert "may have read" not in ines_client.get(address, cyd).text


@for_each("deed", [*FITTING, "extend"])
def test_an_empty_choice_redirects_back(ines_client, url, attempts_by_name, deed):
    assert ines_client.get(deed_url(url, deed)).url == url


@for_each("deed", [*FITTING, "extend"])
def test_people_of_another_class_or_section_or_who_teach_cannot_be_chosen(
    ines_client, log_in, url, attempts_by_name, course, other_course, add_member, deed
):
    stranger = add_member("Stranger", of=other_course)
    helper = add_member("Abe", role="assistant", section="A")
    sent = {"minutes": "5", "reason": REASON}
    address = deed_url(url, deed)
    for client, chosen_one in (
        (ines_client, stranger.pk),
        (ines_client, helper.pk),
        (log_in(helper.user), places(course)["Ada"]),
    ):
        assert client.get(address, {"member": chosen_one}).status_code == 404
        assert client.post(address, sent | {"member": chosen_one}).status_code == 404
    assert Submission.objects.count() == 3


def test_deeds_stand_in_the_history_with_their_person(ines_client, url, attempts_by_name, course):
    sent = {"member": places(course)["Cyd"], "minutes": "10", "reason": REASON}
    ines_client.post(deed_url(url, "reopen"), sent)
    text = Page(ines_client.get(f"/teach/{course.pk}/history/")).text
    assert missing_in(text, "Ines reopened an attempt by Cyd", f"Reason: {REASON}") == []
    assert not re.search(r"\d{4}-\d\d-\d\d", text)  # no ISO dates


def test_what_was_done_is_shown_at_its_quiz_alone(ines_client, url, attempts_by_name, course, quiz):
    elsewhere = make_assignment(course, quiz, opens_at=timezone.now() + timedelta(days=1))
    sent = {"member": places(course)["Ada"], "reason": REASON}
    assert ines_client.post(deed_url(url, "hand-in"), sent).url == f"{url}done/"
    other = f"/teach/{course.pk}/quizzes/{elsewhere.pk}/watch/"
    assert ines_client.get(f"{other}done/").url == other
