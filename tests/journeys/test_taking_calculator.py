"""The calculator: its results, its errors, and the way of a result into a cell."""

import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Page, expect

from attention_core.errors import UnreadableNumber
from attention_core.grading import expression

from .conftest import question_at, wait_until_saved


@pytest.fixture(scope="module")
def evaluate(script_page: Page):
    """Return a function that evaluates a text by the script: a number, or the error's message."""
    return lambda text: script_page.evaluate(
        """async (text) => {
            const { evaluate } = await import("/items/expression.js");
            try { return evaluate(text); } catch (error) { return error.message; }
        }""",
        text,
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 × 3", 7),
        ("(1+2)*3", 9),
        ("8 / 4 / 2", 1),
        ("1 − 2 - 3", -4),
        ("-2^2", -4),
        ("2^3^2", 512),
        ("2^-1", 0.5),
        ("√16 ÷ 2", 2),
        ("sqrt(2)", math.sqrt(2)),
        ("exp(0,5) ÷ (exp 0,5 + exp 1)", 1 / (1 + math.exp(0.5))),
        ("ln(exp(2))", 2),
        ("1e-3 + .5", 0.501),
        ("exp -0.5", math.exp(-0.5)),
        ("exp --1 / 2", math.e / 2),
        ("sin(1) + cos -2", math.sin(1) + math.cos(2)),
        ("e^-2 × 2e2", 200 * math.exp(-2)),
        ("2**3", 8),
    ],
)
def test_it_works_out_what_is_typed(evaluate, text: str, value: float) -> None:
    assert evaluate(text) == pytest.approx(value, rel=1e-12)


def sums() -> st.SearchStrategy[str]:
    """Return sums as they may be typed, right ones and others, without spaces."""
    pieces = ["1", "0.5", ",25", "2e2", "e", "pi", "(", ")", "+", "-", "*", "×", "/", "^", "**"]
    pieces += ["√", "sqrt", "exp", "ln", "sin", "cos", "2"]
    return st.lists(st.sampled_from(pieces), min_size=1, max_size=9).map("".join)


# About a second's worth, the same each time.
@settings(max_examples=300, derandomize=True, suppress_health_check=list(HealthCheck))
@given(text=sums())
def test_a_cell_reads_what_the_calculator_works_out(evaluate, text: str) -> None:
    shown = evaluate(text)
    try:
        read = expression.evaluate(text)
    except UnreadableNumber:
        read = None
    if isinstance(shown, str) or read is None:
        assert (isinstance(shown, str), read) == (True, None)
    else:
        assert read == pytest.approx(shown, rel=1e-12, abs=1e-300)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1/0", "sum-by-zero"),
        ("√(0-1)", "sum-root"),
        ("√-1", "sum-root"),
        ("ln 0", "sum-ln"),
        ("(1", "sum-no-closing"),
        ("1)", "sum-no-opening"),
        ("1 +", "sum-unfinished"),
        ("× 2", "sum-no-number"),
        ("2(3)", "sum-no-sign"),
        ("exp(1000)", "sum-too-large"),
        ("alert(1)", "sum-unknown"),
        ("constructor", "sum-unknown"),
        ("(-8)^0.5", "sum-undefined"),
        ("(" * 10_000, "sum-too-long"),
    ],
)
def test_it_says_why_there_is_no_result(evaluate, text: str, why: str) -> None:
    assert evaluate(text) == why


@pytest.mark.parametrize(
    ("text", "word"),
    [("5%", "%"), ("(1;2)", ";"), ("Tan 1", "Tan"), ("1,234.5", "1,234.5"), ("2e", "e")],
)
def test_it_names_what_is_wrong(script_page: Page, text: str, word: str) -> None:
    assert word == script_page.evaluate(
        """async (text) => {
            const { evaluate } = await import("/items/expression.js");
            try { return evaluate(text); } catch (error) { return error.word; }
        }""",
        text,
    )


