"""Figures of an assignment: students, slots, questions, mistakes, what stands out, readers."""

import csv
import io
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from quizzes.analysis.choices import choice_counts
from quizzes.models import Attempt, Grade, Item, Sitting, Variant
from tests.fixtures import SOME, WHOLE
from tests.quizzes.reading import Page
from tests.world import (
    answer_everything,
    copy_attempt_to_students,
    found_in,
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


@pytest.fixture
def asked(two_crowds, right_attempt, erring):
    """An item of Eric's, whose concept question all 21 students were asked."""
    item = right_attempt.items.filter(question__isnull=False).first()
    Item.objects.filter(attempt__mode="graded", position=item.position).update(
        question=item.question_id, wording=item.wording_id
    )
    return erring.items.get(position=item.position)


def csv_rows(client, url, name, query=""):
    text = b"".join(client.get(f"{url}{name}.csv{query}").streaming_content).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def line(rows, title):
    [found] = [row for row in rows if next(iter(row.values())).startswith(title)]
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
    assert missing_in(page, f"{100 * earned:.0f}%", "unscaled") == []
    assert "hide their numbers to protect privacy" not in page
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


def test_with_four_students_all_is_for_teaching_and_nothing_to_share(
    ines_client, url, course, right_attempt, erring
):
    copy_attempt_to_students(course, erring, 2)
    page = ines_client.get(url).text
    assert missing_in(page, "25%", "unscaled", "For those who teach this class") == []
    shared = ines_client.get(url + OTHERS).text
    assert missing_in(shared, "Not enough data yet", "To share or print:") == []
    assert found_in(shared, "25%", "unscaled") == []


def test_a_file_has_what_its_page_has_and_says_if_it_is_to_share(
    ines_client, url, right_attempt, erring
):
    assert line(csv_rows(ines_client, url, "slots"), "Scaling a row")["Asked"] == "2"
    assert csv_rows(ines_client, url, "slots", OTHERS) == []
    disposition = ines_client.get(f"{url}slots.csv{OTHERS}")["Content-Disposition"]
    assert "to-share" in disposition
    assert "to-share" not in ines_client.get(f"{url}slots.csv")["Content-Disposition"]


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
    assert missing_in(Page(ines_client.get(link)).text, "for this page", "By this mistake") == []
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
    assert elsewhere(ines_client, url) == ["100%", "5", "people"]
    copy_attempt_to_students(other_course, erring, 4)
    assert elsewhere(ines_client, url) == ["100%", "5", "people"]
    copy_attempt_to_students(other_course, erring, 1, called="More")
    assert elsewhere(ines_client, url)[1:] == ["10", "people"]
    assert elsewhere(ines_client, url)[0] != "100"


def test_a_concept_question_shows_who_chose_what_with_the_right_answer_marked(
    ines_client, url, asked
):
    chosen = asked.answers.get().raw["answer"]
    rows = choice_rows(ines_client.get(f"{url}of/q{asked.question_id}/").text)
    assert rows["a"][:2] == ["12", "57%"]
    assert "right answer" in rows["a"][-1]
    assert rows[chosen] == ["9", "43%", "0%", "100%", ""]
    assert [rows[key][0] for key in {"b", "c", "d"} - {chosen}] == ["0", "0"]
    shared = choice_rows(ines_client.get(f"{url}of/q{asked.question_id}/{OTHERS}").text)
    assert shared[chosen][:2] == ["9", "43%"]
    assert "third" not in ines_client.get(f"{url}of/q{asked.question_id}/{OTHERS}").text


def test_the_page_of_a_question_counts_no_other_question_s_choices(
    ines_client, url, asked, monkeypatch
):
    Grade.objects.filter(answer__item__question__isnull=False).update(points=0, verdict="blank")
    counted = []

    def count(answers, offered, *rest):
        counted.append(answers)
        return choice_counts(answers, offered, *rest)

    monkeypatch.setattr("classes.analysis.presenters.choice_counts", count)
    page = ines_client.get(f"{url}of/q{asked.question_id}/").text
    assert "What to do" in page
    assert len(counted) == 1
    ines_client.get(url)
    assert len(counted) > 2


def choice_rows(html):
    """Return the figures of each choice, and last its note, by its key."""
    found = {}
    for row in re.findall(r"<tr[^>]*><th scope=\"row\">Choice (.*?)</tr>", html, re.DOTALL):
        cells = re.findall(r'<td class="number">(.*?)</td>', row)
        note = re.search(r'class="choice-note">(.*?)<', row)
        found[row[0]] = [re.sub(r"\s|&nbsp;|\xa0", " ", cell) for cell in cells]
        found[row[0]].append(note[1] if note else "")
    return found


# Slots


def test_a_slot_comes_first_with_its_questions_folded_below_it(
    ines_client, url, two_crowds, right_attempt, erring
):
    other = Item.objects.get(attempt=right_attempt, position=SCALED + 1).variant
    changed = [attempt.pk for attempt in two_crowds[:7]]
    Item.objects.filter(attempt__in=changed, position=SCALED).update(variant=other)
    html = ines_client.get(url).text
    bodies = [each.split("<tr")[1:] for each in re.findall(r"<tbody>.*?</tbody>", html, re.DOTALL)]
    [slot] = [rows for rows in bodies if "Scaling a row of scores / Softmax of a row" in rows[0]]
    assert ["slot-part" in row.partition(">")[0] for row in slot] == [False, True, True]
    assert missing_in(slot[1], "Scaling a row of scores</a>", ">14<") == []
    assert missing_in(slot[2], "Softmax of a row: tokens 2</a>", ">7<") == []
    slots = csv_rows(ines_client, url, "slots")
    assert [row["Asked"] for row in slots] == ["21"] * len(slots)


# What to look at first


def test_what_stands_out_comes_first_with_what_to_do_and_a_link_to_it(
    ines_client, log_in, add_member, url, asked, assignment
):
    Grade.objects.filter(answer__item__question=asked.question_id).update(points=0, verdict="blank")
    page = ines_client.get(url).text
    first = page.partition("Look at these first")[2].partition("</section>")[0]
    assert missing_in(first, "Facility 0%", "Left blank 100%", "21 students") == []
    regrade = f"sitting={assignment.sitting_id}&amp;of=question-{asked.question_id}&amp;kind=key"
    [address] = [each for each in re.findall('href="([^"]+)"', first) if regrade in each]
    assert ines_client.get(address.replace("&amp;", "&")).status_code == 200
    assert found_in(page[: page.index("Scores and times")], "Softmax") == []
    shared = ines_client.get(url + OTHERS).text
    assert missing_in(shared, "Facility 0%") == []
    assert regrade not in shared
    assistant = log_in(add_member("Abe", role="assistant").user)
    assert regrade not in assistant.get(url).text


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
    assert "Each student’s first attempt" in ines_client.get(f"{url}?attempts=first").text
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
    assert [row["Students"] for row in rows if row["Mistake"] == "unscaled"] == ["1"]


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
