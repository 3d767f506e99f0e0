"""The gradebook: the points that count, now or at a moment, on its pages and in its files."""

import csv
import io
from datetime import datetime, timedelta
from urllib.parse import quote
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from openpyxl import load_workbook

from classes.gradebook import queries
from classes.gradebook.queries import BookChoice
from classes.models import Assignment, Label, Membership
from quizzes.models import Attempt, Grade, Sitting, Submission
from tests.quizzes.reading import Page
from tests.world import (
    REASON,
    answer_everything,
    copy_attempt_to_students,
    make_assignment,
    missing_in,
    save_answer,
    start_assignment,
    submit_and_mark,
    wrong_fields,
)

DAY = timedelta(days=1)


@pytest.fixture
def booked(right_attempt, attempts_by_name):
    """Attempts in every state; the submissions that wait for marking still wait."""
    return attempts_by_name


@pytest.fixture
def url(course):
    return f"/teach/{course.pk}/gradebook/"


def lines(access, at=None, **choice):
    """Return the gradebook's lines by student's name."""
    now, assignments = timezone.now(), queries.assignments_with_results(access)
    students = queries.chosen_students(access, BookChoice(**choice))
    found = queries.entries(assignments, now, [each.user for each in students if each.user], at)
    return {
        each.student.display_name: each
        for each in queries.gradebook_lines(assignments, students, found)
    }


def entry(access, name, at=None):
    return lines(access, at)[name].entries[0]


def table_of(answer, **options):
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    return list(csv.reader(io.StringIO(text, newline="")))


def move(attempt, by):
    """Move all of an attempt's times back by `by`."""
    Attempt.objects.filter(pk=attempt.pk).update(
        started_at=attempt.started_at - by, submitted_at=attempt.submitted_at - by
    )
    for handed_in in Submission.objects.filter(attempt=attempt):
        handed_in.received_at -= by
        handed_in.graded_at -= by
        handed_in.save()
    for grade in Grade.objects.filter(answer__item__attempt=attempt):
        grade.graded_at -= by
        grade.save()


# Points that count


@pytest.mark.service
def test_each_student_has_the_state_and_the_points_that_count(access, booked, right_attempt):
    states = {name: (each.entries[0].state, each.points) for name, each in lines(access).items()}
    assert states == {
        "Ada": ("working", None),
        "Bob": ("waiting", None),
        "Cyd": ("marked", 0),
        "Dan": ("attention", None),
        "Eve": ("none", None),
        "Rita": ("marked", 6),
    }


@pytest.mark.parametrize(("rule", "number", "points"), [("best", 1, 6), ("last", 2, 0)])
def test_the_best_or_the_last_attempt_counts_as_the_sitting_says(
    access, assignment, right_attempt, rule, number, points
):
    Sitting.objects.filter(pk=assignment.sitting_id).update(counts=rule)
    again = start_assignment(assignment, right_attempt.student)
    answer_everything(again, wrong_fields)
    submit_and_mark(again)
    found = entry(access, "Rita")
    assert (found.number, found.made, found.points) == (number, 2, points)


def test_an_attempt_under_way_does_not_take_the_points_of_the_one_before(
    access, assignment, right_attempt
):
    start_assignment(assignment, right_attempt.student)
    found = entry(access, "Rita")
    assert (found.state, found.points, found.made) == ("working", 6, 2)


def test_late_is_what_came_after_it_was_due_for_that_student(
    access, assignment, right_attempt, course
):
    assignment.due_at = right_attempt.submitted_at - timedelta(minutes=1)
    assignment.save()
    assert entry(access, "Rita").late
    member = Membership.objects.get(user=right_attempt.student)
    course.overrides.create(
        assignment=assignment, member=member, due_at=right_attempt.submitted_at + DAY
    )
    assert not entry(access, "Rita").late


