"""One question at a time: the page's position, the focus, and flags."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.sites import Site

from .conftest import open_summary, palette_part, question_at, sign_up, start_quiz, wait_until_saved

SHOWN = "fieldset[data-item]:visible"


def shown_questions(page: Page) -> list[str]:
    return [item.get_attribute("data-item") for item in page.locator(SHOWN).all()]


def heading(page: Page, number: int):
    return page.get_by_role("heading", name=f"Question {number}", exact=True)


def test_one_question_is_in_view_and_the_focus_goes_along(attempt_page: Page) -> None:
    assert shown_questions(attempt_page) == ["1"]
    expect(attempt_page.get_by_role("button", name="Previous")).to_be_disabled()
    attempt_page.get_by_role("button", name="Next").click()
    assert shown_questions(attempt_page) == ["2"]
    expect(heading(attempt_page, 2)).to_be_focused()
    attempt_page.get_by_role("button", name="Previous").click()
    expect(heading(attempt_page, 1)).to_be_focused()
    attempt_page.get_by_role("link", name=re.compile("^9 ?:")).click()
    assert shown_questions(attempt_page) == ["9"]
    expect(heading(attempt_page, 9)).to_be_focused()
    current = attempt_page.locator("[data-palette][aria-current]")
    expect(current).to_have_attribute("data-palette", "9")


def test_the_address_leads_to_its_question_also_when_loaded_again(attempt_page: Page) -> None:
    attempt_page.goto(f"{attempt_page.url}#item-3")
    assert shown_questions(attempt_page) == ["3"]
    expect(heading(attempt_page, 3)).to_be_focused()
    attempt_page.get_by_role("button", name="Next").click()
    attempt_page.reload()
    expect(heading(attempt_page, 4)).to_be_visible()
    assert shown_questions(attempt_page) == ["4"]


def test_one_returns_to_the_first_question_that_is_not_answered(attempt_page: Page) -> None:
    url = attempt_page.url
    first = attempt_page.locator(SHOWN)
    for cell in first.get_by_role("textbox").all():
        cell.fill("1")
    for choice in first.get_by_role("radio").all():
        choice.check()
    wait_until_saved(attempt_page)
    attempt_page.reload()
    assert shown_questions(attempt_page) == ["1"]
    attempt_page.goto("/learning/")
    attempt_page.goto(url)
    expect(heading(attempt_page, 2)).to_be_focused()
    assert shown_questions(attempt_page) == ["2"]
    expect(attempt_page.locator("[data-palette][aria-current]")).to_have_text(re.compile("^2"))
    attempt_page.goto(f"{url}#item-9")
    assert shown_questions(attempt_page) == ["9"]


@pytest.mark.parametrize("size", [(320, 480), (1280, 720)])
def test_the_heading_is_never_behind_the_bar(attempt_page: Page, size: tuple[int, int]) -> None:
    attempt_page.set_viewport_size({"width": size[0], "height": size[1]})
    for number in (5, 10, 15):
        attempt_page.evaluate("scrollTo(0, document.body.scrollHeight)")
        question_at(attempt_page, f"[data-item='{number}']")
        top = heading(attempt_page, number).bounding_box()["y"]
        bar = attempt_page.locator(".bar").bounding_box()
        assert bar["y"] + bar["height"] <= top < size[1]


def test_what_scrolls_into_view_is_below_a_bar_of_two_lines(attempt_page: Page) -> None:
    attempt_page.set_viewport_size({"width": 1024, "height": 490})
    question_at(attempt_page, "[data-item='15']")
    attempt_page.evaluate("scrollTo(0, document.body.scrollHeight)")
    flag = attempt_page.locator(SHOWN).get_by_role("button", name="Flag")
    flag.evaluate("flag => flag.scrollIntoView({ block: 'nearest' })")
    bar = attempt_page.locator(".bar").bounding_box()
    assert bar["height"] > 60
    assert bar["y"] + bar["height"] <= flag.bounding_box()["y"]


def test_keys_go_on_and_back_also_from_a_cell(attempt_page: Page) -> None:
    question_at(attempt_page, "[data-family=cosine]").get_by_role("textbox").fill("0.5")
    here = int(shown_questions(attempt_page)[0])
    attempt_page.keyboard.press("Control+Enter")
    assert shown_questions(attempt_page) == [str(here + 1)]
    attempt_page.keyboard.press("Control+Shift+Enter")
    assert shown_questions(attempt_page) == [str(here)]
    attempt_page.keyboard.press("n")
    assert shown_questions(attempt_page) == [str(here + 1)]
    attempt_page.keyboard.press("p")
    cell = question_at(attempt_page, "[data-family=cosine]").get_by_role("textbox")
    cell.press("End")
    cell.press("n")
    expect(cell).to_have_value("0.5n")


def test_the_keys_are_listed_and_letters_can_be_switched_off(attempt_page: Page) -> None:
    attempt_page.keyboard.press("?")
    dialog = attempt_page.get_by_role("dialog", name="Keyboard")
    expect(dialog).to_contain_text("next question")
    dialog.get_by_role("checkbox", name="Use single-letter shortcuts").uncheck()
    attempt_page.keyboard.press("Escape")
    attempt_page.reload()
    heading(attempt_page, 1).focus()
    attempt_page.keyboard.press("n")
    attempt_page.keyboard.press("?")
    expect(dialog).to_be_hidden()
    assert shown_questions(attempt_page) == ["1"]
    attempt_page.get_by_role("button", name="Show shortcuts").click()
    expect(dialog).to_be_visible()


def test_on_a_phone_the_palette_leads_to_the_end_and_submitting_is_in_sight_there(
    attempt_page: Page,
) -> None:
    attempt_page.set_viewport_size({"width": 390, "height": 844})
    palette_part(attempt_page, "[name=review]").click()
    expect(attempt_page.get_by_role("button", name="Submit")).to_be_in_viewport(ratio=1)
    assert attempt_page.locator(".stays-in-sight").bounding_box()["height"] < 80


def test_on_a_phone_the_palette_says_what_its_signs_mean(attempt_page: Page) -> None:
    attempt_page.set_viewport_size({"width": 390, "height": 844})
    signs = palette_part(attempt_page, ".signs")
    expect(signs.get_by_role("listitem")).to_have_count(5)
    expect(signs).to_be_in_viewport(ratio=1)


def test_hints_for_numbers_are_not_shown_with_choices(attempt_page: Page) -> None:
    hint = attempt_page.get_by_text("Keep full precision")
    for kind, is_shown in (("choice", False), ("numeric", True), ("choice", False)):
        question_at(attempt_page, f"[data-kind={kind}]")
        expect(hint).to_be_visible(visible=is_shown)


def test_a_flag_is_kept_and_shown_before_submitting(attempt_page: Page) -> None:
    question_at(attempt_page, "[data-item='4']")
    flag = attempt_page.get_by_role("button", name="Flag")
    width = flag.bounding_box()["width"]
    with attempt_page.expect_response("**/flag/"):
        flag.click()
    expect(flag).to_have_attribute("aria-pressed", "true")
    expect(flag).to_have_accessible_name(re.compile("^Flagged question"))
    assert flag.bounding_box()["width"] == width
    heading(attempt_page, 4).focus()
    attempt_page.keyboard.press("n")
    with attempt_page.expect_response("**/flag/"):
        attempt_page.keyboard.press("f")
    attempt_page.reload()
    expect(attempt_page.locator("[data-palette][data-flagged]")).to_have_count(2)
    expect(attempt_page.locator("[data-palette='4']")).to_have_text(re.compile("flagged$"))
    with attempt_page.expect_response("**/flag/"):
        attempt_page.get_by_role("button", name="Flag").click()
    open_summary(attempt_page)
    flagged = attempt_page.get_by_role("listitem").filter(has_text="flagged")
    expect(flagged.get_by_role("link")).to_have_text(["Question 4"])
    flagged.get_by_role("link").click()
    expect(heading(attempt_page, 4)).to_be_focused()


def test_a_flag_that_could_not_be_kept_is_taken_back(attempt_page: Page) -> None:
    attempt_page.set_viewport_size({"width": 390, "height": 400})
    attempt_page.context.set_offline(True)
    flag = attempt_page.get_by_role("button", name="Flag")
    flag.click()
    attempt_page.evaluate("scrollTo(0, document.body.scrollHeight)")
    expect(attempt_page.get_by_text("The flag couldn’t be changed")).to_be_in_viewport(ratio=1)
    expect(flag).to_have_attribute("aria-pressed", "false")
    attempt_page.context.set_offline(False)
    flag.click()
    expect(flag).to_have_attribute("aria-pressed", "true")
    expect(attempt_page.get_by_text("The flag couldn’t be changed")).to_be_hidden()


def test_above_a_keyboard_the_next_question_begins_in_sight(attempt_page: Page) -> None:
    attempt_page.set_viewport_size({"width": 390, "height": 400})
    attempt_page.evaluate("scrollTo(0, document.body.scrollHeight)")
    attempt_page.get_by_role("button", name="Next").click()
    expect(heading(attempt_page, 2)).to_be_in_viewport(ratio=1)


def test_a_flag_after_another_page_has_submitted_leads_to_the_results(attempt_page: Page) -> None:
    other = attempt_page.context.new_page()
    other.goto(f"{attempt_page.url}submit/")
    other.get_by_role("button", name="Submit").click()
    other.wait_for_url("**/results/")
    attempt_page.get_by_role("button", name="Flag").click()
    attempt_page.wait_for_url("**/results/")


def test_a_clock_can_be_hidden_and_stays_so(attempt_page: Page) -> None:
    figures = attempt_page.locator(".clock-figures")
    expect(figures).to_be_visible()
    attempt_page.get_by_role("button", name="Hide time").click()
    expect(figures).to_be_hidden()
    attempt_page.reload()
    expect(figures).to_be_hidden()
    attempt_page.get_by_role("button", name="Show time").click()
    expect(figures).to_be_visible()


def test_all_questions_are_on_one_page_on_paper(attempt_page: Page) -> None:
    attempt_page.emulate_media(media="print")
    assert len(shown_questions(attempt_page)) == 15
    expect(attempt_page.locator("button:visible")).to_have_count(0)


@pytest.fixture
def unscripted(browser: Browser, site: Site) -> Iterator[Page]:
    """A student in an attempt, in a browser that runs no scripts."""
    context = browser.new_context(base_url=site.url)
    page = context.new_page()
    sign_up(page)
    start_quiz(page)
    url = page.url
    state = context.storage_state()
    context.close()
    context = browser.new_context(base_url=site.url, storage_state=state, java_script_enabled=False)
    page = context.new_page()
    page.goto(url)
    yield page
    context.close()


def test_without_a_script_all_are_on_one_page_and_flags_work(unscripted: Page) -> None:
    page, url = unscripted, unscripted.url
    expect(page.locator("fieldset[data-item]:visible")).to_have_count(15)
    page.locator("#item-2").get_by_role("textbox").first.fill("0.5")
    page.locator("#item-3").get_by_role("button", name="Flag").click()
    expect(page).to_have_url(f"{url}#item-3")
    expect(page.locator("[data-palette='3']")).to_have_attribute("data-flagged", "")
    expect(page.locator("#item-2").get_by_role("textbox").first).to_have_value("0.5")


def test_without_a_script_what_another_page_stored_can_be_taken(unscripted: Page) -> None:
    other = unscripted.context.new_page()
    other.goto(unscripted.url)
    for page, text in ((other, "0.1"), (unscripted, "0.2")):
        page.locator("#item-2").get_by_role("textbox").first.fill(text)
        page.get_by_role("button", name="Save").first.click()
    expect(unscripted.locator(".conflict")).to_contain_text("0.1")
    unscripted.get_by_role("link", name="use the saved answer").click()
    expect(unscripted.locator(".conflict")).to_have_count(0)
    expect(unscripted.locator("#item-2").get_by_role("textbox").first).to_have_value("0.1")
