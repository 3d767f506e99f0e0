"""The form of all questions, without a script and for programs."""

import json
import re

import pytest

from attention_core.grading.parse import MAX_LENGTH
from quizzes.items.presenters.arrangement import arrange_steps
from quizzes.models import Answer, Sitting, Submission, Variant
from quizzes.problems.answers import fields_of
from tests.each import each
from tests.fixtures import SOME, WHOLE
from tests.quizzes.reading import Page
from tests.world import (
    answer_everything,
    item_at,
    let_time_run_out,
    missing_in,
    refresh,
    right_fields,
    save_answer,
)

pytestmark = pytest.mark.usefixtures("as_student")

ASKS = [*SOME[:4], WHOLE[10], *SOME[4:]]
SOFTMAX = 3  # two tokens
CAUSAL = 4
CONCEPT = 6


def post(client, url, changes, button="save"):
    """Press a button of the form as a browser without scripts does."""
    return client.post(url, Page(client.get(url)).values("attempt") | changes | {button: ""})


# Markup that other programs rely on


def test_its_fieldsets_have_their_kinds_and_enter_presses_nothing(client, attempt, url):
    page = Page(client.get(url))
    items = page.all("fieldset", inside="attempt")
    assert [each["data-item"] for each in items] == [str(n) for n in range(1, 8)]
    assert items[SOFTMAX - 1]["data-kind"] == "numeric"
    assert items[SOFTMAX - 1]["data-family"] == "softmax_row"
    assert items[CONCEPT - 1]["data-kind"] == "choice"
    assert "data-family" not in items[CONCEPT - 1]
    first, *_ = page.all("button", inside="attempt")
    assert "disabled" in first


def test_givens_are_tables_and_data_that_carry_their_values(client, attempt, url):
    page = Page(client.get(url))
    for position in range(1, 6):
        each = item_at(attempt, position)
        givens = {given["key"]: each.variant.givens[given["key"]] for given in each.shown["givens"]}
        for key, given in givens.items():
            if isinstance(given, list):
                (table,) = page.all("table", inside=f"item-{position}", data_given=key)
                assert table
            else:
                (scalar,) = page.all("data", inside=f"item-{position}", data_given=key)
                assert float(scalar["value"]) == given
        values = [
            float(cell["data-value"])
            for cell in page.all("td", inside=f"item-{position}")
            if "data-value" in cell and "is-fixed" not in cell["class"]
        ]
        arrays = [given for given in givens.values() if isinstance(given, list)]
        assert values == [float(value) for value in flat(arrays)]


def flat(nested):
    for part in nested:
        yield from flat(part) if isinstance(part, list) else [part]


def test_inputs_are_named_and_labelled_by_position_step_row_and_column(client, attempt, url):
    page = Page(client.get(url))
    for item in attempt.items.all():
        names = {
            found["name"]
            for found in page.all("input", inside=f"item-{item.position}")
            if found["type"] != "hidden"
        }
        assert names == {f"item-{item.position}-{field}" for field in fields_of(item.shown)}
    assert page.all("input", name="item-3-weights-0-1", type="text")
    assert page.all("input", name="item-1-cosine-0-0", type="text")
    assert len(page.all("input", name=f"item-{CONCEPT}-answer-choice", type="radio")) == 4
    labelled = {label["for"] for label in page.all("label", inside="attempt")}
    typed = [each for each in page.all("input", "attempt") if each["type"] in ("text", "radio")]
    assert {found["id"] for found in typed + page.all("textarea", inside="attempt")} == labelled
    rows, columns = item_at(attempt, CAUSAL).shown["steps"][0]["labels"]
    assert f"row {rows[1]}, column {columns[0]}" in page.text


