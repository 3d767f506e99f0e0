"""The bar above a question, and the parts that stay in sight while it is worked through."""

import pytest
from playwright.sync_api import Page, expect

from .conftest import at, in_palette, saved, start

LONG = "/quizzes/one-word-two-contexts/"
SEVERAL = "[data-item]:has(.givens):has(.answer-row > :nth-child(2))"
PLACES = """() => {
  const here = document.activeElement;
  const fieldset = here.closest("fieldset");
  const box = (name) => document.querySelector(name).getBoundingClientRect();
  const givens = fieldset.querySelector(".givens").getBoundingClientRect();
  const { top, bottom } = here.getBoundingClientRect();
  return { bar: box(".bar").bottom, givens: [givens.top, givens.bottom], cell: [top, bottom] };
}"""


@pytest.mark.parametrize("size", [(390, 844), (1280, 800)])
def test_one_bar_is_above_a_question_and_the_givens_stay_below_it(
    student: Page, size: tuple[int, int]
) -> None:
    student.set_viewport_size({"width": size[0], "height": size[1]})
    start(student, LONG)
    assert student.locator(".bar").bounding_box()["height"] == 56
    assert student.locator(".statement:visible").bounding_box()["y"] <= 130
    cells = at(student, SEVERAL).get_by_role("textbox")
    for cell in [*cells.all(), *reversed(cells.all())]:
        cell.focus()
        where = student.evaluate(PLACES)
        top, bottom = where["givens"]
        assert bottom - top <= 0.4 * size[1]
        assert where["bar"] - 2 <= top
        assert bottom <= where["cell"][0] + 1
        assert where["cell"][1] <= size[1]


def test_the_cell_in_hand_lights_the_numbers_that_make_it(taking: Page) -> None:
    item = at(taking, "[data-family=score_matrix]")
    item.get_by_role("textbox", name="row").nth(1).focus()  # first row, second column
    lit = item.locator(".is-source")
    first = item.locator("[data-given=Q] tbody tr").nth(0).locator("td.cell")
    second = item.locator("[data-given=K] tbody tr").nth(1).locator("td.cell")
    numbers = [*first.all_inner_texts(), *second.all_inner_texts()]
    assert lit.all_inner_texts() == numbers
    item.get_by_role("heading").focus()
    expect(lit).to_have_count(0)


def test_the_cell_with_the_focus_lights_its_labels_wherever_the_pointer_rests(taking: Page) -> None:
    item = at(taking, "[data-family=score_matrix]")
    cells = item.get_by_role("textbox", name="row")
    labels = item.locator(".answer tbody th")
    colour = "label => getComputedStyle(label).getPropertyValue('--lit-label')"
    cells.last.focus()
    cells.first.hover()
    assert labels.last.evaluate(colour)
    assert not labels.first.evaluate(colour)


def test_the_main_button_leads_on_and_at_the_end_it_submits(taking: Page) -> None:
    main = taking.locator(".steps .button-primary:visible")
    expect(main).to_have_text("Next")
    in_palette(taking, "[data-palette='15']").click()
    expect(main).to_have_text("Review and submit")
    main.click()
    taking.get_by_role("link", name="Back to question 15").click()
    expect(taking.get_by_role("heading", name="Question 15")).to_be_visible()


@pytest.mark.slow
def test_one_line_names_all_cells_with_the_same_note(taking: Page) -> None:
    item = at(taking, "[data-family=score_matrix]")
    cells = item.get_by_role("textbox")
    lines = item.locator(".matrix-notes li")
    for cell in cells.all():
        cell.fill("1.2.3")
    saved(taking)
    expect(lines).to_have_count(1)
    expect(lines.locator(".matrix-note-place")).to_have_count(cells.count())
    cells.first.fill("1")
    expect(lines.locator(".matrix-note-place")).to_have_count(cells.count() - 1)
    saved(taking)
    taking.reload()
    cells.nth(1).fill("2")
    expect(lines.locator(".matrix-note-place")).to_have_count(cells.count() - 2)
    described = cells.last.get_attribute("aria-describedby")
    expect(taking.locator(f"#{described}")).to_contain_text("This has two separators")
