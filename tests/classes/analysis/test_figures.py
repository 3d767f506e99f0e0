"""Figures of an assignment: its students, its questions, its mistakes, and its readers."""

import csv
import io
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from quizzes.models import Attempt, Grade, Item, Sitting, Variant
from tests.fixtures import SOME, WHOLE
from tests.quizzes.reading import Page
from tests.world import (
    answer_everything,
    copy_attempt_to_students,
    make_assignment,
    missing_in,
    right_fields,
    save_answer,
    start_assignment,
    submit_and_mark,
    wrong_fields,
)

ASKS = [SOME[0], *WHOLE[5:8], *SOME[4:]]
SCALED = 2  # the item that asks to scale a row, one step


@pytest.fixture
def url(course, assignment):
    return f"/teach/{course.pk}/quizzes/{assignment.pk}/figures/"


def unscaled(item):
    """Return a known mistake: the scores without scaling."""
    [_step] = item.shown["steps"]
    [scores] = [each for each in item.shown["givens"] if each["key"] == "scores"]
    values = [value for row in _rows(scores["values"]) for value in row]
    return dict(zip(right_fields(item), (f"{value:.3f}" for value in values), strict=True))


def _rows(values):
    return values if isinstance(values[0], list) else [values]


@pytest.fixture
def erring(assignment, add_member):
    """The marked attempt of a student who does not scale, chooses wrongly and leaves the rest."""
    attempt = start_assignment(assignment, add_member("Eric", section="B").user)
    for item in attempt.items.select_related("variant", "attempt"):
        if item.position == SCALED:
            save_answer(item, unscaled(item))
        elif item.question_id:
            save_answer(item, wrong_fields(item))
    return submit_and_mark(attempt)


@pytest.fixture
def two_crowds(course, right_attempt, erring):
    """Attempts of twelve students who have all right and nine who make the same mistakes."""
    return copy_attempt_to_students(course, right_attempt, 11, "A") + copy_attempt_to_students(
        course, erring, 8, "B"
    )


def csv_rows(client, url, name, query=""):
    text = b"".join(client.get(f"{url}{name}.csv{query}").streaming_content).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def line(rows, title):
    [found] = [row for row in rows if row["Question"].startswith(title)]
    return found


def points_of(attempt):
    """Return the points for the unscaled row; some of its numbers may be right all the same."""
    graded = Grade.objects.filter(answer__item__attempt=attempt, answer__item__position=SCALED)
    return graded.get().points


# Contents


OTHERS = "?for=others"


@pytest.mark.parametrize("role", ["instructor", "assistant", "observer"])
def test_teachers_read_all_figures_of_their_own_class_however_few(
    log_in, add_member, url, right_attempt, erring, role
):
    client = log_in(add_member("Theo", role=role).user)
    page = client.get(url).text
    assert "Not enough data yet" not in page
    earned = (1 + points_of(erring)) / 2
    assert missing_in(page, f"{100 * earned:.0f} %", "unscaled") == []
    assert "hidden to protect privacy" not in page
    scores = client.get(url).context["distributions"][0].chart
    assert sum(bar.bin.count for bar in scores.bars) == 2
    chosen = erring.items.filter(question__isnull=False).first()
    of_question = client.get(f"{url}of/q{chosen.question_id}/")
    assert f"Choice {chosen.answers.get().raw['answer']} of" in of_question.text


def test_without_attempts_there_is_a_sentence(ines_client, url, assignment):
    assert "Not enough data yet" in ines_client.get(url).text


def test_one_student_is_enough_for_figures(ines_client, url, erring):
    page = ines_client.get(url)
    assert (page.status_code, "unscaled" in page.text) == (200, True)


def test_the_version_for_others_leaves_out_fewer_than_five(ines_client, url, right_attempt, erring):
    page = ines_client.get(url + OTHERS).text
    assert "Not enough data yet" in page
    assert "Facility" not in page
    asked = erring.items.filter(question__isnull=False).first().question_id
    assert ines_client.get(f"{url}of/q{asked}/{OTHERS}").status_code == 404


def test_files_leave_out_fewer_than_five_from_either_page(ines_client, url, right_attempt, erring):
    for query in ("", OTHERS):
        assert csv_rows(ines_client, url, "questions", query) == []