def test_fixed_cells_are_filled_in_and_no_other_takes_more_than_is_read(client, attempt, url):
    """Whole pages pasted into cells would make a save too large to send."""
    page = Page(client.get(url))
    fixed = page.all("td", inside=f"item-{CAUSAL}", **{"class": "cell is-fixed"})
    assert sorted(cell["data-value"] for cell in fixed) == ["0", "0", "0", "1"]
    assert not page.all("input", name="item-4-weights-0-0")
    assert page.all("input", name="item-4-weights-1-0")
    typed = page.all("input", type="text", inside="attempt")
    # One character more than is read, so that the student gets an error for a longer text.
    assert {found["maxlength"] for found in typed} == {str(MAX_LENGTH + 1)}


def test_steps_stand_in_numbered_rows(client, attempt, url):
    found = Page(client.get(url))
    for position in range(1, 6):
        shown, inside = item_at(attempt, position).shown, f"item-{position}"
        steps = shown["steps"]
        rows = found.all("div", inside=inside, **{"class": "answer-row"})
        numbers = found.all("span", inside=inside, **{"class": "step-number"})
        assert len(rows) == len(arrange_steps(steps))
        assert len(numbers) == (len(steps) if len(steps) > 1 else 0)


@each("release", Sitting.Release)
def test_inputs_of_a_cell_are_shown_if_results_come_at_once_and_in_no_exam(
    client, attempt, url, release
):
    Sitting.objects.update(release=release)
    described = [each for each in Page(client.get(url)).all("fieldset") if "data-lights" in each]
    assert bool(described) == (release == Sitting.Release.AT_ONCE)


def test_nothing_in_the_page_tells_the_answers(client, attempt, url):
    answer_everything(attempt, fields=lambda item_at: {})
    answer = client.get(url)
    html = answer.text + json.dumps(dict(answer.headers))
    for variant in Variant.objects.filter(items__attempt=attempt):
        assert variant.seed not in html
        for value in flat(list(variant.solution.values())):
            # Whole numbers and tenths may be givens.
            if abs(value * 100 - round(value * 100)) > 0.05:
                # Widths in formulas (em) and seconds of dates are numbers too.
                assert not re.search(rf"(?<!\d){abs(value):.3f}(?!\d*em)", html)
    for item in attempt.items.filter(question__isnull=False):
        for choice in item.shown["choices"]:
            assert choice["feedback"] not in html
        assert item.shown["explanation"] not in html
    html = html[html.index('<form method="post" action="/attempts/') :]
    for word in ("tolerance", "correct", "solution", "seed", "mistake"):
        assert not re.search(rf"\b{word}", html, re.IGNORECASE)


def opened_at(page):
    """Return the positions that a page opens at, and those whose headings get the focus."""
    start = [int(each["data-item"]) for each in page.all("fieldset") if "data-start" in each]
    heads = [within[-2] for _tag, each, within in page.tags if "autofocus" in each]
    return start, heads


def test_it_opens_at_the_first_question_that_is_not_answered(client, attempt, url):
    assert opened_at(Page(client.get(url))) == ([1], [])
    for position in (1, 2, 4):
        save_answer(item_at(attempt, position), right_fields(item_at(attempt, position)))
    save_answer(item_at(attempt, SOFTMAX), {"weights-0-0": "0.5"})
    assert opened_at(Page(client.get(url))) == ([3], ["item-3"])
    assert "3 of 7" in Page(client.get(url)).text
    answer_everything(attempt)
    assert opened_at(Page(client.get(url))) == ([1], [])


def test_after_a_refusal_it_opens_at_the_top_where_that_is_said(client, attempt, url):
    old = Page(client.get(url)).values("attempt")
    client.post(url, old | {"item-1-cosine-0-0": "1", "item-3-weights-0-0": "new"})
    refused = client.post(url, old | {"item-3-weights-0-0": "old"})
    assert opened_at(Page(refused)) == ([1], [])


# Saving by the form


def test_a_flag_button_saves_and_flags_and_pressed_again_takes_the_flag_away(client, attempt, url):
    assert post(client, url, {"item-3-weights-0-0": "1", "flag": "3 on"}).url == f"{url}#item-3"
    assert item_at(attempt, SOFTMAX).flagged
    assert item_at(attempt, SOFTMAX).draft["weights-0-0"] == "1"
    (square,) = Page(client.get(url)).all("a", data_palette="3")
    assert "data-flagged" in square
    (button,) = Page(client.get(url)).all("button", inside="item-3", name="flag")
    assert (button["value"], button["aria-pressed"]) == ("3 off", "true")
    post(client, url, {"flag": "3 off"})
    assert not item_at(attempt, SOFTMAX).flagged