def test_late_is_marked_and_so_is_missing_once_nobody_can_start_any_more(
    ines_client, url, booked, assignment
):
    assert 'data-state="missing"' not in ines_client.get(url).text
    past = timezone.now() - timedelta(hours=1)
    Assignment.objects.update(due_at=past - timedelta(days=9))
    Sitting.objects.filter(pk=assignment.sitting_id).update(closes_at=past)
    page = ines_client.get(url).text
    assert page.count('data-state="missing"') == 1  # Eve
    assert page.count('data-state="late"') == 2
    Sitting.objects.update(last_closes_at=timezone.now() + timedelta(days=1))
    assert 'data-state="missing"' not in ines_client.get(url).text


def test_practice_is_no_entry(access, assignment, right_attempt):
    Attempt.objects.filter(pk=right_attempt.pk).update(mode="practice", sitting=None, deadline=None)
    assert entry(access, "Rita") == queries.NO_ENTRY


# As of a moment


@pytest.mark.service
def test_as_of_a_moment_stands_what_was_marked_then(access, right_attempt):
    move(right_attempt, DAY)
    right_attempt.refresh_from_db()
    handed_in = right_attempt.submitted_at
    before, after = (
        right_attempt.started_at + (handed_in - right_attempt.started_at) / 2,
        handed_in + DAY / 24,
    )
    assert entry(access, "Rita", right_attempt.started_at) == queries.NO_ENTRY
    found = entry(access, "Rita", before)
    assert (found.state, found.points) == ("working", None)
    found = entry(access, "Rita", after)
    assert (found.state, found.points, found.out_of) == ("marked", 6, 6)
    assert found == entry(access, "Rita")


@pytest.mark.service
def test_as_of_a_moment_the_grades_of_then_count_and_now_the_latest(
    access, assignment, right_attempt
):
    move(right_attempt, DAY)
    first = Grade.objects.filter(answer__item__attempt=right_attempt).first()
    first.pk, first.revision, first.points, first.graded_at = None, 2, 0, timezone.now()
    first.save()
    Attempt.objects.filter(pk=right_attempt.pk).update(score=5)
    assert entry(access, "Rita").points == 5
    assert entry(access, "Rita", timezone.now() - DAY / 2).points == 6
    assert entry(access, "Rita", timezone.now() + DAY).points == 5
    now = queries.question_results([entry(access, "Rita")])
    then = queries.question_results([entry(access, "Rita")], timezone.now() - DAY / 2)
    assert sum(each.points for each in now[right_attempt.pk].values()) == 5
    assert sum(each.points for each in then[right_attempt.pk].values()) == 6


@pytest.mark.service
def test_as_of_a_moment_what_was_reopened_later_is_as_it_was_handed_in(
    access, assignment, right_attempt, ines_client, course
):
    move(right_attempt, DAY)
    member = Membership.objects.get(user=right_attempt.student)
    sent = {"member": member.pk, "minutes": 10, "reason": REASON}
    ines_client.post(f"/teach/{course.pk}/quizzes/{assignment.pk}/reopen/", sent)
    again = Attempt.objects.get(pk=right_attempt.pk)
    assert again.reopened == 1
    assert (entry(access, "Rita").state, entry(access, "Rita").points) == ("working", None)
    assert entry(access, "Rita", timezone.now() - DAY / 2).points == 6
    assert entry(access, "Rita", timezone.now() + timedelta(minutes=1)).state == "working"
    between = timezone.now()
    for item in again.items.select_related("variant", "attempt"):
        save_answer(item, wrong_fields(item), token=f"again {item.position}")
    submit_and_mark(again)
    assert entry(access, "Rita").points == 0
    assert entry(access, "Rita").submission == 2
    assert entry(access, "Rita", timezone.now() - DAY / 2).points == 6
    assert entry(access, "Rita", between).state == "working"


def test_a_day_is_the_class_s_own_and_one_that_is_not_over_is_now(
    ines_client, url, right_attempt, course
):
    today = timezone.localdate(timezone=ZoneInfo(course.time_zone)).isoformat()
    assert "Marks at the end of" not in ines_client.get(f"{url}?at={today}").text
    page = ines_client.get(f"{url}?at=2026-01-02").text
    assert "Marks at the end of 2 January 2026" in page
    assert "6 of 6" not in page


