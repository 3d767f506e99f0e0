"""The review of an attempt: each verdict, in words a student can act on."""

import re

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from .conftest import complaints_about, open_summary, question_at, wait_until_saved
from .solving import dot_score, givens, typed_answer

# More than any tolerance, and less than five times any.
ROUNDED_TOO_EARLY = 0.0045


def fill(item: Locator, step: str, values: np.ndarray) -> None:
    """Type a step's values into its inputs."""
    position = item.get_attribute("data-item")
    for (row, column), value in np.ndenumerate(np.atleast_2d(values)):
        cell = item.locator(f"[name=item-{position}-{step}-{row}-{column}]")
        if cell.count():  # fixed cells have no input
            cell.fill(f"{value:.4f}")


def answer_rightly(item: Locator) -> None:
    for name, text in typed_answer(item).items():
        item.locator(f"[name={name}]").fill(text)


def round_too_early(item: Locator) -> None:
    given = givens(item)
    fill(item, "scaled", given["scores"] / np.sqrt(given["d_k"]) + ROUNDED_TOO_EARLY)


def forget_to_divide(item: Locator) -> None:
    fill(item, "weights", np.exp(givens(item)["scores"]))


def type_two_points(item: Locator) -> None:
    item.get_by_role("textbox").fill("1.2.3")


def mistake_a_sign(item: Locator) -> float:
    """Answer rightly apart from one lost sign. Return the right number."""
    answer = typed_answer(item)
    name = min(answer, key=lambda name: float(answer[name]))
    if float(answer[name]) >= 0:
        name = max(answer, key=lambda name: float(answer[name]))
    for each, text in answer.items():
        other = f"{-float(text):.3f}"
        item.locator(f"[name={each}]").fill(other if each == name else text)
    return float(answer[name])


def type_sums(item: Locator) -> None:
    """Type a softmax as a student would, exponential by exponential."""
    powers = [f"exp({score:g})" for score in givens(item)["scores"]]
    for cell, power in zip(item.get_by_role("textbox").all(), powers, strict=True):
        cell.fill(f"{power}/({'+'.join(powers)})")


def go_on_from_an_odd_score(item: Locator) -> None:
    given = givens(item)
    odd = dot_score(given)["score"] + 7.77
    fill(item, "score", odd)
    fill(item, "scaled", odd / np.sqrt(len(given["k"])))


ANSWERS = {
    "weighted_value": answer_rightly,
    "scale_row": round_too_early,
    "softmax_row": forget_to_divide,
    "cosine": type_two_points,
    "dot_score": go_on_from_an_odd_score,
}


@pytest.fixture
def reviewed(attempt_page: Page) -> dict[str, Locator]:
    """The reviewed questions of an attempt with every verdict, by family."""
    sections = {}
    for family, answer in ANSWERS.items():
        item = question_at(attempt_page, f"[data-family={family}]")
        answer(item)
        position = item.get_attribute("data-item")
        sections[family] = attempt_page.locator(f"section[data-item='{position}']")
    submit(attempt_page)
    return sections


def test_each_verdict_is_shown_and_explained(reviewed: dict[str, Locator]) -> None:
    expected = {
        "weighted_value": ("right", "Worked solution"),
        "scale_row": ("near", "until the end. This step earns half"),
        "softmax_row": ("mistake", "divide each by their sum"),
        "cosine": ("wrong", "This has two separators"),
        "dot_score": ("wrong", "Right, given your own earlier step"),
    }
    for family, (verdict, words) in expected.items():
        expect(reviewed[family]).to_have_attribute("data-verdict", verdict)
        expect(reviewed[family]).to_contain_text(words)


@pytest.mark.slow
def test_each_step_has_a_verdict_of_its_own(reviewed: dict[str, Locator]) -> None:
    expected = {
        "score": ("wrong", "it should be"),
        "scaled": ("follows", "given your own earlier step. This step earns all its points"),
    }
    for step, (verdict, words) in expected.items():
        shown = reviewed["dot_score"].locator(f"[data-step={step}]").first
        expect(shown).to_have_attribute("data-verdict", verdict)
        expect(shown).to_contain_text(words)


def submit(page: Page) -> None:
    wait_until_saved(page)
    open_summary(page)
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("points", timeout=20_000)


def printed(number: float) -> str:
    return f"{number:.3f}".replace("-", "\N{MINUS SIGN}")


@pytest.mark.slow
def test_a_lost_sign_is_shown_beside_the_right_number(attempt_page: Page) -> None:
    right = mistake_a_sign(question_at(attempt_page, "[data-family=score_matrix]"))
    submit(attempt_page)
    slip = attempt_page.locator("section[data-family=score_matrix] .slip")
    says = "The sign was lost." if right < 0 else "There’s one minus sign too many."
    expect(slip).to_contain_text(f"You: {printed(-right)}; it should be {printed(right)}. {says}")
    expect(slip.locator("math").first).to_be_visible()
    for width in (1280, 320):
        attempt_page.set_viewport_size({"width": width, "height": 700})
        # Wait for the new layout, which takes a while on a busy machine.
        attempt_page.wait_for_function(
            "width => document.documentElement.scrollWidth <= width", arg=width
        )
    assert complaints_about(attempt_page) == []


def test_a_sum_is_read_as_its_number_and_marked_right(attempt_page: Page) -> None:
    item = question_at(attempt_page, "[data-family=softmax_row]")
    type_sums(item)
    numbers = [float(text) for text in typed_answer(item).values()]
    read_as = item.locator(".cell-read")
    expect(read_as).to_have_text([re.compile(r"^read as [01]\.\d+$")] * len(numbers))
    read = [float(text.removeprefix("read as ")) for text in read_as.all_text_contents()]
    assert read == pytest.approx(numbers, abs=0.0006)
    submit(attempt_page)
    reviewed = attempt_page.locator("section[data-family=softmax_row]")
    expect(reviewed).to_have_attribute("data-verdict", "right")


@pytest.mark.slow
def test_only_what_was_not_right_is_unfolded_and_practised(attempt_page: Page) -> None:
    answer_rightly(question_at(attempt_page, "[data-family=weighted_value]"))
    question_at(attempt_page, "[data-family=softmax_row]").get_by_role("textbox").first.fill("9")
    submit(attempt_page)
    right = attempt_page.locator("section[data-family=weighted_value]")
    expect(right.locator(".answer")).to_be_hidden()
    wrong = attempt_page.locator("section[data-family=softmax_row]").first
    expect(wrong.locator(".answer")).to_be_visible()
    assert complaints_about(attempt_page) == []
    attempt_page.emulate_media(media="print")
    expect(right.locator(".answer")).to_be_visible()
    attempt_page.emulate_media(media="screen")
    attempt_page.get_by_role("button", name="Practise what").click()
    attempt_page.wait_for_url("**/practice/*/*/")
    expect(attempt_page.get_by_role("heading", level=1)).to_contain_text("Questions to fix: ")
