"""Practice: check at once, put it right, and take new numbers without end."""

from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.sites import Site

from .conftest import PASSWORD, QUIZ, SMALL_TARGETS, complaints_about, log_in, sign_up
from .solving import givens, typed_answer

# Whether the givens, or anything else, cover the cell.
COVERED = """(cell) => {
  const { left, top, width, height } = cell.getBoundingClientRect();
  return document.elementFromPoint(left + width / 2, top + height / 2) !== cell;
}"""


def check_answer(page: Page) -> None:
    page.get_by_role("button", name="Check", exact=False).first.click()
    expect(page.get_by_role("heading", name="Feedback")).to_be_visible(timeout=20_000)


def start_skill(page: Page, family: str) -> Locator:
    """Start to practise a skill. Return its question."""
    page.goto(f"/practice/family/{family}/")
    page.get_by_role("button", name="Start").click()
    # Wait for the whole page: requests while it loads may bypass the route.
    page.wait_for_url("**/practice/*/*/")
    return page.locator("fieldset[data-item]")


def type_rightly(page: Page) -> dict[str, str]:
    answer = typed_answer(page.locator("fieldset[data-item]"))
    for name, text in answer.items():
        page.locator(f"[name={name}]").fill(text)
    return answer


def test_a_skill_is_checked_put_right_and_asked_with_new_numbers(student_page: Page) -> None:
    item = start_skill(student_page, "softmax_row")

    scores = givens(item)["scores"]
    for cell, value in zip(item.get_by_role("textbox").all(), np.exp(scores), strict=True):
        cell.fill(f"{value:.3f}")
    check_answer(student_page)
    expect(student_page.locator("[data-mistake=unnormalised]")).to_contain_text("divide each by")

    # A mark disappears together with its text.
    marks = item.locator(".cell-mark")
    before = marks.count()
    expect(item.get_by_role("textbox").first).to_have_accessible_description("wrong")
    inputs = item.locator(".cell input")
    heights = "cells => cells.map((cell) => cell.getBoundingClientRect().top + scrollY)"
    places = inputs.evaluate_all(heights)
    inputs.first.fill("0.25")
    assert inputs.evaluate_all(heights) == places
    expect(marks).to_have_count(before - 1)
    expect(item.locator("td.cell").last).not_to_have_class("cell")
    expect(item.get_by_role("textbox").first.locator("..")).to_have_class("cell")

    first = type_rightly(student_page)
    check_answer(student_page)
    expect(student_page.locator(".reviewed-step")).to_have_attribute("data-verdict", "right")

    seen = [scores.tolist()]
    for _ in range(3):
        student_page.get_by_role("button", name="Next with new numbers").click()
        expect(item.get_by_role("textbox").first).to_have_value("")
        seen.append(givens(item)["scores"].tolist())
    assert all(one != other for at, one in enumerate(seen) for other in seen[:at])

    variants = student_page.get_by_role("region", name="Variants so far")
    expect(variants.get_by_role("listitem")).to_have_count(4)
    variants.get_by_role("link", name="Variant 1").click()
    for name, text in first.items():
        expect(student_page.locator(f"[name={name}]")).to_have_value(text)


def test_on_a_phone_one_press_begins_and_a_bar_stays_in_view(student_page: Page) -> None:
    student_page.set_viewport_size({"width": 390, "height": 844})
    student_page.goto("/practice/")
    student_page.get_by_role("region", name="Start with one").get_by_role("button").first.click()
    student_page.wait_for_url("**/practice/*/*/")

    start_skill(student_page, "attention")
    bar = student_page.get_by_role("group", name="Your answer")
    cells = student_page.locator("fieldset[data-item]").get_by_role("textbox").all()
    for cell in cells:
        cell.focus()
        assert not cell.evaluate(COVERED)
        cell.fill("1")
        expect(bar.get_by_role("button", name="Check")).to_be_in_viewport(ratio=1)
    check_answer(student_page)
    expect(student_page.locator("#feedback")).to_be_focused()
    expect(bar.get_by_role("button", name="Check")).to_be_in_viewport(ratio=1)
    type_rightly(student_page)
    check_answer(student_page)
    expect(student_page.locator(".reviewed-step[data-verdict=right]").first).to_be_visible()
    expect(bar.locator(".button-primary")).to_have_accessible_name("Next with new numbers")
    # Nor does the end of the page lift it, and nothing is left below it.
    place = bar.bounding_box()
    student_page.evaluate("scrollTo(0, document.body.scrollHeight)")
    assert bar.bounding_box() == place
    footer = student_page.get_by_role("contentinfo").bounding_box()
    assert footer["y"] + footer["height"] <= place["y"]