# Pages


def test_the_page_tells_points_states_and_notes_and_leads_to_attempts(
    ines_client, url, assignment, booked, right_attempt, course
):
    start_assignment(assignment, right_attempt.student)
    Sitting.objects.filter(pk=assignment.sitting_id).update(release="by_hand")
    page = Page(ines_client.get(url))
    states = ("couldn’t be marked", "waiting to be marked", "hidden")
    assert missing_in(page.text, "6 of 6", "1/2", "best attempt counts", *states) == []
    assert page.all("a", href=f"/teach/{course.pk}/attempts/{right_attempt.pk}/")


def test_at_one_assignment_each_question_has_its_points_and_its_place_in_the_review(
    ines_client, assignment, right_attempt, course
):
    page = Page(ines_client.get(f"/teach/{course.pk}/quizzes/{assignment.pk}/gradebook/"))
    assert page.all("a", href=f"/teach/{course.pk}/attempts/{right_attempt.pk}/#item-3")
    assert "Softmax of a row" in page.text
    assert len(page.all("tr")) == 2


def test_lines_are_searched_filtered_and_ordered(
    ines_client, url, assignment, booked, right_attempt, course
):
    label = Label.objects.create(course=course, text="abroad")
    Membership.objects.get(user=booked["Dan"].student).labels.add(label)

    def names(query):
        found = Page(ines_client.get(f"{url}?{query}"))
        return [name for name in ("Ada", "Bob", "Cyd", "Dan", "Eve", "Rita") if name in found.text]

    assert names("search=rita") == ["Rita"]
    assert names("section=A") == ["Rita"]
    assert names("label=abroad") == ["Dan"]
    assert names("state=waiting") == ["Bob"]
    assert names("state=marked") == ["Cyd", "Rita"]
    text = Page(ines_client.get(f"{url}?order=most")).text
    assert text.index("Rita") < text.index("Cyd") < text.index("Ada")
    for query in (f"order={assignment.pk}", "order=score"):
        text = Page(ines_client.get(f"{url}?{query}")).text
        assert text.index("Cyd") < text.index("Rita") < text.index("Ada")
    one = f"/teach/{course.pk}/quizzes/{assignment.pk}/gradebook/"
    text = Page(ines_client.get(f"{one}?order=q3")).text
    assert text.index("Cyd") < text.index("Rita") < text.index("Ada")


def test_what_a_filter_does_not_know_narrows_nothing(ines_client, url, assignment, booked, course):
    one = f"/teach/{course.pk}/quizzes/{assignment.pk}/gradebook/"
    bad = ("state=%00", "order=q99", "order=999", "section=x", "at=never", "at=9999-12-31",
           "at=0001-01-01", "page=9999999999", "search=%00")  # fmt: skip
    for address in (url, one):
        for query in bad:
            assert ines_client.get(f"{address}?{query}").status_code == 200, (address, query)
    for address in (f"{url}csv/", f"{one}xlsx/"):
        assert ines_client.get(f"{address}?{'&'.join(bad)}").status_code == 200
    assert "No matches" in ines_client.get(f"{url}?search=nobody").text


def test_a_class_without_quizzes_or_students_says_so(ines_client, url, course, quiz):
    assert "No quizzes assigned yet" in ines_client.get(url).text
    assert ines_client.get(f"{url}csv/").status_code == 200
    assignment = make_assignment(course, quiz)
    assert "No students here yet" in ines_client.get(url).text
    assert ines_client.get(f"{url}xlsx/").status_code == 200
    one = f"/teach/{course.pk}/quizzes/{assignment.pk}/gradebook/"
    assert "No students here yet" in ines_client.get(one).text


