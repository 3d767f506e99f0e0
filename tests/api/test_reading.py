"""Reading through the API: the contents, by token, and what stays out."""

from datetime import timedelta
from unittest.mock import Mock

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.personal import forget
from api.cursors import MAX_PAGE_SIZE, make_cursor
from classes.models import Membership
from quizzes.items.skills import Skill
from quizzes.models import Attempt, Grade, Item, WrittenProblem, WrittenProblemShare
from quizzes.practice.services import practise_skill
from sharing.services import add_owner
from tests.each import each
from tests.quizzes.written.rows import publish_row
from tests.world import (
    make_assignment,
    make_instructor_user,
    make_override,
    make_quiz,
    make_user,
    start_assignment,
)

pytestmark = pytest.mark.django_db


def test_classes_are_those_that_the_owner_teaches(reader, course, other_course):
    [row] = reader.items("classes")
    assert row["title"] == "Attention 101"
    assert (row["role"], row["time_zone"]) == ("instructor", "Europe/Vienna")
    assert reader.get(f"classes/{course.pk}").json() == row


def test_members_have_labels_and_states(reader, course, add_member, label):
    add_member("Ada", section="1").labels.add(label)
    add_member("Gone", state="left")
    Membership.objects.create(course=course, email="new@example.org", state="invited", name="New")
    rows = {each["name"]: each for each in reader.items(f"classes/{course.pk}/members")}
    assert rows["Ada"]["labels"] == ["extra time"]
    assert (rows["Ada"]["email"], rows["Gone"]["state"]) == ("ada@example.org", "left")
    assert rows["New"]["email"] == "new@example.org"
    students = reader.items(f"classes/{course.pk}/members", role="student", state="active")
    assert [each["name"] for each in students] == ["Ada"]


def test_who_was_forgotten_has_neither_name_nor_address(reader, course, marked_attempts):
    forget(user=marked_attempts[0].student)
    rows = reader.items(f"classes/{course.pk}/members")
    [gone] = [each for each in rows if each["email"] is None]
    assert "Ada" not in gone["name"]
    assert len(reader.items(f"classes/{course.pk}/attempts")) == 3


def test_assignments_have_their_rules(reader, course, assignment):
    [row] = reader.items(f"classes/{course.pk}/assignments")
    assert (row["id"], row["quiz_id"]) == (assignment.pk, assignment.sitting.quiz_id)
    assert row["minutes"] == assignment.sitting.minutes


def test_attempts_have_every_step_and_mistake(reader, course, marked_attempts, assignment):
    rows = reader.items(f"classes/{course.pk}/attempts", grades="true")
    assert [each["marking"] for each in rows] == ["graded", "graded", None]
    ada, bob, cyd = rows
    assert ada["assignment_id"] == assignment.pk
    assert ada["member_id"] == Membership.objects.get(user=marked_attempts[0].student).pk
    assert bob["score"] == Attempt.objects.get(pk=marked_attempts[1].pk).score
    assert cyd["grades"] == []
    assert [each["position"] for each in bob["grades"]] == list(range(1, 7))
    grades = Grade.objects.filter(answer__item__attempt=marked_attempts[1])
    in_order = grades.order_by("answer__item__position")
    for got, grade in zip(bob["grades"], in_order, strict=True):
        assert got["points"] == pytest.approx(grade.points)
        item = grade.answer.item
        assert got["version"] == (item.variant or item.question).version
        for step, stored in zip(got["steps"], grade.steps, strict=True):
            assert step["verdict"] == stored["verdict"]
        assert sum(step["out_of"] for step in got["steps"]) == pytest.approx(grade.out_of)
    assert any(step["mistake"] for each in bob["grades"] for step in each["steps"])
    assert reader.get(f"classes/{course.pk}/attempts/{marked_attempts[1].pk}").json() == bob
    [alone] = reader.items(f"classes/{course.pk}/attempts", member_id=ada["member_id"])
    assert alone == ada | {"grades": None}