def test_one_version_leads_to_the_other_and_paper_says_for_whom_it_is(ines_client, url, two_crowds):
    page = Page(ines_client.get(url))
    assert page.all("a", href=OTHERS)
    assert "Only for those who teach this class" in page.text
    for_others = Page(ines_client.get(url + OTHERS))
    assert "Only for those who teach this class" not in for_others.text
    assert "nothing is shown about fewer than 5 students" in for_others.text
    assert "nothing is shown about fewer than 5 students" not in page.text


@pytest.mark.service
def test_questions_have_facility_discrimination_and_omission(ines_client, url, two_crowds, erring):
    rows = csv_rows(ines_client, url, "questions")
    scaled = line(rows, "Scaling a row")
    assert scaled["Asked"] == "21"
    earned = (12 + 9 * points_of(erring)) / 21
    assert float(scaled["Facility"]) == pytest.approx(earned, abs=1e-4)
    assert float(scaled["Left blank"]) == 0
    assert float(scaled["Discrimination"]) == pytest.approx(1)
    softmax = [row for row in rows if row["Question"].startswith("Softmax of a row")]
    assert [float(row["Left blank"]) for row in softmax] == [pytest.approx(9 / 21, abs=1e-4)] * 2


def test_mistakes_are_named_with_their_share_and_what_they_cost(
    ines_client, url, two_crowds, erring
):
    [scaled] = [
        row for row in csv_rows(ines_client, url, "mistakes") if row["Mistake"] == "unscaled"
    ]
    assert scaled["Students"] == "9"
    lost = 9 * (1 - points_of(erring))
    assert float(scaled["Points lost"]) == pytest.approx(lost, abs=1e-3)
    assert float(scaled["Share"]) == pytest.approx(9 / 21, abs=1e-4)
    assert "unscaled" in ines_client.get(url).text
    assert scaled["Feedback"]


def test_the_page_of_a_question_shows_a_problem_that_nobody_was_given(ines_client, url, two_crowds):
    [link] = set(re.findall(r'href="([^"]+/of/k[^"]+)">Scaling a row', ines_client.get(url).text))
    assert (
        missing_in(Page(ines_client.get(link)).text, "made for this page", "By this mistake") == []
    )
    assert Item.objects.filter(variant__seed="made up").count() == 0
    assert not Variant.objects.filter(seed="made up").exists()


def elsewhere(client, url):
    [link] = set(re.findall(r'href="([^"]+/of/k[^"]+)">Scaling a row', client.get(url).text))
    found = re.search(r"Facility elsewhere</dt><dd>(.+?)</dd>", client.get(link).text, re.DOTALL)
    return found and re.sub(r"\s*<[^>]+>\s*", " ", found[1]).split()


def test_all_other_classes_get_one_figure_from_five_people_in_steps_of_five(
    ines_client, url, two_crowds, right_attempt, erring, other_course
):
    copy_attempt_to_students(other_course, right_attempt, 4)
    assert elsewhere(ines_client, url) is None
    copy_attempt_to_students(other_course, right_attempt, 1, called="More")
    assert elsewhere(ines_client, url) == ["100", "%", "5", "people"]
    copy_attempt_to_students(other_course, erring, 4)
    assert elsewhere(ines_client, url) == ["100", "%", "5", "people"]
    copy_attempt_to_students(other_course, erring, 1, called="More")
    assert elsewhere(ines_client, url)[2:] == ["10", "people"]
    assert elsewhere(ines_client, url)[0] != "100"


def test_a_concept_question_shows_the_choices_that_enough_chose(
    ines_client, url, two_crowds, erring
):
    [item, *_others] = erring.items.filter(question__isnull=False)
    chosen = item.answers.get().raw["answer"]
    [other, *_more] = {"b", "c", "d"} - {chosen}
    page = ines_client.get(f"{url}of/q{item.question_id}/").text
    assert missing_in(page, "Wrong choices", f"Choice {chosen} of") == []
    assert f"Choice {other} of" not in page


def test_each_chart_has_a_table_and_a_file(ines_client, url, two_crowds):
    page = Page(ines_client.get(url))
    assert (len(page.all("svg", role="img")), page.text.count("As a table")) == (2, 2)
    scores = csv_rows(ines_client, url, "scores")
    assert sum(int(row["Students"] or 0) for row in scores) == 21
    assert csv_rows(ines_client, url, "times")
    assert ines_client.get(f"{url}other.csv").status_code == 404