@each("pressed", ["", "3", "99 on", "3 maybe", "３ on", "9" * 5000])
def test_a_flag_that_makes_no_sense_changes_nothing(client, attempt, url, pressed):
    assert post(client, url, {"flag": pressed}).status_code == 302
    assert not attempt.items.filter(flagged=True).exists()


def test_saving_keeps_what_was_typed_and_shows_it_again(client, attempt, url):
    answer = post(client, url, {"item-3-weights-0-0": " 0,5", f"item-{CONCEPT}-answer-choice": "b"})
    assert (answer.status_code, answer.url) == (302, url)
    assert item_at(attempt, SOFTMAX).draft["weights-0-0"] == " 0,5"
    page = Page(client.get(url))
    assert page.all("input", name="item-3-weights-0-0", value=" 0,5")
    (chosen,) = [each for each in page.all("input", type="radio") if "checked" in each]
    assert chosen["value"] == "b"
    assert "read as 0.5" in page.text


def test_an_unreadable_number_gets_an_error_beside_its_cell(client, attempt, url):
    post(client, url, {"item-3-weights-0-0": "1.234,5"})
    page = Page(client.get(url))
    (cell,) = page.all("input", name="item-3-weights-0-0")
    assert cell["aria-invalid"] == "true"
    assert page.all("li", id=cell["aria-describedby"])
    assert "This has two separators" in page.text
    post(client, url, {"item-3-weights-0-1": "1,234.5"})
    page = Page(client.get(url))
    # One sentence covers both cells.
    assert page.text.count("This has two separators") == 1
    described = [each["aria-describedby"] for each in page.all("input", aria_invalid="true")]
    assert len(described) == 2
    assert len(page.all("li", id=described[0])) == len(set(described)) == 1
    (square,) = page.all("a", data_palette="3")
    assert square["data-state"] == "unreadable"


def test_the_same_form_twice_is_one_save_and_of_what_was_changed_alone(client, attempt, url):
    values = Page(client.get(url)).values("attempt") | {"item-3-weights-0-0": "1"}
    assert [client.post(url, values).status_code for _ in range(2)] == [302, 302]
    post(client, url, {"item-1-cosine-0-0": "1"})
    assert (item_at(attempt, SOFTMAX).revision, item_at(attempt, 1).revision) == (1, 1)


def test_a_page_that_was_gone_back_to_never_wins_silently(client, attempt, url):
    old = Page(client.get(url)).values("attempt")
    client.post(url, old | {"item-3-weights-0-0": "new"})
    refused = client.post(url, old | {"item-3-weights-0-0": "old"})
    assert refused.status_code == 409
    assert item_at(attempt, SOFTMAX).draft["weights-0-0"] == "new"
    page = Page(refused)
    assert page.all("input", name="item-3-weights-0-0", value="old")
    assert "Saved from there" in page.text
    # Saving again is the choice to keep it.
    assert client.post(url, page.values("attempt")).status_code == 302
    assert item_at(attempt, SOFTMAX).draft["weights-0-0"] == "old"


@each("revision", ["", "x", "-1", "9" * 5000, "１"])
def test_a_bad_revision_saves_nothing_and_breaks_nothing(client, attempt, url, revision):
    changes = {"item-3-weights-0-0": "1", "item-3-revision": revision}
    assert post(client, url, changes).status_code == 302
    assert item_at(attempt, SOFTMAX).draft == {}


def test_form_fields_that_belong_to_nobody_are_ignored(client, attempt, url):
    foreign = {"score": "15", "student": "1", "deadline": "2099-01-01", "item-3-points": "9"}
    post(client, url, foreign)
    assert refresh(attempt).score is None
    assert item_at(attempt, SOFTMAX).draft == {}