@pytest.mark.service
def test_it_asks_as_often_for_many_students_and_assignments_as_for_few(
    ines_client, url, assignment, right_attempt, course, quiz
):
    one = f"/teach/{course.pk}/quizzes/{assignment.pk}/gradebook/"
    addresses = (url, f"{url}?order=most", f"{url}?at=2026-01-02", one, f"{one}?order=q2")

    def asked(address):
        with CaptureQueriesContext(connection) as queries:
            assert ines_client.get(address).status_code == 200
        return len(queries)

    for address in addresses:
        asked(address)
    few = [asked(address) for address in addresses]
    copy_attempt_to_students(course, right_attempt, 60)
    for _n in range(5):
        make_assignment(course, quiz)
    assert [asked(address) for address in addresses] == few
    assert max(few) <= 20


# Access


def test_who_has_a_section_sees_its_people_alone_in_pages_and_files(
    log_in, url, assignment, booked, right_attempt, course, add_member
):
    client = log_in(add_member("Abe", role="assistant", section="A").user)
    one = f"/teach/{course.pk}/quizzes/{assignment.pk}/gradebook/"
    for address in (url, one):
        page = client.get(address).text
        assert "Rita" in page
        assert "Cyd" not in page
    for address in (f"{url}csv/", f"{url}canvas/", f"{url}moodle/", f"{one}csv/"):
        rows = table_of(client.get(address))
        names = {row[0] for row in rows}
        assert "Rita" in names
        assert not names & {"Ada", "Cyd"}


def test_what_is_not_of_this_class_is_not_there(ines_client, course, other_course, quiz):
    elsewhere = make_assignment(other_course, quiz)
    for address in (
        f"/teach/{other_course.pk}/gradebook/",
        f"/teach/{other_course.pk}/gradebook/csv/",
        f"/teach/{course.pk}/quizzes/{elsewhere.pk}/gradebook/",
        f"/teach/{course.pk}/quizzes/{elsewhere.pk}/gradebook/csv/",
        f"/teach/{course.pk}/gradebook/pdf/",
    ):
        assert ines_client.get(address).status_code == 404


# Files


def test_a_file_has_everybody_who_is_wanted_with_points_as_numbers(
    ines_client, url, booked, right_attempt
):
    head, possible, *rows = table_of(ines_client.get(f"{url}csv/"))
    assert head == ["Name", "Address", "Section", "Foundations", "Points", "Out of"]
    assert possible == ["out of", "", "", "6", "", ""]
    assert ["Rita", "rita@example.org", "A", "6.0", "6.0", "6.0"] in rows
    assert ["Eve", "eve@example.org", "", "", "", ""] in rows
    assert len(rows) == 6
    assert len(table_of(ines_client.get(f"{url}csv/?search=rita"))) == 3
    marked = table_of(ines_client.get(f"{url}csv/?state=marked"))
    assert [row[0] for row in marked[2:]] == ["Cyd", "Rita"]


@pytest.mark.parametrize("title", ["Математика", "数学入門", "🧠", "Attention 101"])
def test_files_are_called_by_the_class_in_any_writing(ines_client, url, course, title):
    course.title = title
    course.save()
    day = timezone.localdate(timezone=ZoneInfo(course.time_zone)).isoformat()
    for layout, what in (("csv", "gradebook"), ("canvas", "canvas")):
        header = ines_client.get(f"{url}{layout}/").headers["Content-Disposition"]
        assert header.endswith(f"; filename*=utf-8''{quote(f'{title}-{what}-{day}.csv')}")


def test_a_workbook_says_the_same(ines_client, url, booked, right_attempt, course):
    answer = ines_client.get(f"{url}xlsx/")
    day = timezone.localdate(timezone=ZoneInfo(course.time_zone)).isoformat()
    assert f'"attention-101-gradebook-{day}.xlsx"' in answer.headers["Content-Disposition"]
    sheet = load_workbook(io.BytesIO(b"".join(answer.streaming_content))).active
    rows = [[cell.value for cell in row] for row in sheet.iter_rows()]
    assert rows[0][:4] == ["Name", "Address", "Section", "Foundations"]
    assert ["Rita", "rita@example.org", "A", 6, 6, 6] in rows