def test_by_keyboard_a_result_gets_into_the_cell_that_was_in_hand(attempt_page: Page) -> None:
    cell = question_at(attempt_page, "[data-family=cosine]").get_by_role("textbox")
    cell.focus()
    attempt_page.keyboard.press("Alt+c")
    calculator = attempt_page.get_by_role("dialog", name="Calculator")
    attempt_page.keyboard.type("exp(0,5)")
    attempt_page.keyboard.press("Enter")
    attempt_page.keyboard.type("/2")
    attempt_page.keyboard.press("Enter")
    results = calculator.get_by_role("list", name="Last results")
    expect(results).to_contain_text("exp(0,5) = 1.6487213")
    expect(results).to_contain_text("1.6487213/2 = 0.82436065")
    attempt_page.keyboard.press("Enter")
    expect(cell).to_have_value("0.82436065")
    expect(cell).to_be_focused()
    wait_until_saved(attempt_page)
    attempt_page.keyboard.press("Alt+c")
    attempt_page.keyboard.type("-1/4")  # a new sum, not the inserted result minus a quarter
    attempt_page.keyboard.press("Enter")
    expect(results).to_contain_text("-1/4 = -0.25")
    attempt_page.keyboard.press("Escape")
    expect(calculator).to_be_hidden()
    expect(cell).to_be_focused()


def test_by_its_keys_with_a_memory_and_sentences_for_what_is_wrong(attempt_page: Page) -> None:
    cell = question_at(attempt_page, "[data-family=cosine]").get_by_role("textbox")
    cell.focus()
    attempt_page.get_by_role("button", name="Calculator").click()
    calculator = attempt_page.get_by_role("dialog", name="Calculator")

    def press(*names: str) -> None:
        for name in names:
            calculator.get_by_role("button", name=name, exact=True).click()

    press("1", "divided by", "0", "calculate")
    expect(calculator.get_by_role("status")).to_have_text("This divides by zero.")
    press("delete the last character", "8", "add to the memory")
    expect(calculator.get_by_role("status")).to_have_text("In the memory: 0.125")
    press("clear", "recall from the memory", "times", "2", "calculate")
    attempt_page.reload()
    expect(calculator.get_by_role("list")).to_contain_text("0.125 × 2 = 0.25")
    press("recall from the memory", "calculate")
    question_at(attempt_page, "[data-family=cosine]").get_by_role("textbox").focus()
    calculator.get_by_role("button", name="Insert into").click()
    expect(question_at(attempt_page, "[data-family=cosine]").get_by_role("textbox")).to_have_value(
        "0.125"
    )


@pytest.mark.slow
def test_a_sign_after_a_result_goes_on_from_it(attempt_page: Page) -> None:
    attempt_page.get_by_role("button", name="Calculator").click()
    calculator = attempt_page.get_by_role("dialog", name="Calculator")
    message = calculator.get_by_role("status")

    def press(*names: str) -> None:
        for name in names:
            calculator.get_by_role("button", name=name, exact=True).click()

    press("1", "minus", "3", "calculate", "times", "4", "calculate")
    expect(message).to_have_text("(-2) × 4 = -8")
    attempt_page.keyboard.type("^2")
    attempt_page.keyboard.press("Enter")
    expect(message).to_have_text("(-8)^2 = 64")


@pytest.mark.slow
def test_a_result_below_zero_that_is_taken_up_again_stays_one_number(attempt_page: Page) -> None:
    attempt_page.get_by_role("button", name="Calculator").click()
    calculator = attempt_page.get_by_role("dialog", name="Calculator")
    summed = calculator.get_by_role("textbox")
    summed.fill("1-3")
    calculator.get_by_role("button", name="add to the memory").click()
    for take_up in (
        calculator.get_by_role("button", name="recall from the memory"),
        calculator.get_by_role("list").get_by_role("button").last,
    ):
        summed.fill("5")
        summed.press("Enter")
        take_up.click()
        expect(summed).to_have_value("(-2)")
        summed.press("^")
        summed.press("2")
        summed.press("Enter")
        expect(calculator.get_by_role("status")).to_have_text("(-2)^2 = 4")


