"""The pages of a quiz: accessible, on a phone, in the dark, and light to load."""

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from .conftest import (
    QUIZ,
    complaints_about,
    complaints_in_both_themes,
    open_summary,
    question_at,
    wait_until_saved,
)
from .solving import fill_in

LARGEST_PAGE = 150 * 1024
MOST_REQUESTS = 12
# In milliseconds; endless animations are infinite. Animations by scrolling take no time.
LONGEST_MOTION = """Math.max(0, ...document.getAnimations()
  .filter((motion) => motion.timeline === document.timeline)
  .map((motion) => motion.effect.getComputedTiming().endTime))"""

# The lines that what is known of each skill takes.
LINES = """all => all.map((facts) => new Set([...facts.children].map((each) => {
  const { top, bottom } = each.getBoundingClientRect();
  return Math.round((top + bottom) / 8);
})).size)"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "media",
    [{}, {"forced_colors": "active", "reduced_motion": "reduce"}],
    ids=["both themes", "forced, still"],
)
def test_every_page_of_a_quiz_reads_for_everyone(student_page: Page, media: dict[str, str]) -> None:
    page = student_page
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.emulate_media(**media)
    page.set_viewport_size({"width": 320, "height": 640})

    def look() -> None:
        assert (complaints_about if media else complaints_in_both_themes)(page) == [], page.url
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url
        if "reduced_motion" in media:
            assert page.evaluate(LONGEST_MOTION) <= 1, page.url

    page.goto("/attempts/")
    look()
    page.goto(QUIZ)
    look()
    page.get_by_role("button", name="Start the quiz").click()
    page.wait_for_url("**/attempts/*/")
    look()
    page.get_by_role("button", name="Show shortcuts").click()
    look()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Calculator").click()
    look()
    page.keyboard.press("Escape")
    fill_in(page, leave=(5,))
    question_at(page, "[data-family=cosine]").get_by_role("textbox").fill("1.2.3")
    question_at(page, "[data-family=scale_row]").get_by_role("textbox").first.fill("1/2")
    expect(page.locator("[aria-invalid]")).to_have_count(1)
    wait_until_saved(page)
    look()
    open_summary(page)
    page.wait_for_url("**/submit/?from=*")
    look()
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("points", timeout=20_000)
    look()
    known = ("/attempts/", "/quizzes/", QUIZ, "/learning/")
    for address in (*known, "/practice/", "/practice/family/cosine/"):
        page.goto(address)
        look()
        if address == "/learning/":
            page.locator("details").evaluate_all("all => all.forEach((each) => (each.open = true))")
            look()
            assert set(page.locator(".skill-facts").evaluate_all(LINES)) == {1}
    page.get_by_role("button", name="Start").click()
    look()
    page.locator("fieldset[data-item]").get_by_role("textbox").fill("0.5")
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_role("heading", name="Feedback")).to_be_visible(timeout=20_000)
    look()
    assert complaints == []


@pytest.mark.parametrize("width", [390, 1280])
def test_every_page_begins_at_one_left_edge(attempt_page: Page, width: int) -> None:
    page = attempt_page
    page.set_viewport_size({"width": width, "height": 800})
    beside = page.evaluate("document.body.offsetWidth") - 56 * 16
    edge = max(20, beside / 2)
    for address in (page.url, "/", "/lessons/primer/", "/learning/", "/quizzes/", "/accounts/"):
        page.goto(address)
        heads = page.locator(":is(.wordmark, main h1:not(.bar-title), .item h2):visible").all()
        assert {round(head.bounding_box()["x"]) for head in heads} == {round(edge)}, page.url


@pytest.mark.parametrize("width", [320, 1024])
def test_the_header_is_one_row_whatever_the_name(student_page: Page, width: int) -> None:
    student_page.set_viewport_size({"width": width, "height": 640})
    student_page.locator(".site-user span").evaluate("name => (name.textContent = 'M'.repeat(60))")
    assert student_page.locator(".site-header").bounding_box()["height"] <= 56
    assert student_page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_menus_of_the_header_open_and_close_by_keyboard(student_page: Page) -> None:
    student_page.set_viewport_size({"width": 320, "height": 640})
    header = student_page.get_by_role("banner")
    for button, link in (("Menu", "Practise"), ("Sam", "Account")):
        header.get_by_role("button", name=button).press("Enter")
        student_page.keyboard.press("Tab")
        expect(header.get_by_role("link", name=link)).to_be_visible()
        assert not complaints_about(student_page)
        student_page.keyboard.press("Escape")
        expect(header.get_by_role("link", name=link)).to_be_hidden()
        expect(header.get_by_role("button", name=button)).to_be_focused()


@pytest.mark.parametrize("address", ["/attempts/", "/quizzes/"])
def test_on_a_phone_a_table_of_quizzes_shows_all_of_a_row(attempt_page: Page, address: str) -> None:
    attempt_page.set_viewport_size({"width": 320, "height": 640})
    attempt_page.goto(address)
    name = "Attention foundations, by hand"
    row = (
        attempt_page.get_by_role("row")
        .filter(has=attempt_page.get_by_role("rowheader", name=name))
        .first
    )
    expect(row).to_be_visible()
    for cell in row.get_by_role("cell").all():
        box = cell.bounding_box()
        assert box["x"] + box["width"] <= 320
        head = cell.evaluate("cell => getComputedStyle(cell, '::before').content")
        assert (cell.get_attribute("data-head") or "") in head


def test_in_the_list_of_attempts_nothing_moves_when_a_script_takes_a_zone_away(
    attempt_page: Page,
) -> None:
    attempt_page.set_viewport_size({"width": 800, "height": 640})
    attempt_page.goto("/attempts/")
    score = attempt_page.get_by_role("columnheader", name="Score")
    before = score.bounding_box()
    write = "(time, text) => (time.textContent = text)"
    attempt_page.locator(".attempts time").first.evaluate(write, "Wed 25 Nov, 23:59, UTC")
    assert score.bounding_box() == before


def test_the_page_of_an_attempt_is_light(
    attempt_page: Page, context: BrowserContext, record_property
) -> None:
    session = context.new_cdp_session(attempt_page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    sizes: list[int] = []
    session.on("Network.loadingFinished", lambda done: sizes.append(done["encodedDataLength"]))
    attempt_page.reload(wait_until="networkidle")
    record_property("requests", len(sizes))
    record_property("bytes", sum(sizes))
    assert sum(sizes) < LARGEST_PAGE
    assert len(sizes) < MOST_REQUESTS
