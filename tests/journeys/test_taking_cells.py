"""Typing numbers: pasted tables, keys that move, and the keys that a phone's keypad lacks."""

import json

from playwright.sync_api import Browser, Locator, Page, expect

from tests.sites import Site

from .conftest import question_at, sign_up, start_quiz, wait_until_saved

PASTE = """(cell, text) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  const paste = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
  return cell.dispatchEvent(paste);
}"""


def paste(cell: Locator, text: str) -> bool:
    """Paste into a cell. Return whether the browser's own paste would go ahead."""
    cell.focus()
    return cell.evaluate(PASTE, text)


def typed_texts(item: Locator) -> list[str]:
    return [cell.input_value() for cell in item.get_by_role("textbox").all()]


def test_a_pasted_table_fills_cells_says_so_and_can_be_taken_back(attempt_page: Page) -> None:
    item = question_at(attempt_page, "[data-family=score_matrix]")
    cells = item.get_by_role("textbox").all()
    width = len(item.locator("table").last.locator("tbody tr").first.locator("td.cell").all())
    cells[0].fill("7")
    assert not paste(cells[0], "0,1\t0.2\n0.3\t0.4")
    line = item.locator("[data-pasted]")
    expect(line).to_contain_text("Filled 2 × 2 cells, starting at row ")
    assert [cells[i].input_value() for i in (0, 1, width, width + 1)] == [
        "0,1",
        "0.2",
        "0.3",
        "0.4",
    ]
    wait_until_saved(attempt_page)
    line.get_by_role("button", name="Undo").click()
    assert typed_texts(item) == ["7"] + [""] * (len(cells) - 1)
    expect(cells[0]).to_be_focused()
    wait_until_saved(attempt_page)


def test_taking_a_paste_back_leaves_what_was_typed_since(attempt_page: Page) -> None:
    item = question_at(attempt_page, "[data-family=score_matrix]")
    cells = item.get_by_role("textbox").all()
    paste(cells[0], "0.1\t0.2")
    cells[1].fill("0.9")
    item.get_by_role("button", name="Undo").click()
    assert typed_texts(item)[:2] == ["", "0.9"]


def test_the_keys_for_undo_take_back_pastes_and_typing_and_make_no_digits(
    attempt_page: Page,
) -> None:
    item = question_at(attempt_page, "[data-family=score_matrix]")
    cells = item.get_by_role("textbox").all()
    cells[0].press_sequentially("12")
    paste(cells[0], "0.1\t0.2")
    cells[1].press("End")
    cells[1].press_sequentially("5")
    steps = [["0.1", "0.2"], ["12", ""], ["", ""]]
    for step in steps:
        attempt_page.keyboard.press("Control+z")
        assert typed_texts(item)[:2] == step
    attempt_page.keyboard.press("Control+z")
    assert typed_texts(item)[:2] == ["", ""]
    for step in [*steps[1::-1], ["0.1", "0.25"]]:
        attempt_page.keyboard.press("Control+Shift+z")
        assert typed_texts(item)[:2] == step
    wait_until_saved(attempt_page)


def test_undo_from_a_menu_and_from_elsewhere_makes_no_digits(attempt_page: Page) -> None:
    item = question_at(attempt_page, "[data-family=score_matrix]")
    cells = item.get_by_role("textbox").all()
    cells[0].press_sequentially("12")
    paste(cells[0], "0.1\t0.2")
    browser = attempt_page.context.new_cdp_session(attempt_page)
    menu = {"type": "rawKeyDown", "key": "Unidentified", "commands": ["undo"]}
    browser.send("Input.dispatchKeyEvent", menu)
    assert typed_texts(item)[:2] == ["12", ""]
    attempt_page.get_by_role("button", name="Calculator").click()
    attempt_page.keyboard.press("Control+z")
    assert typed_texts(item)[:2] == ["12", ""]


