"""Exceptions through the API, made by those who may make them on a page."""

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from audit.models import Event
from classes.models import Membership, Override
from outbox.models import Message
from quizzes.models import Attempt
from tests.each import each
from tests.world import refresh, start_assignment

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(add_member):
    return add_member("Ada", section="1")


@pytest.fixture
def path(course):
    return f"classes/{course.pk}/exceptions"


def wrong_fields(answer):
    assert answer.status_code == 422, answer.content
    return [each["field"] for each in answer.json()["errors"]]


def test_an_exception_is_made_counts_at_once_and_is_remembered(writer, path, assignment, ada, ines):
    attempt = start_assignment(assignment, ada.user)
    wanted = {
        "assignment_id": assignment.pk,
        "member_ids": [ada.pk],
        "factor": 1.5,
        "reason": "Note 7",
    }
    answer = writer.send("POST", path, wanted)
    assert answer.status_code == 200, answer.content
    data = answer.json()
    [made] = data["exceptions"]
    assert (made["member_id"], made["assignment_id"], made["factor"]) == (
        ada.pk,
        assignment.pk,
        1.5,
    )
    assert data["attempts_changed"] == 1
    assert Attempt.objects.get(pk=attempt.pk).deadline > attempt.deadline
    event = Event.objects.get(verb="classes.exception.made")
    assert (event.actor_id, event.reason, event.person_id) == (ines.pk, "Note 7", ada.user_id)
    assert writer.items(path) == [made]


def test_sent_again_it_changes_nothing_and_tells_nobody(writer, path, assignment, ada):
    wanted = {
        "assignment_id": assignment.pk,
        "member_ids": [ada.pk],
        "more_minutes": 5,
        "reason": "R",
    }
    first = writer.send("POST", path, wanted).json()
    events, letters = Event.objects.count(), Message.objects.count()
    assert writer.send("POST", path, wanted).json()["exceptions"] == first["exceptions"]
    assert Override.objects.count() == 1
    assert (Event.objects.count(), Message.objects.count()) == (events, letters)


def test_for_a_label_and_for_the_whole_class(writer, path, label, ada):
    data = writer.send("POST", path, {"label": "Extra Time", "untimed": True}).json()
    [made] = data["exceptions"]
    assert (made["label"], made["assignment_id"], made["untimed"]) == ("extra time", None, True)


def test_one_is_replaced_and_ended_by_its_version(writer, path, exception, assignment):
    one = f"{path}/{exception.pk}"
    due = "2090-01-10T12:00:00+01:00"
    [data] = writer.send("PUT", one, {"due_at": due, "version": 1}).json()["exceptions"]
    assert data["more_minutes"] is None
    last = datetime.fromisoformat(due) + timedelta(minutes=1, milliseconds=-1)
    assert datetime.fromisoformat(data["due_at"]) == last
    assert writer.send("PUT", one, {"untimed": True, "version": 1}).status_code == 409
    assert writer.send("DELETE", one, version=1).status_code == 409
    assert writer.send("DELETE", one, version=2, reason="Over").status_code == 200
    assert Event.objects.get(verb="classes.exception.removed").reason == "Over"
    assert writer.send("DELETE", one, version=2).status_code == 404


NOBODY_WEARS = "nobody wears it"
WRONG = {
    "factor": [0.5, 9, "NaN", 1.555],
    "more_minutes": [0, 601, "5"],
    "attempts_allowed": [0, 10**30],
    "due_at": ["tomorrow", "2026-12-01T12:00", 1_900_000_000, "9999-12-31T23:59:59Z"],
    "opens_at": ["0001-01-01T00:00:00+14:00"],
    "untimed": ["yes"],
    "reason": ["a" * 501, "\ud800", "a\udfffb", "\0"],
    "assignment_id": [0, 2**53 - 1],
    "member_ids": ["all", [2**53 - 1], []],
    "label": [NOBODY_WEARS, "\ud800", "a\udfffb", "\0"],
    "minutes": [5],
}


@each("field, wrong", [(field, wrong) for field, values in WRONG.items() for wrong in values])
def test_what_cannot_be_names_its_field(writer, path, assignment, ada, field, wrong):
    wanted = {"assignment_id": assignment.pk, "member_ids": [ada.pk], "more_minutes": 5}
    if wrong == NOBODY_WEARS:
        wanted.pop("member_ids")
    if field == "untimed":
        wanted.pop("more_minutes")
    assert wrong_fields(writer.send("POST", path, wanted | {field: wrong})) == [field]
    assert not Override.objects.exists()


def test_what_contradicts_the_rules_names_its_field(writer, path, assignment, ada, label):
    for_ada = {"member_ids": [ada.pk]}
    here = for_ada | {"assignment_id": assignment.pk}
    due = (timezone.now() + timedelta(days=2)).isoformat()
    before = (timezone.now() + timedelta(days=1)).isoformat()
    for wanted, fields in (
        (here | {"untimed": True, "factor": 2}, ["untimed"]),
        (here | {"due_at": due, "closes_at": before}, ["closes_at"]),
        (here | {"opens_at": due, "closes_at": before}, ["closes_at"]),
        (for_ada | {"due_at": due}, ["assignment_id"]),
        (here | {"label": "extra time", "factor": 2}, ["member_ids"]),
        (here, []),
    ):
        assert wrong_fields(writer.send("POST", path, wanted)) == fields, wanted
    assert not Override.objects.exists()


