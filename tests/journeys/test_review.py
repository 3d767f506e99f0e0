"""The review of an attempt: each verdict, in words a student can act on."""

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from .conftest import at, finish, saved
from .solving import four_steps, givens, typed_answer

pytestmark = pytest.mark.service

# Whatever the tolerance, this is more, and less than five of it.
ROUNDED_TOO_EARLY = 0.0045


def fill(item: Locator, step: str, values: np.ndarray) -> None:
    """Type a step's values into the cells that ask for one."""
    position = item.get_attribute("data-item")
    for (row, column), value in np.ndenumerate(np.atleast_2d(values)):
        cell = item.locator(f"[name=item-{position}-{step}-{row}-{column}]")
        if cell.count():  # cells that are filled in are not typed
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


def go_on_from_odd_scores(item: Locator) -> None:
    given = givens(item)
    odd = four_steps(given)["scores"] + 7.77
    fill(item, "scores", odd)
    fill(item, "scaled", odd / np.sqrt(given["K"].shape[-1]))


ANSWERS = {
    "dot_score": answer_rightly,
    "scale_row": round_too_early,
    "softmax_row": forget_to_divide,
    "cosine": type_two_points,
    "attention": go_on_from_odd_scores,
}


@pytest.fixture
def reviewed(taking: Page) -> dict[str, Locator]:
    """By family, the reviewed questions of an attempt in which each verdict occurs."""
    sections = {}
    for family, answer in ANSWERS.items():
        item = at(taking, f"[data-family={family}]")
        answer(item)
        position = item.get_attribute("data-item")
        sections[family] = taking.locator(f"section[data-item='{position}']")
    saved(taking)
    finish(taking)
    taking.get_by_role("button", name="Submit").click()
    expect(taking.get_by_role("heading", level=1)).to_contain_text("points", timeout=20_000)
    return sections


def test_each_verdict_is_told_and_explained(reviewed: dict[str, Locator]) -> None:
    told = {
        "dot_score": ("right", "Worked solution"),
        "scale_row": ("near", "rounded too early: it earns half"),
        "softmax_row": ("mistake", "divide each by their sum"),
        "cosine": ("wrong", "This has two separators"),
        "attention": ("wrong", "Right, worked on from your own earlier step"),
    }
    for family, (verdict, words) in told.items():
        expect(reviewed[family]).to_have_attribute("data-verdict", verdict)
        expect(reviewed[family]).to_contain_text(words)


def test_each_step_has_a_verdict_of_its_own(reviewed: dict[str, Locator]) -> None:
    told = {
        "scores": ("wrong", "none of the mistakes that are known by name"),
        "scaled": ("follows", "worked on from your own earlier step: it earns all its points"),
        "weights": ("blank", "Nothing was typed here"),
        "output": ("blank", "Nothing was typed here"),
    }
    for step, (verdict, words) in told.items():
        shown = reviewed["attention"].locator(f"[data-step={step}]").first
        expect(shown).to_have_attribute("data-verdict", verdict)
        expect(shown).to_contain_text(words)
