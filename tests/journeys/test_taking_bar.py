"""The bar above a question, and the parts that stay in sight while it is worked through."""

import pytest
from playwright.sync_api import Page, expect

from .conftest import palette_part, question_at, start_quiz, wait_until_saved

LONG = "/quizzes/one-word-two-contexts/"


@pytest.mark.parametrize("size", [(390, 844), (1280, 800)])
def test_one_bar_is_above_a_question(student_page: Page, size: tuple[int, int]) -> None:
    student_page.set_viewport_size({"width": size[0], "height": size[1]})
    start_quiz(student_page, LONG)
    assert student_page.locator(".bar").bounding_box()["height"] == 56
    assert student_page.locator(".statement:visible").bounding_box()["y"] <= 130


def test_on_the_narrowest_phone_the_bar_is_one_row_and_nothing_breaks_or_is_cut(
    attempt_page: Page,
) -> None:
    attempt_page.set_viewport_size({"width": 320, "height": 640})
    item = question_at(attempt_page, "[data-family=softmax_row]")
    item.get_by_role("textbox").first.fill("0.123")
    wait_until_saved(attempt_page)
    assert attempt_page.locator(".bar").bounding_box()["height"] == 56
    assert item.locator(".unit").evaluate_all(
        "all => all.map((e) => e.getClientRects().length)"
    ) == [1, 1]
    assert (
        item.locator(".answer .matrix-scroll").evaluate("e => e.scrollWidth - e.clientWidth") == 0
    )


def test_a_single_box_stands_below_the_start_of_its_label(attempt_page: Page) -> None:
    item = question_at(attempt_page, "[data-family=cosine]")
    left = item.get_by_role("textbox").bounding_box()["x"]
    assert left == pytest.approx(item.locator(".answer caption").bounding_box()["x"], abs=1)


def test_the_cell_in_hand_lights_the_numbers_that_make_it(attempt_page: Page) -> None:
    item = question_at(attempt_page, "[data-family=score_matrix]")
    item.get_by_role("textbox", name="row").nth(1).focus()  # first row, second column
    lit = item.locator(".is-source")
    first = item.locator("[data-given=Q] tbody tr").nth(0).locator("td.cell")
    second = item.locator("[data-given=K] tbody tr").nth(1).locator("td.cell")
    numbers = [*first.all_inner_texts(), *second.all_inner_texts()]
    assert lit.all_inner_texts() == numbers
    item.get_by_role("heading").focus()
    expect(lit).to_have_count(0)


def test_the_cell_with_the_focus_lights_its_labels_wherever_the_pointer_rests(
    attempt_page: Page,
) -> None:
    item = question_at(attempt_page, "[data-family=score_matrix]")
    cells = item.get_by_role("textbox", name="row")
    labels = item.locator(".answer tbody th")
    colour = "label => getComputedStyle(label).getPropertyValue('--lit-label')"
    cells.last.focus()
    cells.first.hover()
    assert labels.last.evaluate(colour)
    assert not labels.first.evaluate(colour)


def test_the_main_button_leads_on_and_at_the_end_it_submits(attempt_page: Page) -> None:
    main = attempt_page.locator(".steps .button-primary:visible")
    expect(main).to_have_text("Next")
    expect(attempt_page.locator(".steps [name=review]")).to_be_hidden()
    palette_part(attempt_page, "[data-palette='15']").click()
    expect(main).to_have_text("Review and submit")
    main.click()
    attempt_page.get_by_role("link", name="Back to question 15").click()
    expect(attempt_page.get_by_role("heading", name="Question 15")).to_be_visible()


def test_one_leaves_by_the_bar_once_everything_is_saved(attempt_page: Page) -> None:
    attempt_page.set_viewport_size({"width": 390, "height": 844})
    cell = question_at(attempt_page, "[data-family=cosine]").get_by_role("textbox")
    attempt_page.context.set_offline(True)
    cell.fill("0.5")
    leave = attempt_page.get_by_role("button", name="Leave", exact=True)
    leave.click()
    expect(attempt_page.get_by_text("The clock keeps running")).to_be_visible()
    attempt_page.get_by_role("button", name="Save and leave").click()
    expect(attempt_page.get_by_role("alert")).to_contain_text("this page stays open")
    attempt_page.context.set_offline(False)
    wait_until_saved(attempt_page)
    leave.click()
    attempt_page.get_by_role("button", name="Save and leave").click()
    attempt_page.wait_for_url("**/learning/")
    attempt_page.get_by_role("link", name="Continue the quiz").click()
    cell = question_at(attempt_page, "[data-family=cosine]").get_by_role("textbox")
    expect(cell).to_have_value("0.5")


@pytest.mark.slow
def test_one_line_names_all_cells_with_the_same_note(attempt_page: Page) -> None:
    item = question_at(attempt_page, "[data-family=score_matrix]")
    cells = item.get_by_role("textbox")
    lines = item.locator(".matrix-notes li")
    for cell in cells.all():
        cell.fill("1.2.3")
    wait_until_saved(attempt_page)
    expect(lines).to_have_count(1)
    expect(lines.locator(".matrix-note-place")).to_have_count(cells.count())
    cells.first.fill("1")
    expect(lines.locator(".matrix-note-place")).to_have_count(cells.count() - 1)
    wait_until_saved(attempt_page)
    attempt_page.reload()
    cells.nth(1).fill("2")
    expect(lines.locator(".matrix-note-place")).to_have_count(cells.count() - 2)
    described = cells.last.get_attribute("aria-describedby")
    expect(attempt_page.locator(f"#{described}")).to_contain_text("This has two separators")