@each("body", ["", "{", "[1]", "null", '"x"', "[" * 100_000, '{"a": \ud800}'])
def test_a_body_that_is_no_object_is_refused(writer, path, body):
    answer = writer.send("POST", path, body.encode(errors="surrogatepass").decode("latin-1"))
    assert answer.status_code in (400, 422)
    assert answer["Content-Type"] == "application/problem+json"


def test_a_token_that_may_read_changes_nothing(reader, path, exception, ada):
    for method, where in (("POST", path), ("PUT", f"{path}/{exception.pk}")):
        wanted = {"member_ids": [ada.pk], "factor": 2}
        wanted = wanted if method == "POST" else {"factor": 2, "version": 1}
        assert reader.send(method, where, wanted).status_code == 403
    assert reader.send("DELETE", f"{path}/{exception.pk}", version=1).status_code == 403
    assert Override.objects.get().factor is None


@pytest.mark.parametrize(
    ("role", "status"),
    [("instructor", 200), ("assistant", 200), ("observer", 403), ("student", 404)],
)
def test_who_may_on_a_page_may_here(
    make_program, path, add_member, ada, other_course, role, status
):
    user = add_member("Pat", role=role).user
    Membership.objects.create(course=other_course, user=user, role="instructor")
    asking = make_program(user, scope="exceptions")
    assert asking.send("POST", path, {"member_ids": [ada.pk], "factor": 2}).status_code == status
    assert Override.objects.exists() == (status == 200)


def test_nobody_reaches_another_class_by_an_id(
    make_program, path, other_course, add_member, exception, assignment
):
    two = add_member("Two", role="instructor", of=other_course).user
    asking, theirs = make_program(two, scope="exceptions"), f"classes/{other_course.pk}/exceptions"
    dan = exception.member_id
    assert asking.send("POST", path, {"member_ids": [dan], "factor": 2}).status_code == 404
    answer = asking.send("POST", theirs, {"member_ids": [dan], "factor": 2})
    assert wrong_fields(answer) == ["member_ids"]
    wanted = {"assignment_id": assignment.pk, "member_ids": [dan], "factor": 2}
    assert wrong_fields(asking.send("POST", theirs, wanted)) == ["assignment_id"]
    wanted = {"factor": 2, "version": 1}
    assert asking.send("PUT", f"{theirs}/{exception.pk}", wanted).status_code == 404
    assert asking.send("DELETE", f"{theirs}/{exception.pk}", version=1).status_code == 404
    assert Override.objects.get().factor is None


def test_an_assistant_changes_their_section_alone(
    make_program, writer, path, add_member, exception, ada, label
):
    for_all = writer.send("POST", path, {"label": label.text, "factor": 3}).json()["exceptions"][0]
    asking = make_program(add_member("Hal", role="assistant", section="1").user, scope="exceptions")
    assert asking.send("POST", path, {"member_ids": [ada.pk], "factor": 2}).status_code == 200
    outside = {"member_ids": [exception.member_id], "factor": 2}
    assert wrong_fields(asking.send("POST", path, outside)) == ["member_ids"]
    answer = asking.send("POST", path, {"label": "extra time", "factor": 2})
    assert wrong_fields(answer) == ["label"]
    for foreign in (exception.pk, for_all["id"]):
        assert asking.send("DELETE", f"{path}/{foreign}", version=1).status_code == 404


def test_dates_hold_to_the_end_of_their_minute_and_come_back_as_they_were(
    writer, path, assignment, ada, exception
):
    wanted = {"assignment_id": assignment.pk, "member_ids": [ada.pk]}
    dates = {
        "opens_at": "2090-01-01T12:00:30+01:00",
        "due_at": "2090-01-10T12:00:00+01:00",
        "closes_at": "2090-01-10T12:00:59+01:00",
    }
    [made] = writer.send("POST", path, wanted | dates).json()["exceptions"]
    kept = Override.objects.get(pk=made["id"])
    assert kept.opens_at == datetime.fromisoformat("2090-01-01T12:00:00+01:00")
    last = datetime.fromisoformat("2090-01-10T12:00:59.999999+01:00")
    assert kept.due_at == kept.closes_at == last
    # A stored moment that is sent back as it was read does not change.
    old = datetime.fromisoformat("2090-01-05T12:00:10.123456+01:00")
    Override.objects.filter(pk=kept.pk).update(due_at=old)
    [row] = [each for each in writer.items(path) if each["id"] == kept.pk]
    sent = {name: row[name] for name in ("opens_at", "due_at", "closes_at", "version")}
    answer = writer.send("PUT", f"{path}/{kept.pk}", sent | {"attempts_allowed": 3})
    assert answer.status_code == 200, answer.content
    assert (refresh(kept).due_at, kept.closes_at) == (old, last)