def test_nobody_s_name_runs_in_a_file(ines_client, url, right_attempt):
    right_attempt.student.name = '=HYPERLINK("http://a.example","x")'
    right_attempt.student.save()
    assert table_of(ines_client.get(f"{url}csv/"))[2][0] == f"'{right_attempt.student.name}"
    for layout in ("canvas", "moodle"):
        assert table_of(ines_client.get(f"{url}{layout}/"))[-1][0].startswith("'=")
    answer = ines_client.get(f"{url}xlsx/")
    cell = load_workbook(io.BytesIO(b"".join(answer.streaming_content))).active["A3"]
    assert (cell.value, cell.data_type) == (right_attempt.student.name, "s")


def test_canvas_finds_its_columns_and_its_row_of_points(
    ines_client, url, course, quiz, right_attempt
):
    quiz.title = "Quiz (2)"
    quiz.save()
    make_assignment(course, quiz)
    text = b"".join(ines_client.get(f"{url}canvas/").streaming_content).decode()
    assert text.startswith('"Student","ID","SIS User ID","SIS Login ID","Section",')
    head, possible, rita = csv.reader(io.StringIO(text))
    # Canvas would take a title's trailing brackets for the key of an assignment.
    assert head[5:] == ["Quiz [2]", "Quiz [2], 2"]
    assert possible == ["    Points Possible", "", "", "", "", "6", "6"]
    assert rita == ["Rita", "", "", "rita@example.org", "A", "6.0", ""]


def test_moodle_gets_percentages_and_a_dash_for_what_is_missing(
    ines_client, url, booked, right_attempt
):
    Attempt.objects.filter(pk=right_attempt.pk).update(score=3)
    head, *rows = table_of(ines_client.get(f"{url}moodle/"))
    assert head == ["Full name", "Email address", "Foundations"]
    assert ["Rita", "rita@example.org", "50.0"] in rows
    assert ["Eve", "eve@example.org", "-"] in rows


def test_who_has_left_is_in_the_class_s_file_and_in_no_other(ines_client, url, right_attempt):
    Membership.objects.filter(user=right_attempt.student).update(state="left")
    for page in (url, f"{url.partition('gradebook')[0]}people/"):
        assert "and 1 who left" in ines_client.get(page).text
    assert len(table_of(ines_client.get(f"{url}csv/"))) == 3
    assert len(table_of(ines_client.get(f"{url}canvas/"))) == 2
    assert len(table_of(ines_client.get(f"{url}moodle/"))) == 1


def test_a_file_of_one_assignment_has_its_questions(
    ines_client, assignment, booked, right_attempt, course
):
    Assignment.objects.filter(pk=assignment.pk).update(due_at=right_attempt.submitted_at - DAY)
    head, *rows = table_of(
        ines_client.get(f"/teach/{course.pk}/quizzes/{assignment.pk}/gradebook/csv/")
    )
    assert len(head) == 10 + 6
    [rita] = [row for row in rows if row[0] == "Rita"]
    assert rita[3:6] == ["marked", "1", "1"]
    submitted = timezone.localtime(right_attempt.submitted_at, timezone.get_fixed_timezone(60))
    assert datetime.fromisoformat(rita[6]).hour == submitted.hour
    assert rita[7:] == ["yes", "6.0", "6.0", *["1.0"] * 6]
    [eve] = [row for row in rows if row[0] == "Eve"]
    assert eve[3:] == ["not started", *[""] * 12]


def test_files_ask_for_students_in_chunks(ines_client, url, right_attempt, course, monkeypatch):
    monkeypatch.setattr(queries, "CHUNK", 10)
    copy_attempt_to_students(course, right_attempt, 24)
    rows = table_of(ines_client.get(f"{url}csv/"))
    assert len(rows) == 2 + 25
    assert {row[3] for row in rows[2:]} == {"6.0"}