def test_of_several_grades_the_latest_is_returned(reader, course, marked_attempts):
    old = Grade.objects.filter(answer__item__attempt=marked_attempts[1]).first()
    same = {name: getattr(old, name) for name in ("answer", "out_of", "steps", "core_version")}
    Grade.objects.create(**same, revision=2, points=old.out_of, verdict="right")
    data = reader.get(f"classes/{course.pk}/attempts/{marked_attempts[1].pk}").json()["grades"]
    position = Item.objects.get(answers=old.answer).position
    [new] = [each for each in data if each["position"] == position]
    assert (new["revision"], new["verdict"], new["points"]) == (2, "right", old.out_of)
    assert len(data) == 6


def test_what_was_reopened_has_no_grades_that_count(reader, course, marked_attempts):
    Attempt.objects.filter(pk=marked_attempts[1].pk).update(reopened=1, state="open", score=None)
    data = reader.get(f"classes/{course.pk}/attempts/{marked_attempts[1].pk}").json()
    assert (data["marking"], data["grades"]) == (None, [])


def test_late_is_what_came_after_it_was_due_for_that_student(
    reader, course, assignment, marked_attempts, access
):
    assignment.due_at = timezone.now() - timedelta(days=1)
    assignment.save()
    bob = Membership.objects.get(user=marked_attempts[1].student)
    make_override(access, assignment, bob, due_at=timezone.now() + timedelta(days=1))
    rows = reader.items(f"classes/{course.pk}/attempts")
    assert [each["late"] for each in rows] == [True, False, False]


def test_no_solution_and_no_answer_is_returned(reader, course, marked_attempts):
    text = reader.get(f"classes/{course.pk}/attempts", grades="true").text
    for word in ("solution", "givens", "seed", "fingerprint", "draft", "raw"):
        assert f'"{word}"' not in text


def test_only_attempts_that_count_are_returned(reader, course, assignment, marked_attempts):
    practise_skill(student=marked_attempts[0].student, skill=Skill("family", "cosine"))
    Attempt.objects.filter(pk=marked_attempts[0].pk).update(mode="practice", deadline=None)
    rows = reader.items(f"classes/{course.pk}/attempts")
    assert marked_attempts[0].pk not in [each["id"] for each in rows]
    assert reader.get(f"classes/{course.pk}/attempts/{marked_attempts[0].pk}").status_code == 404


def test_quizzes_have_slots_and_families_have_mistakes(reader, assignment, quiz):
    [row] = reader.items("quizzes")
    assert len(row["slots"]) == 6
    assert reader.get(f"quizzes/{quiz.pk}").json() == row
    families = {each["key"]: each for each in reader.every("families", limit=15)}
    assert families["softmax_row"]["summary"]
    assert families["softmax_row"]["options"]
    assert families["softmax_row"]["mistakes"]
    assert reader.get("families/softmax_row").json() == families["softmax_row"]
    assert {slot["family"] for slot in row["slots"]} - {None} <= families.keys()


def test_a_slot_names_the_version_of_a_problem_in_rows(reader, ines):
    publish_row(key="own_open", site=True)
    quiz = make_quiz("own", {"family": "own_open", "family_version": 1}, {"family": "cosine"})
    add_owner(row=quiz, user=ines)
    slots = reader.get(f"quizzes/{quiz.pk}").json()["slots"]
    assert [slot["family_version"] for slot in slots] == [1, None]


def test_who_runs_no_class_sees_the_quizzes_of_theirs_alone_and_nobody_a_draft(
    reader, make_program, add_member, assignment, quiz
):
    helper = add_member("Hal", role="assistant").user
    other = type(quiz).objects.create(slug="other", title="Other", published=True)
    assert [each["id"] for each in make_program(helper).items("quizzes")] == [quiz.pk]
    draft = type(quiz).objects.create(slug="draft", title="Draft", published=False)
    for hidden in (other, draft):
        assert make_program(helper).get(f"quizzes/{hidden.pk}").status_code == 404
    assert reader.get(f"quizzes/{draft.pk}").status_code == 404


# Pages


