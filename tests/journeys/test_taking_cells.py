"""Typing numbers: tables that are pasted, keys that move, the sign that a phone's keys lack."""

import json
import time

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.conftest import Site

from .conftest import at, saved, sign_up, start

pytestmark = pytest.mark.service

PASTE = """(cell, text) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  const paste = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
  return cell.dispatchEvent(paste);
}"""
SQUARE = [["0.1", "0.2"], ["0.3", "0.4"]]


def paste(cell: Locator, text: str) -> bool:
    """Paste into a cell; whether the browser is left to do it as usual."""
    cell.focus()
    return cell.evaluate(PASTE, text)


def typed(item: Locator) -> list[str]:
    return [cell.input_value() for cell in item.get_by_role("textbox").all()]


@pytest.fixture(scope="module")
def read(scripts: Page):
    """The script's reading of a pasted text."""
    return lambda text: scripts.evaluate(
        "async (text) => (await import('/items/pasted.js')).readPasted(text)", text
    )


@pytest.mark.parametrize(
    "text",
    [
        "0.1\t0.2\r\n0.3\t0.4\r\n",
        "[[0.1, 0.2], [0.3, 0.4]]",
        "[[0.1 0.2]\n [0.3 0.4]]",
        "array([[0.1, 0.2],\n       [0.3, 0.4]])",
        "tensor([[0.1, 0.2], [0.3, 0.4]], dtype=torch.float64)",
        "((0.1, 0.2), (0.3, 0.4))",
        "[[np.float64(0.1), np.float64(0.2)], [np.float64(0.3), np.float64(0.4)]]",
        "[0.1 0.2; 0.3 0.4]",
        "0.1,0.2\n0.3,0.4",
        "0.1, 0.2\n0.3, 0.4",
        "0.1;0.2\n0.3;0.4",
        "0.1  0.2\n0.3\u00a00.4",
        "0.1 0.2; 0.3 0.4",
        "0.1, 0.2; 0.3, 0.4;",
        "0.1 0.2;\n0.3 0.4;\n",
        '"0.1"\t"0.2"\r\n"0.3"\t"0.4"',
        '"0.1","0.2"\n"0.3","0.4"',
        "[['0.1', '0.2'], ['0.3', '0.4']]",
    ],
)
def test_a_table_is_read_however_it_was_printed(read, text: str) -> None:
    assert read(text) == {"rows": SQUARE}


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("\t0.5\r\n", [["", "0.5"]]),
        ("0.5\t\n0.3\t\n", [["0.5", ""], ["0.3", ""]]),
        ("1\t2\n\t\n3\t4\n", [["1", "2"], ["", ""], ["3", "4"]]),
    ],
)
def test_an_empty_cell_of_a_spreadsheet_keeps_its_place(read, text: str, rows: list) -> None:
    assert read(text) == {"rows": rows}


def test_a_list_of_numpys_own_numbers_is_a_row(read) -> None:
    assert read("[np.float64(0.5), np.float64(-0.3)]") == {"rows": [["0.5", "-0.3"]]}


@pytest.mark.parametrize(
    "text", ["0,5\t0,3", "0,5;0,3", "0,5 0,3", "0,5, 0,3", "0,5 ; 0,3", "[0,5; 0,3]", '"0,5","0,3"']
)
def test_a_decimal_comma_stays_one(read, text: str) -> None:
    assert read(text) == {"rows": [["0,5", "0,3"]]}


@pytest.mark.parametrize(
    "text", ["0.5", "0,5", " 1/2\n", "−3", "1e-3", "1,234.5", "a word", "", "[]"]
)
def test_a_single_number_and_words_are_pasted_as_usual(read, text: str) -> None:
    assert read(text) is None


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("1 2\n3", "paste-ragged"),
        ("cat\t0.5", "paste-no-number"),
        ("[[[1, 2]]]", "paste-no-table"),
        ("1\t" * 20_000, "paste-too-large"),
    ],
)
def test_what_is_no_table_of_numbers_is_refused(read, text: str, error: str) -> None:
    assert read(text)["error"] == error


@pytest.mark.parametrize(
    "text",
    [
        "1" * 19_999 + "x",
        "[1" * 9_999,
        "[" * 19_999,
        "np.float64(" * 1_800,
        "1 , " * 4_900,
        "1" + " " * 19_000,
        "1 " * 9_000 + ";",
        "'" * 19_999,
        "'\"" * 9_999,
    ],
    ids=lambda text: text[:12],
)
def test_no_text_keeps_the_page_waiting(read, text: str) -> None:
    began = time.monotonic()
    read(text)
    assert time.monotonic() - began < 5  # and tens of them where a pattern goes back and forth


def test_a_pasted_table_fills_cells_says_so_and_can_be_taken_back(taking: Page) -> None:
    item = at(taking, "[data-family=score_matrix]")
    cells = item.get_by_role("textbox").all()
    width = len(item.locator("table").last.locator("tbody tr").first.locator("td.cell").all())
    cells[0].fill("7")
    assert not paste(cells[0], "0,1\t0.2\n0.3\t0.4")
    line = item.locator("[data-pasted]")
    expect(line).to_contain_text("Filled 2 × 2 cells from row ")
    assert [cells[i].input_value() for i in (0, 1, width, width + 1)] == [
        "0,1",
        "0.2",
        "0.3",
        "0.4",
    ]
    saved(taking)
    line.get_by_role("button", name="Undo").click()
    assert typed(item) == ["7"] + [""] * (len(cells) - 1)
    expect(cells[0]).to_be_focused()
    saved(taking)