def test_leaving_saves_and_leads_home(client, attempt, url):
    assert post(client, url, {"item-3-weights-0-0": "1"}, button="leave").url == "/learning/"
    assert item_at(attempt, SOFTMAX).draft["weights-0-0"] == "1"
    old = Page(client.get(url)).values("attempt") | {"item-3-revision": "0", "leave": ""}
    assert client.post(url, old | {"item-3-weights-0-0": "2"}).status_code == 409


# The summary, and submitting


def test_review_saves_and_lists_what_is_open_with_links(client, attempt, url):
    answer_everything(attempt)
    values = {"item-3-weights-0-0": "x", "item-4-weights-1-0": ""}
    answer = post(client, url, values, button="review")
    assert answer.url == f"{url}submit/"
    page = Page(client.get(answer.url))
    message = ("5 of 7 questions are answered", "1 question has an entry that can’t be read")
    message += ("Question 3 can’t be read", "Question 4 partly answered", "1 question has blanks")
    assert missing_in(page.text, *message) == []
    # Both where they are told of and in the list.
    assert [len(page.all("a", href=f"{url}#item-{place}")) for place in (2, 3, 4)] == [1, 2, 2]
    assert not Submission.objects.exists()


def test_the_summary_links_what_is_flagged_and_where_one_came_from(client, attempt, url):
    attempt.items.filter(position=4).update(flagged=True)
    page = Page(client.get(f"{url}submit/"))
    assert "Question 4 not answered flagged" in page.text
    assert page.all("a", href=f"{url}#item-4")
    for asked, words, href in (("4", "question 4", "#item-4"), ("99", "the questions", "")):
        page = Page(client.get(f"{url}submit/?from={asked}"))
        assert f"Back to {words}" in page.text
        assert page.all("a", href=f"{url}{href}", **{"class": "button"})


def test_submitting_twice_freezes_the_answers_once_and_leads_to_the_results(client, attempt, url):
    answer_everything(attempt)
    assert [client.post(f"{url}submit/").url for _ in range(2)] == [f"{url}results/"] * 2
    assert (Submission.objects.count(), Answer.objects.count()) == (1, 7)
    assert client.get(url).url == f"{url}results/"
    assert client.get(f"{url}submit/").url == f"{url}results/"


def test_a_submit_may_carry_the_whole_form(client, attempt, url):
    values = Page(client.get(url)).values("attempt")
    right = right_fields(item_at(attempt, SOFTMAX))
    values |= {f"item-3-{field}": text for field, text in right.items()}
    client.post(f"{url}submit/", values)
    assert Answer.objects.get(item__position=3).raw["weights"] == list(right.values())


def test_saving_after_submitting_changes_nothing(client, attempt, url):
    values = Page(client.get(url)).values("attempt")
    client.post(f"{url}submit/")
    assert client.post(url, values | {"item-3-weights-0-0": "late"}).url == f"{url}results/"
    assert Answer.objects.get(item__position=3).raw["weights"] == ["", ""]


def test_an_attempt_whose_time_is_up_is_handed_in_by_whoever_comes_by(client, attempt, url):
    save_answer(item_at(attempt, SOFTMAX), {"weights-0-0": "in time"})
    let_time_run_out(attempt)
    assert client.get(url).url == f"{url}results/"
    assert refresh(attempt).closed_by_clock
    assert Answer.objects.get(item__position=3).raw["weights"] == ["in time", ""]


# Speed and safety


def test_the_page_costs_few_queries_and_is_never_kept_by_a_cache(
    client, attempt, url, django_assert_max_num_queries
):
    with django_assert_max_num_queries(6):
        answer = client.get(url)
    assert "no-store" in answer.headers["Cache-Control"]


def test_a_program_that_keeps_no_revisions_may_submit_too(client, attempt, url):
    client.post(url + "submit/", {"item-3-weights-0-0": "0.5"})
    assert attempt.items.get(position=3).draft == {"weights-0-0": "0.5"}