# Students and attempts


def test_first_attempts_or_those_that_count(
    ines_client, url, assignment, two_crowds, right_attempt, erring
):
    again = start_assignment(assignment, right_attempt.student)
    Sitting.objects.filter(pk=assignment.sitting_id).update(counts="last")
    answer_everything(again, wrong_fields)
    submit_and_mark(again)
    counted = line(csv_rows(ines_client, url, "questions"), "Scaling a row")
    first = line(csv_rows(ines_client, url, "questions", "?attempts=first"), "Scaling a row")
    earned = 12 + 9 * points_of(erring)
    assert float(first["Facility"]) == pytest.approx(earned / 21, abs=1e-4)
    assert float(counted["Facility"]) == pytest.approx((earned - 1) / 21, abs=1e-4)
    # One wrong answer has no named mistake; its count would follow from those of the named ones.
    assert [row for row in csv_rows(ines_client, url, "mistakes", "?attempts=first")
            if row["Mistake"] == "unscaled"]  # fmt: skip
    assert "unscaled" not in ines_client.get(url + OTHERS).text
    assert "Each student's first attempt" in ines_client.get(f"{url}?attempts=first").text
    assert "that counts for each student (the last attempt)" in ines_client.get(url).text


def test_practice_and_what_is_not_marked_count_nowhere(
    ines_client, url, assignment, two_crowds, add_member
):
    start_assignment(assignment, add_member("Wendy").user)
    Attempt.objects.filter(pk=two_crowds[0].pk).update(mode="practice", sitting=None, deadline=None)
    assert line(csv_rows(ines_client, url, "questions"), "Scaling a row")["Asked"] == "20"


def test_the_latest_grade_counts(ines_client, url, two_crowds):
    # Some of its cells may be right by chance and earn their share.
    wrong = Grade.objects.filter(
        answer__item__position=SCALED, answer__item__attempt__in=two_crowds
    ).exclude(verdict="right")
    for grade in wrong:
        [step] = grade.steps
        grade.steps = [step | {"verdict": "right", "mistake": "", "points": "1"}]
        grade.pk, grade.revision, grade.points, grade.verdict = None, 2, 1, "right"
        grade.graded_at = timezone.now()
        grade.save()
    rows = csv_rows(ines_client, url, "mistakes")
    assert not [row for row in rows if row["Mistake"] == "unscaled"]


def test_a_place_that_came_to_ask_something_else_is_two_questions(
    ines_client, url, two_crowds, right_attempt
):
    other = Item.objects.get(attempt=right_attempt, position=SCALED + 1).variant
    changed = [attempt.pk for attempt in two_crowds[:7]]
    Item.objects.filter(attempt__in=changed, position=SCALED).update(variant=other)
    rows = csv_rows(ines_client, url, "questions")
    assert line(rows, "Scaling a row")["Asked"] == "14"
    slots = Item.objects.filter(attempt__in=changed, position=SCALED).values("slot").distinct()
    assert slots.count() == 1
    # A topic that was asked twice is told apart by the occurrence.
    assert [row["Asked"] for row in rows if "tokens 2" in row["Question"]] == ["21", "7"]


@pytest.mark.service
def test_it_asks_as_often_for_many_as_for_few(ines_client, url, course, right_attempt, erring):
    def asked():
        with CaptureQueriesContext(connection) as queries:
            assert ines_client.get(url).status_code == 200
        return len(queries)

    copy_attempt_to_students(course, right_attempt, 6)
    asked()
    few = asked()
    copy_attempt_to_students(course, erring, 60)
    assert asked() == few <= 12


# Access


def test_who_has_a_section_reads_the_figures_of_that_alone(log_in, url, two_crowds, add_member):
    client = log_in(add_member("Abe", role="assistant", section="B").user)
    assert line(csv_rows(client, url, "questions"), "Scaling a row")["Asked"] == "9"
    client = log_in(add_member("Bea", role="assistant", section="C").user)
    assert "Not enough data yet" in client.get(url).text


def test_figures_of_another_class_are_not_there(ines_client, course, other_course, quiz):
    elsewhere = make_assignment(other_course, quiz)
    for address in ("", "questions.csv", "of/q1/"):
        path = f"/teach/{course.pk}/quizzes/{elsewhere.pk}/figures/{address}"
        assert ines_client.get(path).status_code == 404
