"""The exercise at the end of a section: asked on three rungs, marked at once, never stored."""

import re
from datetime import timedelta

import pytest
from django.core import signing
from django.test import Client

import attention_core
from accounts.personal import export_personal_data
from attention_core.variety import is_kept_for_exams
from lessons.models import Lesson, LessonShare, Reading, Rung, Section
from quizzes import problems
from quizzes.models import Answer, Attempt, Item, Variant, Wording
from quizzes.practice import exercises
from quizzes.practice.exercises import exercise_of
from quizzes.problems.answers import cell_fields, flatten, input_name
from sharing.services import add_owner
from tests.each import each
from tests.quizzes.reading import Page
from tests.world import make_lesson

RUNGS = tuple(Rung)
SENTENCE = "Those numbers aren’t used here any more, so here are others."


pytestmark = pytest.mark.usefixtures("no_counts_of_others")


@pytest.fixture
def lesson(db):
    made = make_lesson("one", "scores", "softmax", "words", order=1)
    made.sections.filter(slug="scores").update(families="dot_score, scale_row")
    made.sections.filter(slug="softmax").update(families="softmax_row")
    return made


def section_of(lesson, slug="scores"):
    return lesson.sections.get(slug=slug)


def asked(section, rung=Rung.EXAMPLE):
    return exercise_of(section.lesson.slug, section.slug, section.pk, section.families, rung)


def address(exercise):
    return f"/exercises/{exercise.lesson}/{exercise.section}/"


def typed(exercise, values=None):
    """Return a form with the solution, or with these values of some steps instead."""
    item = exercise.item()
    flat = flatten(item.asked, {**item.variant.solution, **(values or {})})
    cells = {
        input_name(item.position, cell.field): f"{flat[cell.field]:.3f}"
        for cell in cell_fields(item.asked)
    }
    return {"question": exercise.signature, **cells}


def mistaken(exercise):
    """Return a known mistake in the last step, and a form with it."""
    item = exercise.item()
    last = item.asked["steps"][-1]["key"]
    known = next(each for each in problems.mistakes_of(vars(item.variant)) if each.step == last)
    return known, typed(exercise, {last: known.values})


def inputs_of(page, section):
    return page.all("input", inside=f"exercise-{section.pk}", type="text")


def kinds_of(page, inside=None):
    return [
        each["data-family"] for each in page.all("fieldset", inside=inside, data_kind="numeric")
    ]


def question_of(page, section):
    (field,) = page.all("input", inside=f"exercise-{section.pk}", name="question")
    return asked(section).signed(field["value"])


def test_every_family_can_end_a_section_with_numbers_for_practice():
    for key in problems.family_keys():
        first = exercise_of("lesson", "section", 1, key, Rung.EXAMPLE)
        whole = problems.fingerprint_of(first.item().variant.givens)
        assert not is_kept_for_exams(
            attention_core.family(key), problems.smallest_sizes(key), whole
        ), key


def test_only_sections_that_teach_a_family_end_in_an_exercise_of_the_first(client, lesson):
    page = Page(client.get(lesson.get_absolute_url()))
    assert kinds_of(page) == ["dot_score", "softmax_row"]
    assert question_of(page, section_of(lesson)).rung == Rung.EXAMPLE


def test_a_lesson_is_the_same_to_the_letter_for_all_visitors_all_day(client, lesson):
    first = client.get(lesson.get_absolute_url())
    again = Client().get(lesson.get_absolute_url(), headers={"If-None-Match": first["ETag"]})
    assert (first.status_code, again.status_code) == (200, 304)
    assert not client.cookies
    _value, at, _signature = asked(section_of(lesson)).signature.split(":")
    assert signing.b62_decode(at) % 86_400 == 0


def test_the_example_has_its_single_numbers_in_the_statement_alone(client, lesson):
    lesson.sections.filter(slug="scores").update(families="score_variance")
    before, after = client.get(address(asked(section_of(lesson)))).text.split("</details>", 1)
    assert ("given-scalar" in before, "given-scalar" in after) == (False, True)


@pytest.mark.parametrize(
    ("rung", "has_example", "cells"), [(1, True, 1), (2, False, 1), (3, False, 2)]
)
def test_help_fades_from_rung_to_rung(client, lesson, rung, has_example, cells):
    section = section_of(lesson)
    page = Page(client.get(f"/exercises/one/scores/?rung={rung}"))
    assert bool(page.all("details", **{"class": "example"})) == has_example
    assert len(inputs_of(page, section)) == cells
    filled_in = page.all("td", **{"class": "cell is-fixed"})
    item = asked(section, rung).item()
    score = f"{item.variant.solution['score']:g}"
    assert [each["data-value"] for each in filled_in] == [score] * (2 - cells)


@pytest.mark.parametrize("rung", RUNGS)
def test_a_right_answer_is_marked_right_and_a_mistake_is_named(client, lesson, rung):
    exercise = asked(section_of(lesson), rung)
    page = Page(client.get(address(exercise), typed(exercise)))
    steps = page.all("div", **{"class": "reviewed-step"})
    assert [each["data-verdict"] for each in steps] == ["right"] * (2 if rung == 3 else 1)
    known, form = mistaken(exercise)
    page = Page(client.get(address(exercise), form))
    assert known.key in [each.get("data-mistake") for each in page.all("div")]
    assert [each["value"] for each in inputs_of(page, section_of(lesson))] == list(form.values())[
        1:
    ]