def test_pages_follow_each_other_and_nothing_new_moves_them(reader, course, add_member):
    for number in range(5):
        add_member(f"M{number}")
    first = reader.get(f"classes/{course.pk}/members", limit=3).json()
    add_member("New")
    rest = reader.get(f"classes/{course.pk}/members", limit=100, cursor=first["next"]).json()
    names = [each["name"] for each in first["items"] + rest["items"]]
    assert names == ["Ines", "M0", "M1", "M2", "M3", "M4", "New"]
    assert rest["next"] is None


CURSORS = [
    *("x", "%00", "ä", "====", "a" * 300, make_cursor("classes", 3) + "="),
    *(make_cursor("classes", last) for last in (-1, "1" * 30, "x")),
    make_cursor("members", 3),
]


@each(
    "name, value",
    [("limit", limit) for limit in (0, -1, MAX_PAGE_SIZE + 1, 1_000_000, "many", "")]
    + [("cursor", cursor) for cursor in CURSORS],
)
def test_a_page_that_is_too_long_or_that_no_page_led_to_is_refused_by_name(
    reader, course, name, value
):
    answer = reader.get("classes", **{name: value})
    assert (answer.status_code, answer["Content-Type"]) == (422, "application/problem+json")
    assert [each["field"] for each in answer.json()["errors"]] == [name]


def test_a_misspelt_parameter_is_refused_and_not_ignored(reader, course):
    answer = reader.get(f"classes/{course.pk}/attempts", asignment_id=1)
    assert answer.status_code == 422
    assert [each["field"] for each in answer.json()["errors"]] == ["asignment_id"]
    assert reader.get(f"classes/{course.pk}", class_id=1).status_code == 422


@pytest.mark.parametrize(("method", "path"), [("POST", "classes"), ("PATCH", "families/x")])
def test_a_method_that_an_address_has_not_is_a_problem_too(reader, method, path):
    answer = reader.send(method, path)
    assert (answer.status_code, answer["Allow"]) == (405, "GET, HEAD")
    assert answer.json()["status"] == 405


def test_head_is_answered_as_get_is_without_a_body(reader, course):
    whole, head = reader.get("classes"), reader.send("HEAD", "classes")
    assert (head.status_code, head.content) == (200, b"")
    for name in ("Content-Type", "ETag", "Cache-Control"):
        assert head[name] == whole[name]
    assert reader.send("HEAD", "no/such/thing").status_code == 404
    assert reader.send("HEAD", f"classes/{course.pk + 1}").status_code == 404


@pytest.mark.parametrize("path", ["", "no/such/thing", "classes/"])
def test_an_address_that_is_none_is_a_problem_too(reader, path):
    answer = reader.get(path)
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/problem+json")


@pytest.mark.parametrize(("error", "status"), [(RuntimeError, 500), (OperationalError, 503)])
def test_a_fault_or_a_missing_database_is_reported_without_details(
    reader, course, monkeypatch, error, status
):
    monkeypatch.setattr("api.queries.memberships_of", Mock(side_effect=error("secret detail")))
    answer = reader.get("classes")
    assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json")
    assert b"secret" not in answer.content
    assert status == 500 or answer["Retry-After"]


def test_the_cursor_of_another_class_is_refused(
    reader, make_program, course, other_course, add_member
):
    add_member("Ada")
    onwards = reader.get(f"classes/{course.pk}/members", limit=1).json()["next"]
    Membership.objects.create(course=other_course, user=make_user("Two"), role="instructor")
    other = make_program(Membership.objects.get(user__name="Two").user)
    assert other.get(f"classes/{other_course.pk}/members", cursor=onwards).status_code == 422


@each("pk", ["0", "-1", "x", "9" * 30, "1.5", str(2**53)])
def test_ids_that_cannot_be_are_refused_and_those_that_are_not_are_not_found(reader, course, pk):
    assert reader.get(f"classes/{pk}").status_code in (404, 422)
    assert reader.get(f"classes/{course.pk}/attempts/{pk}").status_code in (404, 422)
    assert reader.get(f"classes/{2**53 - 1}").status_code == 404