def test_taking_a_paste_back_leaves_what_was_typed_since(taking: Page) -> None:
    item = at(taking, "[data-family=score_matrix]")
    cells = item.get_by_role("textbox").all()
    paste(cells[0], "0.1\t0.2")
    cells[1].fill("0.9")
    item.get_by_role("button", name="Undo").click()
    assert typed(item)[:2] == ["", "0.9"]


def test_the_keys_for_undo_take_back_pastes_and_typing_and_make_no_digits(taking: Page) -> None:
    item = at(taking, "[data-family=score_matrix]")
    cells = item.get_by_role("textbox").all()
    cells[0].press_sequentially("12")
    paste(cells[0], "0.1\t0.2")
    cells[1].press("End")
    cells[1].press_sequentially("5")
    steps = [["0.1", "0.2"], ["12", ""], ["", ""]]
    for step in steps:
        taking.keyboard.press("Control+z")
        assert typed(item)[:2] == step
    taking.keyboard.press("Control+z")
    assert typed(item)[:2] == ["", ""]
    for step in [*steps[1::-1], ["0.1", "0.25"]]:
        taking.keyboard.press("Control+Shift+z")
        assert typed(item)[:2] == step
    saved(taking)


def test_undo_from_a_menu_and_from_elsewhere_makes_no_digits(taking: Page) -> None:
    item = at(taking, "[data-family=score_matrix]")
    cells = item.get_by_role("textbox").all()
    cells[0].press_sequentially("12")
    paste(cells[0], "0.1\t0.2")
    browser = taking.context.new_cdp_session(taking)
    menu = {"type": "rawKeyDown", "key": "Unidentified", "commands": ["undo"]}
    browser.send("Input.dispatchKeyEvent", menu)
    assert typed(item)[:2] == ["12", ""]
    taking.get_by_role("button", name="Calculator").click()
    taking.keyboard.press("Control+z")
    assert typed(item)[:2] == ["12", ""]


def test_an_insertion_is_taken_back_too(taking: Page) -> None:
    cell = at(taking, "[data-family=cosine]").get_by_role("textbox")
    cell.press_sequentially("12")
    taking.keyboard.press("Alt+c")
    for key in ("7", "Enter", "Enter"):
        taking.keyboard.press(key)
    expect(cell).to_have_value("7")
    taking.keyboard.press("Control+z")
    expect(cell).to_have_value("12")


def test_what_is_said_of_a_paste_goes_with_it(taking: Page) -> None:
    item = at(taking, "[data-family=score_matrix]")
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


def test_a_table_that_does_not_fit_changes_nothing_and_says_why(taking: Page) -> None:
    item = at(taking, "[data-family=score_matrix]")
    last = item.get_by_role("textbox").last
    last.fill("7")
    before = typed(item)
    assert not paste(last, "1 2 3\n4 5 6")
    expect(item.locator("[data-pasted]")).to_contain_text(
        "Nothing was filled in: you pasted 2 × 3 numbers"
    )
    assert not paste(last, json.dumps([[1, 2], [3]]))
    expect(item.locator("[data-pasted]")).to_contain_text("have different lengths")
    assert not paste(last, "1\t2\t3\n" * 10_000)
    expect(item.locator("[data-pasted]")).to_contain_text("too large")
    assert typed(item) == before
    assert paste(last, "0,5")


def test_a_whole_matrix_is_pasted_around_the_cells_that_are_filled_in(taking: Page) -> None:
    item = at(taking, "[data-family=causal_attention]")
    size = item.locator("table").last.locator("tbody tr").count()
    rows = [[f"0.{i}{j}" if j <= i else "0" for j in range(size)] for i in range(size)]
    paste(item.get_by_role("textbox").first, "\n".join("\t".join(row) for row in rows))
    expect(item.locator("[data-pasted]")).to_contain_text(f"Filled {size} × {size} cells")
    assert typed(item) == [rows[i][j] for i in range(1, size) for j in range(i + 1)]


def test_arrows_move_from_cell_to_cell_and_within_a_number(taking: Page) -> None:
    cells = at(taking, "[data-family=score_matrix]").get_by_role("textbox").all()
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
    taking.keyboard.press("ArrowUp")
    expect(cells[0]).to_be_focused()
    cells[0].press("Enter")
    expect(cells[1]).to_be_focused()


def test_eight_figures_and_a_sign_are_seen_whole(taking: Page) -> None:
    cell = at(taking, "[data-family=score_matrix]").get_by_role("textbox").first
    for width in (1280, 320):
        taking.set_viewport_size({"width": width, "height": 700})
        cell.fill("-1.2345678")
        assert cell.evaluate("cell => cell.scrollWidth <= cell.clientWidth"), width


def test_on_touch_a_decimal_pad_comes_with_a_key_for_the_sign(browser: Browser, site: Site) -> None:
    context = browser.new_context(base_url=site.url, has_touch=True, is_mobile=True)
    page = context.new_page()
    sign_up(page)
    start(page)
    item = at(page, "[data-family=cosine]")
    cell = item.get_by_role("textbox")
    expect(cell).to_have_attribute("inputmode", "decimal")
    cell.fill("0.5")
    sign = item.get_by_role("button", name="change the sign")
    sign.tap()
    expect(cell).to_have_value("-0.5")
    expect(cell).to_be_focused()
    saved(page)
    sign.tap()
    expect(cell).to_have_value("0.5")
    context.close()


def test_with_a_keyboard_there_is_neither(taking: Page) -> None:
    item = at(taking, "[data-family=cosine]")
    assert item.get_by_role("textbox").get_attribute("inputmode") is None
    expect(item.get_by_role("button", name="change the sign")).to_be_hidden()