def test_nothing_is_stored_for_visitors(client, lesson):
    exercise = asked(section_of(lesson))
    client.get(address(exercise), typed(exercise))
    client.post(address(exercise), typed(exercise))
    rows = (Answer, Attempt, Item, Reading, Variant, Wording)
    assert [model.objects.count() for model in rows] == [0] * len(rows)


def test_other_numbers_are_others_on_the_same_rung_or_the_one_asked_for(client, lesson):
    section = section_of(lesson)
    exercise = asked(section, Rung.HOLE)
    page = Page(client.get(address(exercise), {"after": exercise.signature}))
    assert question_of(page, section) == exercise.with_other_numbers()
    page = Page(client.get(address(exercise), {"after": exercise.signature, "rung": "3"}))
    assert question_of(page, section) == exercise.with_other_numbers().on(Rung.ALONE)
    numbers = {asked(section).with_other_numbers().item().variant.fingerprint}
    assert asked(section).item().variant.fingerprint not in numbers


def test_a_right_answer_takes_a_student_up_and_nothing_takes_them_down(lesson, student):
    section = section_of(lesson)
    client = Client(enforce_csrf_checks=True)
    client.force_login(student)

    def post(exercise, form):
        page = Page(client.get(lesson.get_absolute_url()))
        token = page.all("input", name="csrfmiddlewaretoken")[0]["value"]
        return client.post(address(exercise), {**form, "csrfmiddlewaretoken": token})

    def rung():
        page = Page(client.get(lesson.get_absolute_url()))
        return question_of(page, section).rung

    first = asked(section)
    assert client.post(address(first), typed(first)).status_code == 403
    post(first, mistaken(first)[1])
    client.get(address(first), typed(first))
    assert rung() == Rung.EXAMPLE
    for after in (Rung.HOLE, Rung.ALONE, Rung.ALONE):
        post(asked(section, rung()), typed(asked(section, rung())))
        assert rung() == after
    post(first, typed(first))
    post(first, mistaken(first)[1])
    assert rung() == Rung.ALONE
    assert [each["rung"] for each in export_personal_data(student)["reading"]] == [Rung.ALONE]


@each(
    "asked_with",
    [
        {"question": ""},
        {"question": "nonsense"},
        {"question": "é\0" * 5000},
        {"after": "7"},
        {"rung": "9"},
        {"rung": "²"},
        {"rung": "3" * 5000},
    ],
)
def test_what_was_not_signed_for_this_section_gives_a_sentence_and_a_problem(
    client, lesson, monkeypatch, asked_with
):
    scores, softmax = section_of(lesson), section_of(lesson, "softmax")
    of_other = typed(asked(softmax))
    wrong_rung = typed(asked(scores))
    wrong_rung["question"] = re.sub("^[^:]+", "WzMsMF0", wrong_rung["question"])  # [3,0]
    for form in (asked_with, of_other, wrong_rung):
        answer = client.get("/exercises/one/scores/", form)
        page = Page(answer)
        assert (answer.status_code, SENTENCE in page.text) == (200, True), form
        assert question_of(page, scores).number == 0
        assert "data-verdict" not in answer.text
    form = typed(asked(scores))
    with monkeypatch.context() as later:
        later.setattr(exercises, "TIME_TO_ANSWER", timedelta(-2))
        assert SENTENCE in client.get("/exercises/one/scores/", form).text


def test_too_long_a_text_and_a_cell_left_out_are_explained(client, lesson):
    exercise = asked(section_of(lesson), Rung.ALONE)
    form = typed(exercise)
    *_others, last = form
    assert "A cell is still empty" in client.get(address(exercise), form | {last: " "}).text
    assert client.get(address(exercise), form | {last: "1" * 100_000}).status_code == 200


def test_many_answers_in_a_short_time_are_refused(client, lesson, settings):
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "try_question": "1/m/ip"}
    exercise = asked(section_of(lesson))
    answers = [client.get(address(exercise), typed(exercise)) for _ in range(2)]
    assert [each.status_code for each in answers] == [200, 429]
    assert "Too many answers" in answers[1].text


def test_a_family_that_is_gone_is_told_to_authors_and_asked_of_nobody(client, root, lesson):
    Section.objects.filter(slug="softmax").update(families="no_such_family")
    page = Page(client.get(lesson.get_absolute_url()))
    assert "no_such_family" not in page.html
    assert kinds_of(page) == ["dot_score"]
    assert client.get("/exercises/one/softmax/").status_code == 404
    client.force_login(root)
    assert "“no_such_family”" in client.get(lesson.get_absolute_url()).text


def test_a_drafts_exercise_is_for_its_authors_alone(client, lesson, student, root, ines):
    add_owner(row=lesson, user=root)
    Lesson.objects.update(published=False)
    for user, status in ((None, 404), (student, 404), (ines, 404), (root, 200)):
        if user:
            client.force_login(user)
        assert client.get("/exercises/one/scores/").status_code == status, user
    LessonShare.objects.all().delete()
    client.force_login(ines)
    assert client.get("/exercises/one/scores/").status_code == 200


def test_a_lesson_opens_with_the_last_short_exercises_of_those_before(client, lesson):
    later = make_lesson("two", "more", order=2)
    later.sections.update(families="cosine")
    page = Page(client.get(later.get_absolute_url()))
    assert kinds_of(page, inside="warm-up") == ["dot_score", "softmax_row"]
    assert {question_of(page, section_of(lesson)).rung} == {Rung.ALONE}
    assert "Warm up" not in client.get(lesson.get_absolute_url()).text
    later.sections.update(families="softmax_row")
    page = Page(client.get(later.get_absolute_url()))
    assert kinds_of(page, inside="warm-up") == ["dot_score"]