def test_what_has_not_changed_is_not_sent_again(reader, course, add_member):
    again = {"If-None-Match": reader.get(f"classes/{course.pk}/members")["ETag"]}
    assert reader.get(f"classes/{course.pk}/members", again).status_code == 304
    add_member("Ada")
    assert reader.get(f"classes/{course.pk}/members", again).status_code == 200


def test_answers_are_kept_by_nobody_else(reader, course):
    answer = reader.get("classes")
    assert answer["Cache-Control"] == "private, no-cache"
    assert "Authorization" in answer["Vary"]
    assert "Access-Control-Allow-Origin" not in answer


# Speed


def test_a_page_takes_as_many_queries_however_long_it_is(
    reader, course, assignment, marked_attempts
):
    def queries(**query):
        with CaptureQueriesContext(connection) as asked:
            reader.items(f"classes/{course.pk}/attempts", grades="true", **query)
        return len(asked)

    assignment.due_at = timezone.now() - timedelta(days=1)
    assignment.save()
    queries()
    few = queries(limit=1)
    assert queries(limit=100) == few
    assert few <= 25


def test_every_list_takes_as_many_queries_however_long_it_is(
    reader, course, quiz, add_member, access, label
):
    for number in range(5):
        add_member(f"M{number}").labels.add(label)
    make_assignment(course, quiz)
    make_assignment(course, quiz)
    lists = ["classes", "quizzes", "families"]
    lists += [f"classes/{course.pk}/{each}" for each in ("members", "assignments", "exceptions")]
    for path in lists:
        counts = set()
        reader.items(path)
        for limit in (1, 100):
            with CaptureQueriesContext(connection) as asked:
                reader.items(path, limit=limit)
            counts.add(len(asked))
        assert len(counts) == 1, (path, counts)


def test_a_section_is_all_that_its_assistant_sees(
    make_program, course, marked_attempts, add_member, exception, assignment
):
    helper = make_program(add_member("Hal", role="assistant", section="1").user)
    assert len(helper.items(f"classes/{course.pk}/attempts", grades="true")) == 2
    members = helper.items(f"classes/{course.pk}/members")
    assert {each["name"] for each in members} == {"Ada", "Bob", "Hal"}
    cyd = Attempt.objects.get(student__name="Cyd")
    assert helper.get(f"classes/{course.pk}/attempts/{cyd.pk}").status_code == 404
    assert helper.items(f"classes/{course.pk}/exceptions") == []
    start_assignment(assignment, add_member("Eve", section="1").user)
    assert len(helper.items(f"classes/{course.pk}/attempts")) == 3


def test_problems_in_rows_are_listed_for_those_who_may_read_them(reader, ines):
    other = make_instructor_user("other")
    publish_row(key="own_open", owner=other, site=True)
    publish_row(key="own_private", owner=other)
    publish_row(key="own_read", owner=other)
    WrittenProblemShare.objects.create(key="own_read", user=ines, access="read")
    families = {each["key"]: each for each in reader.every("families", limit=7)}
    assert {key for key in families if key.startswith("own_")} == {"own_open", "own_read"}
    assert list(families) == sorted(families)
    assert reader.get("families/own_read").json() == families["own_read"]
    assert families["own_read"]["version"] == 1
    assert families["own_read"]["mistakes"]
    for missing in ("own_private", "own_nothing"):
        assert reader.get(f"families/{missing}").status_code == 404


def test_a_program_of_somebody_else_than_an_instructor_lists_what_is_open(make_program, course):
    someone = make_user("watches")
    Membership.objects.create(course=course, user=someone, role="observer")
    publish_row(key="own_open", site=True, owner=make_instructor_user("author"))
    publish_row(key="own_private", owner=make_instructor_user("other"))
    program = make_program(someone)
    families = {each["key"] for each in program.every("families")}
    assert {key for key in families if key.startswith("own_")} == {"own_open"}


def test_a_problem_that_cannot_be_read_is_left_out(reader, ines):
    publish_row(key="own_read", owner=ines)
    WrittenProblem.every.update(text="x: nothing of this release\ny = x")
    assert "own_read" not in {each["key"] for each in reader.every("families", limit=15)}
    assert reader.get("families/own_read").status_code == 404
