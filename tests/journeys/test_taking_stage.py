"""One question at a time: the page's position, the focus, and flags."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.sites import Site

from .conftest import at, finish, in_palette, sign_up, start

SHOWN = "fieldset[data-item]:visible"


def shown(page: Page) -> list[str]:
    return [item.get_attribute("data-item") for item in page.locator(SHOWN).all()]


def heading(page: Page, number: int):
    return page.get_by_role("heading", name=f"Question {number}", exact=True)


def test_one_question_is_in_view_and_the_focus_goes_along(taking: Page) -> None:
    assert shown(taking) == ["1"]
    expect(taking.get_by_role("button", name="Previous")).to_be_disabled()
    taking.get_by_role("button", name="Next").click()
    assert shown(taking) == ["2"]
    expect(heading(taking, 2)).to_be_focused()
    taking.get_by_role("button", name="Previous").click()
    expect(heading(taking, 1)).to_be_focused()
    taking.get_by_role("link", name=re.compile("^9 ?:")).click()
    assert shown(taking) == ["9"]
    expect(heading(taking, 9)).to_be_focused()
    current = taking.locator("[data-palette][aria-current]")
    expect(current).to_have_attribute("data-palette", "9")


def test_the_address_leads_to_its_question_also_when_loaded_again(taking: Page) -> None:
    taking.goto(f"{taking.url}#item-3")
    assert shown(taking) == ["3"]
    expect(heading(taking, 3)).to_be_focused()
    taking.get_by_role("button", name="Next").click()
    taking.reload()
    expect(heading(taking, 4)).to_be_visible()
    assert shown(taking) == ["4"]


@pytest.mark.parametrize("size", [(320, 480), (1280, 720)])
def test_the_heading_is_never_behind_the_bar(taking: Page, size: tuple[int, int]) -> None:
    taking.set_viewport_size({"width": size[0], "height": size[1]})
    for number in (5, 10, 15):
        taking.evaluate("scrollTo(0, document.body.scrollHeight)")
        at(taking, f"[data-item='{number}']")
        top = heading(taking, number).bounding_box()["y"]
        bar = taking.locator(".bar").bounding_box()
        assert bar["y"] + bar["height"] <= top < size[1]


def test_keys_go_on_and_back_also_from_a_cell(taking: Page) -> None:
    at(taking, "[data-family=cosine]").get_by_role("textbox").fill("0.5")
    here = int(shown(taking)[0])
    taking.keyboard.press("Control+Enter")
    assert shown(taking) == [str(here + 1)]
    taking.keyboard.press("Control+Shift+Enter")
    assert shown(taking) == [str(here)]
    taking.keyboard.press("n")
    assert shown(taking) == [str(here + 1)]
    taking.keyboard.press("p")
    cell = at(taking, "[data-family=cosine]").get_by_role("textbox")
    cell.press("End")
    cell.press("n")
    expect(cell).to_have_value("0.5n")


def test_the_keys_are_listed_and_letters_can_be_switched_off(taking: Page) -> None:
    taking.keyboard.press("?")
    dialog = taking.get_by_role("dialog", name="Keyboard")
    expect(dialog).to_contain_text("next question")
    dialog.get_by_role("checkbox", name="Use single-letter shortcuts").uncheck()
    taking.keyboard.press("Escape")
    taking.reload()
    heading(taking, 1).focus()
    taking.keyboard.press("n")
    taking.keyboard.press("?")
    expect(dialog).to_be_hidden()
    assert shown(taking) == ["1"]
    taking.get_by_role("button", name="Keyboard").click()
    expect(dialog).to_be_visible()


def test_on_a_phone_the_palette_leads_to_the_end_and_submitting_is_in_sight_there(
    taking: Page,
) -> None:
    taking.set_viewport_size({"width": 390, "height": 844})
    in_palette(taking, "[name=review]").click()
    expect(taking.get_by_role("button", name="Submit")).to_be_in_viewport(ratio=1)


def test_a_flag_is_kept_and_shown_before_submitting(taking: Page) -> None:
    at(taking, "[data-item='4']")
    flag = taking.get_by_role("button", name="Flag")
    with taking.expect_response("**/flag/"):
        flag.click()
    expect(flag).to_have_attribute("aria-pressed", "true")
    heading(taking, 4).focus()
    taking.keyboard.press("n")
    with taking.expect_response("**/flag/"):
        taking.keyboard.press("f")
    taking.reload()
    expect(taking.locator("[data-palette][data-flagged]")).to_have_count(2)
    expect(taking.locator("[data-palette='4']")).to_have_text(re.compile("flagged$"))
    with taking.expect_response("**/flag/"):
        taking.get_by_role("button", name="Flag").click()
    finish(taking)
    flagged = taking.get_by_role("listitem").filter(has_text="flagged")
    expect(flagged.get_by_role("link")).to_have_text(["Question 4"])
    flagged.get_by_role("link").click()
    expect(heading(taking, 4)).to_be_focused()


def test_a_flag_that_could_not_be_kept_is_taken_back(taking: Page) -> None:
    taking.context.set_offline(True)
    flag = taking.get_by_role("button", name="Flag")
    flag.click()
    expect(taking.get_by_text("The flag could not be changed")).to_be_visible()
    expect(flag).to_have_attribute("aria-pressed", "false")
    taking.context.set_offline(False)
    flag.click()
    expect(flag).to_have_attribute("aria-pressed", "true")
    expect(taking.get_by_text("The flag could not be changed")).to_be_hidden()


def test_a_flag_after_another_page_has_submitted_leads_to_the_results(taking: Page) -> None:
    other = taking.context.new_page()
    other.goto(f"{taking.url}submit/")
    other.get_by_role("button", name="Submit").click()
    other.wait_for_url("**/results/")
    taking.get_by_role("button", name="Flag").click()
    taking.wait_for_url("**/results/")


def test_a_clock_can_be_hidden_and_stays_so(taking: Page) -> None:
    figures = taking.locator(".clock-figures")
    expect(figures).to_be_visible()
    taking.get_by_role("button", name="Hide time").click()
    expect(figures).to_be_hidden()
    taking.reload()
    expect(figures).to_be_hidden()
    taking.get_by_role("button", name="Show time").click()
    expect(figures).to_be_visible()


def test_all_questions_are_on_one_page_on_paper(taking: Page) -> None:
    taking.emulate_media(media="print")
    assert len(shown(taking)) == 15
    expect(taking.locator("button:visible")).to_have_count(0)


@pytest.fixture
def unscripted(browser: Browser, site: Site) -> Iterator[Page]:
    """A student in an attempt, in a browser that runs no scripts."""
    context = browser.new_context(base_url=site.url)
    page = context.new_page()
    sign_up(page)
    start(page)
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
