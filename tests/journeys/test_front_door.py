"""A visitor tries a question and goes on to lesson 1; a new student is welcomed."""

import pytest
from playwright.sync_api import Page, expect

from tests.sites import Site

from .conftest import complaints_about, complaints_in_both_themes

# Visible parts that moved by themselves since the page began.
SHIFTED = """() => new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done(sum), 300);
})"""


def fits(page: Page) -> bool:
    return page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_visitor_has_an_answer_marked_by_two_clicks_and_goes_on_to_lesson_1(
    page: Page, site: Site
) -> None:
    page.goto("/")
    says = page.locator(".looking-says")
    expect(says).to_contain_text("“box” looks most at: keys")
    words = page.get_by_role("group", name="Choose a word").get_by_role("button")
    words.nth(7).hover()
    expect(says).to_contain_text("“are” looks most at")
    words.nth(2).focus()
    expect(says).to_contain_text("“keys” looks most at")
    expect(words.nth(2)).to_have_attribute("aria-pressed", "true")
    expect(words.nth(7).locator(".looking-weight")).to_be_empty()
    assert page.evaluate(SHIFTED) < 0.001

    page.get_by_role("link", name="Try a question").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Try a question")
    assert page.evaluate(SHIFTED) < 0.001
    cells = page.locator("fieldset[data-item]").get_by_role("textbox")
    for cell in cells.all():
        cell.fill("123.4")
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_role("heading", name="Feedback")).to_be_visible()
    expect(page.locator(".slip").first).to_contain_text("You: 123.4")
    expect(page.get_by_text("Worked solution, with your numbers")).to_be_visible()
    expect(cells.first).to_have_value("123.4")
    assert page.evaluate(SHIFTED) < 0.001
    assert page.context.cookies() == []

    page.get_by_role("link", name="Start lesson 1").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Attention foundations")
    page.go_back()
    expect(page.get_by_role("heading", name="Feedback")).to_be_visible()
    expect(cells.first).to_have_value("123.4")

    title = page.locator("fieldset h2").inner_text()
    page.get_by_role("link", name="Try another").click()
    expect(page.locator("fieldset h2")).not_to_have_text(title)
    for cell in cells.all():
        cell.fill("123.4")
    page.get_by_role("button", name="Check").click()
    page.get_by_role("link", name="Start lesson 1").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Attention foundations")


def test_a_new_student_is_welcomed_and_led_to_lesson_1(student_page: Page) -> None:
    expect(student_page.get_by_role("region", name="Start here")).to_contain_text("20 min")
    student_page.goto("/learning/")
    expect(student_page.get_by_role("heading", level=1)).to_have_text("Welcome, Sam")
    assert complaints_about(student_page) == []
    student_page.get_by_role("link", name="Start lesson 1").click()
    expect(student_page.get_by_role("heading", level=1)).to_contain_text("Attention foundations")


@pytest.mark.slow
# 640 px wide is a window of 1280 px at 200%.
@pytest.mark.parametrize("width", [320, 390, 640, 1280])
def test_the_way_in_is_for_everyone(student_page: Page, width: int) -> None:
    page = student_page
    page.set_viewport_size({"width": width, "height": 800})
    for address in ("/", "/learning/"):
        page.goto(address)
        assert complaints_in_both_themes(page) == [], address
        assert fits(page), address
    page.context.clear_cookies()
    for address in ("/", "/quizzes/", "/try/"):
        page.goto(address)
        assert complaints_in_both_themes(page) == [], address
        assert fits(page), address
    for cell in page.locator("fieldset[data-item]").get_by_role("textbox").all():
        cell.fill("0.5")
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_role("heading", name="Feedback")).to_be_visible()
    assert complaints_in_both_themes(page) == []
    assert fits(page)


def test_without_a_script_one_word_shows_where_it_looks(browser, site: Site) -> None:
    page = browser.new_page(java_script_enabled=False)
    page.goto(site.url)
    expect(page.locator(".looking-word.is-chosen")).to_contain_text("box")
    expect(page.get_by_role("group", name="Choose a word")).to_be_hidden()
    page.get_by_role("link", name="Try a question").click()
    for cell in page.locator("fieldset[data-item]").get_by_role("textbox").all():
        cell.fill("0.5")
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_role("heading", name="Feedback")).to_be_visible()
    page.close()
