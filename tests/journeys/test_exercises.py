"""The exercise at the end of a section, answered in its place on the page of the lesson."""

import pytest
from playwright.sync_api import Locator, Page, expect

from .conftest import complaints_in_both_themes

LESSON = "/lessons/attention-foundations/"
ROOT_OF_THREE = 3**0.5


def exercise_on(page: Page) -> Locator:
    page.goto(f"{LESSON}#formula")
    return page.locator("#formula [data-exercise]")


def given_score(exercise: Locator) -> float:
    return float(exercise.locator(".is-fixed").get_attribute("data-value") or "")


def test_a_student_is_wrong_then_right_and_reaches_the_next_rung(student_page: Page) -> None:
    page, exercise = student_page, exercise_on(student_page)
    rung = exercise.locator("[aria-current]")
    expect(rung).to_have_text("Example first")
    expect(exercise.locator(".example + h4")).to_have_text("Now with these numbers")
    cell = exercise.get_by_role("textbox")
    cell.fill(f"{given_score(exercise)}")
    cell.press("Enter")
    page.keyboard.press("Enter")
    expect(exercise.locator("[data-mistake]")).to_contain_text("divide by")
    expect(exercise.get_by_role("heading", name="Feedback")).to_be_focused()
    exercise.get_by_role("link", name="Get new numbers").press("Enter")
    expect(exercise.locator(".feedback")).to_have_count(0)
    expect(exercise.get_by_role("heading", name="Your turn")).to_be_focused()
    cell.fill(f"{given_score(exercise) / ROOT_OF_THREE:.3f}")
    exercise.get_by_role("button", name="Check").click()
    expect(exercise.locator(".feedback")).to_contain_text("right")
    exercise.get_by_role("link", name="Next").click()
    expect(rung).to_have_text("Last step")
    page.reload()
    expect(rung).to_have_text("Last step")


def test_on_a_phone_the_checked_answer_stays_whole_above_its_feedback(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    exercise = exercise_on(page)
    exercise.get_by_role("textbox").fill("1")
    exercise.get_by_role("button", name="Check").click()
    expect(exercise.get_by_role("heading", name="Feedback")).to_be_in_viewport(ratio=1)
    answer, pace = (page.locator(each).bounding_box() for each in ("#formula .answer", ".pace"))
    assert pace["y"] + pace["height"] <= answer["y"] <= answer["y"] + answer["height"] <= 844


def test_the_calculator_comes_when_it_is_asked_for(page: Page) -> None:
    exercise = exercise_on(page)
    exercise.get_by_role("button", name="Calculator").click()
    dialog = page.get_by_role("dialog", name="Calculator")
    dialog.get_by_label("Calculation").fill("1 ÷ 4")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(exercise.get_by_role("textbox")).to_have_value("0.25")


def test_without_an_answer_from_the_server_what_was_typed_stays(page: Page) -> None:
    exercise = exercise_on(page)
    page.route("**/exercises/**", lambda route: route.abort())
    exercise.get_by_role("textbox").fill("1")
    exercise.get_by_role("button", name="Check").click()
    expect(exercise.get_by_role("status").last).to_contain_text("couldn’t be sent")
    expect(exercise.get_by_role("textbox")).to_have_value("1")


@pytest.mark.parametrize("width", [390, 1280])
def test_exercises_are_for_everyone_also_on_paper(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto("/exercises/attention-foundations/formula/")
    page.get_by_role("textbox").fill("1")
    page.get_by_role("button", name="Check").click()
    expect(page.locator(".feedback")).to_be_visible()
    assert complaints_in_both_themes(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.emulate_media(media="print")
    expect(page.locator(".exercise .matrix").first).to_be_visible()
    for control in (".actions", ".rungs", ".feedback"):
        expect(page.locator(f".exercise {control}").first).to_be_hidden()