def test_an_insertion_is_taken_back_too(attempt_page: Page) -> None:
    cell = question_at(attempt_page, "[data-family=cosine]").get_by_role("textbox")
    cell.press_sequentially("12")
    attempt_page.keyboard.press("Alt+c")
    for key in ("7", "Enter", "Enter"):
        attempt_page.keyboard.press(key)
    expect(cell).to_have_value("7")
    attempt_page.keyboard.press("Control+z")
    expect(cell).to_have_value("12")


def test_a_paste_that_can_be_read_in_two_ways_is_asked_about(attempt_page: Page) -> None:
    item = question_at(attempt_page, "[data-family=score_matrix]")
    cells = item.get_by_role("textbox").all()
    width = item.locator("table").last.locator("tbody tr").first.locator("td.cell").count()
    before = typed_texts(item)
    assert not paste(cells[0], "1,2;3,4")
    line = item.locator("[data-pasted]")
    expect(line).to_contain_text("can be read in more than one way")
    expect(line.get_by_role("button")).to_have_text(
        ["1 × 2 cells: 1,2 | 3,4", "2 × 2 cells: 1 | 2 / 3 | 4"]
    )
    assert typed_texts(item) == before
    line.get_by_role("button", name="2 × 2").click()
    expect(line).to_contain_text("Filled 2 × 2 cells, starting at row ")
    expect(cells[0]).to_be_focused()
    assert [cells[i].input_value() for i in (0, 1, width, width + 1)] == ["1", "2", "3", "4"]
    wait_until_saved(attempt_page)
    line.get_by_role("button", name="Undo").click()
    assert typed_texts(item) == before
    paste(cells[0], "1,2;3,4")
    cells[1].fill("5")
    expect(line).to_have_text("")


def test_headings_of_a_table_are_left_out_with_a_note(attempt_page: Page) -> None:
    item = question_at(attempt_page, "[data-family=score_matrix]")
    cells = item.get_by_role("textbox").all()
    paste(cells[0], "| cat | dog |\n| --- | --- |\n| 0.1 | 0.2 |")
    expect(item.locator("[data-pasted]")).to_contain_text("The heading row was left out: cat, dog.")
    assert typed_texts(item)[:2] == ["0.1", "0.2"]


def test_lines_and_tabs_are_never_pasted_raw(attempt_page: Page) -> None:
    item = question_at(attempt_page, "[data-family=score_matrix]")
    cell = item.get_by_role("textbox").first
    for text, expected in [
        ("a\tb", "“a” isn’t a number"),
        ("\t", "there’s no number"),
        ("(1\n2", "don’t form a table"),
    ]:
        assert not paste(cell, text)
        expect(item.locator("[data-pasted]")).to_contain_text(expected)
        expect(cell).to_have_value("")


def test_the_note_about_a_paste_goes_with_it(attempt_page: Page) -> None:
    item = question_at(attempt_page, "[data-family=score_matrix]")
    cells = item.get_by_role("textbox").all()
    line = item.locator("[data-pasted]")
    paste(cells[0], "0.1\t0.2")
    cells[0].fill("")
    expect(line).to_contain_text("Filled")
    cells[1].fill("")
    expect(line).to_have_text("")
    paste(cells[0], "0.1\t0.2")
    assert paste(cells[0], "7")
    expect(line).to_have_text("")
    paste(cells[0], "1 2\n3")
    cells[0].fill("7")
    expect(line).to_have_text("")


def test_a_table_that_does_not_fit_changes_nothing_and_says_why(attempt_page: Page) -> None:
    item = question_at(attempt_page, "[data-family=score_matrix]")
    last = item.get_by_role("textbox").last
    last.fill("7")
    before = typed_texts(item)
    assert not paste(last, "1 2 3\n4 5 6")
    expect(item.locator("[data-pasted]")).to_contain_text(
        "Nothing was filled in: you pasted 2 × 3 numbers"
    )
    assert not paste(last, json.dumps([[1, 2], [3]]))
    expect(item.locator("[data-pasted]")).to_contain_text("have different lengths")
    assert not paste(last, "1\t2\t3\n" * 10_000)
    expect(item.locator("[data-pasted]")).to_contain_text("too large")
    assert typed_texts(item) == before
    assert paste(last, "0,5")