def test_on_touch_one_bar_checks_and_feedback_on_an_earlier_answer_says_so(
    browser: Browser, site: Site, sessions: Iterator[str]
) -> None:
    with browser.new_context(base_url=site.url, has_touch=True, is_mobile=True) as context:
        page = context.new_page()
        log_in(page, site, next(sessions))
        cell = start_skill(page, "softmax_row").get_by_role("textbox").first
        cell.fill("0.1")
        expect(page.get_by_role("group", name="Your answer")).to_be_hidden()
        keys = page.get_by_role("group", name="Keys for the current cell")
        keys.get_by_role("button", name="Check").tap()
        expect(page.get_by_role("heading", name="Feedback")).to_be_visible(timeout=20_000)
        earlier = page.get_by_text("on the answer you last checked")
        expect(earlier).to_be_hidden()
        cell.fill("0.2")
        expect(earlier).to_be_visible()


@pytest.mark.slow
@pytest.mark.parametrize("size", [(390, 844), (1280, 800)])
def test_feedback_is_read_with_the_answer_above_it(
    student_page: Page, size: tuple[int, int]
) -> None:
    student_page.set_viewport_size({"width": size[0], "height": size[1]})
    item = start_skill(student_page, "attention")
    for cell in item.get_by_role("textbox").all():
        cell.fill("1")
    check_answer(student_page)
    expect(student_page.get_by_role("heading", name="Feedback")).to_be_in_viewport(ratio=1)
    last = item.get_by_role("textbox").last
    expect(last).to_be_in_viewport(ratio=0.5)
    assert not last.evaluate(COVERED)


def test_a_quiz_is_practised_without_a_clock(student_page: Page) -> None:
    student_page.goto(QUIZ)
    student_page.get_by_role("button", name="Practise without a time limit").click()
    expect(student_page.get_by_role("timer")).to_have_count(0)
    places = student_page.get_by_role("navigation", name="Questions").get_by_role("link")
    expect(places).to_have_count(15)
    for kind in ("numeric", "choice"):
        while student_page.locator("fieldset[data-item]").get_attribute("data-kind") != kind:
            student_page.get_by_role("link", name="Next question").click()
        if kind == "numeric":
            type_rightly(student_page)
        else:
            student_page.get_by_role("radio").first.check()
        check_answer(student_page)


def practise(page: Page) -> Locator:
    return start_skill(page, "softmax_row").get_by_role("textbox").first


@pytest.mark.slow
def test_a_log_in_that_ended_is_asked_for_in_practice_too(page: Page) -> None:
    email = sign_up(page)
    cell = practise(page)
    page.context.clear_cookies(name="sessionid")
    cell.fill("0.25")
    message = page.get_by_role("status").filter(has_text="logged out")
    with page.context.expect_page() as opened:
        message.get_by_role("link", name="log in again").click()
    again = opened.value
    again.get_by_label("Email").fill(email)
    again.get_by_label("Password").fill(PASSWORD)
    again.get_by_role("main").get_by_role("button", name="Log in", exact=True).click()
    again.wait_for_url(page.url)
    page.bring_to_front()
    expect(message).to_have_count(0)
    expect(cell).to_have_value("0.25")
    check_answer(page)


def test_practice_says_what_it_cannot_save(student_page: Page) -> None:
    cell = practise(student_page)
    student_page.route("**/draft/", lambda route: route.fulfill(status=404, json={"error": "gone"}))
    cell.fill("0.25")
    expect(
        student_page.get_by_role("status").filter(has_text="The server didn’t accept")
    ).to_be_visible()


@pytest.mark.slow
def test_whoever_is_stuck_takes_hints_and_a_mistake_that_is_mended_is_collected(
    student_page: Page,
) -> None:
    item = start_skill(student_page, "softmax_row")
    for cell, value in zip(
        item.get_by_role("textbox").all(), np.exp(givens(item)["scores"]), strict=True
    ):
        cell.fill(f"{value:.3f}")
    check_answer(student_page)
    student_page.goto("/learning/mistakes/")
    expect(student_page.get_by_role("heading", name="Still to catch")).to_be_visible()
    assert complaints_about(student_page) == []

    student_page.get_by_role("button", name="Softmax of a row").click()
    student_page.get_by_role("button", name="Next with new numbers").click()
    expect(item.get_by_role("textbox").first).to_have_value("")
    type_rightly(student_page)
    check_answer(student_page)
    student_page.goto("/learning/mistakes/")
    expect(student_page.get_by_role("heading", name="Softmax of a row")).to_be_visible()
    expect(student_page.get_by_role("heading", name="Still to catch")).to_have_count(0)
    assert complaints_about(student_page) == []

    start_skill(student_page, "attention_matrix")
    for name in ("a nudge", "the formula", "the first cell"):
        student_page.get_by_role("button", name=name).click()
    expect(student_page.locator(".hints li")).to_have_count(3)
    student_page.get_by_role("button", name="Solution").click()
    expect(student_page.locator(".help-solution")).to_contain_text("Divide every score by")
    assert complaints_about(student_page) == []
    for url in ("/today/", "/practice/", "/formulas/"):
        student_page.goto(url)
        assert complaints_about(student_page) == [], url
    assert student_page.evaluate(SMALL_TARGETS) == []