@pytest.mark.slow
@pytest.mark.parametrize("size", [(1280, 800), (1000, 700), (320, 640)])
def test_it_never_covers_the_cell_in_hand(attempt_page: Page, size: tuple[int, int]) -> None:
    attempt_page.set_viewport_size({"width": size[0], "height": size[1]})
    item = question_at(attempt_page, "[data-family=score_matrix]")
    item.get_by_role("textbox").first.focus()
    attempt_page.keyboard.press("Alt+c")
    for at_hand, cell in enumerate(item.get_by_role("textbox").all()):
        if at_hand:
            cell.focus()
        covered = cell.evaluate(
            """cell => {
                const { left, right, top, bottom } = cell.getBoundingClientRect();
                const seen = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
                return seen !== cell;
            }"""
        )
        assert not covered
    assert attempt_page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_it_says_where_a_result_goes_or_that_there_is_no_place(attempt_page: Page) -> None:
    question_at(attempt_page, "[data-kind=choice]")
    attempt_page.get_by_role("button", name="Calculator").click()
    calculator = attempt_page.get_by_role("dialog", name="Calculator")
    expect(calculator.get_by_role("button", name="To insert, choose a cell")).to_be_disabled()
    calculator.get_by_role("textbox").fill("sin 1")
    calculator.get_by_role("textbox").press("Enter")
    expect(calculator.get_by_role("status")).to_have_text("sin 1 = 0.84147098, in radians")
    question_at(attempt_page, "[data-family=score_matrix]").get_by_role("textbox").last.focus()
    insert = calculator.get_by_role("button", name="Insert into")
    expect(insert).to_be_enabled()
    assert insert.evaluate("button => button.scrollWidth <= button.clientWidth")


def test_it_leaves_the_choice_of_colours_free(attempt_page: Page) -> None:
    attempt_page.set_viewport_size({"width": 1280, "height": 800})
    attempt_page.get_by_role("button", name="Calculator").click()
    box = attempt_page.get_by_role("dialog", name="Calculator").bounding_box()
    dark = attempt_page.get_by_role("button", name="Dark").bounding_box()
    assert dark["x"] + dark["width"] <= box["x"]


@pytest.mark.slow
def test_practice_has_it_too_with_pastes_and_arrows(student_page: Page) -> None:
    student_page.goto("/practice/family/softmax_row/")
    student_page.get_by_role("main").get_by_role("button").first.click()
    student_page.wait_for_url("**/practice/*/*/")
    cells = student_page.get_by_role("group").get_by_role("textbox").all()
    cells[0].focus()
    student_page.keyboard.press("ArrowRight")
    expect(cells[1]).to_be_focused()
    cells[0].evaluate(
        """cell => {
            const clipboardData = new DataTransfer();
            clipboardData.setData("text/plain", "0,1 0,2");
            const options = { clipboardData, bubbles: true, cancelable: true };
            cell.dispatchEvent(new ClipboardEvent("paste", options));
        }"""
    )
    expect(cells[1]).to_have_value("0,2")
    student_page.get_by_role("button", name="Calculator").click()
    student_page.keyboard.type("1/3")
    student_page.keyboard.press("Enter")
    student_page.get_by_role("button", name="Insert into").click()
    expect(cells[1]).to_have_value("0.33333333")


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_moves_when_the_calculator_opens_or_has_a_result(
    attempt_page: Page, width: int
) -> None:
    attempt_page.set_viewport_size({"width": width, "height": 900})
    item = question_at(attempt_page, "[data-family=cosine]")
    opener = attempt_page.get_by_role("button", name="Calculator", exact=True)
    before = [opener.bounding_box(), item.bounding_box()["x"]]
    opener.click()
    calculator = attempt_page.get_by_role("dialog", name="Calculator")
    assert [opener.bounding_box(), item.bounding_box()["x"]] == before
    close = calculator.get_by_role("button", name="Close")
    place = close.bounding_box()
    calculator.get_by_role("textbox").fill("1 + 2")
    calculator.get_by_role("button", name="calculate", exact=True).click()
    expect(calculator.get_by_role("list")).to_contain_text("1 + 2 = 3")
    assert close.bounding_box() == place