def test_a_whole_matrix_is_pasted_around_the_cells_that_are_filled_in(attempt_page: Page) -> None:
    item = question_at(attempt_page, "[data-family=causal_attention]")
    size = item.locator("table").last.locator("tbody tr").count()
    rows = [[f"0.{i}{j}" if j <= i else "0" for j in range(size)] for i in range(size)]
    paste(item.get_by_role("textbox").first, "\n".join("\t".join(row) for row in rows))
    expect(item.locator("[data-pasted]")).to_contain_text(f"Filled {size} × {size} cells")
    assert typed_texts(item) == [rows[i][j] for i in range(1, size) for j in range(i + 1)]


def test_arrows_move_from_cell_to_cell_and_within_a_number(attempt_page: Page) -> None:
    cells = question_at(attempt_page, "[data-family=score_matrix]").get_by_role("textbox").all()
    cells[0].fill("12")
    cells[0].press("ArrowLeft")
    expect(cells[0]).to_be_focused()
    cells[0].press("End")
    cells[0].press("ArrowRight")
    expect(cells[1]).to_be_focused()
    cells[1].press("ArrowLeft")
    expect(cells[0]).to_be_focused()
    cells[0].press("ArrowDown")
    expect(cells[0]).not_to_be_focused()
    attempt_page.keyboard.press("ArrowUp")
    expect(cells[0]).to_be_focused()
    cells[0].press("Enter")
    expect(cells[1]).to_be_focused()


def test_eight_figures_and_a_sign_are_seen_whole(attempt_page: Page) -> None:
    cell = question_at(attempt_page, "[data-family=score_matrix]").get_by_role("textbox").first
    for width in (1280, 320):
        attempt_page.set_viewport_size({"width": width, "height": 700})
        cell.fill("-1.2345678")
        assert cell.evaluate("cell => cell.scrollWidth <= cell.clientWidth"), width


def test_on_touch_keys_above_the_keypad_serve_the_cell_in_use(browser: Browser, site: Site) -> None:
    context = browser.new_context(
        base_url=site.url, has_touch=True, is_mobile=True, permissions=["clipboard-read"]
    )
    page = context.new_page()
    sign_up(page)
    start_quiz(page)
    keys = page.get_by_role("group", name="Keys for the current cell")
    item = question_at(page, "[data-family=score_matrix]")
    cells = item.get_by_role("textbox")
    expect(cells.first).to_have_attribute("inputmode", "decimal")
    expect(keys).to_have_count(0)
    cells.first.tap()
    cells.first.fill("05")
    cells.first.press("ArrowLeft")
    keys.get_by_role("button", name="Decimal point").tap()
    expect(cells.first).to_have_value("0.5")
    keys.get_by_role("button", name="Change the sign").tap()
    expect(cells.first).to_have_value("-0.5")
    keys.get_by_role("button", name="Undo").tap()
    expect(cells.first).to_have_value("0.5")
    expect(cells.first).to_be_focused()
    keys.get_by_role("button", name="Next cell").tap()
    expect(cells.nth(1)).to_be_focused()
    page.evaluate("navigator.clipboard.readText = async () => '7 8\\n9 1'")
    keys.get_by_role("button", name="Previous cell").tap()
    keys.get_by_role("button", name="Paste").tap()
    expect(item.locator("[data-pasted]")).to_contain_text("Filled 2 × 2 cells")
    assert [key.bounding_box()["height"] for key in keys.get_by_role("button").all()] == [44] * 6
    wait_until_saved(page)
    item.get_by_role("heading").focus()
    expect(keys).to_have_count(0)
    context.close()


def test_with_a_keyboard_there_are_none(attempt_page: Page) -> None:
    item = question_at(attempt_page, "[data-family=cosine]")
    item.get_by_role("textbox").focus()
    assert item.get_by_role("textbox").get_attribute("inputmode") is None
    expect(attempt_page.get_by_role("group", name="Keys for the current cell")).to_have_count(0)
