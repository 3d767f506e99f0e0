"""The pages of a quiz as a whole: for everyone, on a phone, in the dark, and light to load."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, Page, expect

from .conftest import QUIZ, saved
from .solving import fill_in

LARGEST_PAGE = 150 * 1024


def complaints_about(page: Page) -> list[str]:
    return [
        f"{found['id']}: {found['nodes'][0]['html'][:120]}"
        for found in Axe().run(page).response["violations"]
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_page_of_a_quiz_reads_for_everyone(student: Page, theme: str) -> None:
    page = student
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.emulate_media(color_scheme=theme)
    page.set_viewport_size({"width": 320, "height": 640})

    def look() -> None:
        assert complaints_about(page) == [], page.url
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url

    page.goto("/attempts/")
    look()
    page.goto(QUIZ)
    look()
    page.get_by_role("button", name="Start the quiz").click()
    look()
    fill_in(page, leave=(5,))
    page.locator("fieldset[data-family=cosine]").get_by_role("textbox").fill("1.2.3")
    page.locator("fieldset[data-family=scale_row]").get_by_role("textbox").first.fill("1/2")
    expect(page.locator("[aria-invalid]")).to_have_count(1)
    saved(page)
    look()
    page.get_by_role("button", name="Review and submit").click()
    page.wait_for_url("**/submit/")
    look()
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("points", timeout=20_000)
    look()
    page.goto("/attempts/")
    look()
    page.goto(QUIZ)
    look()
    assert said == []


def test_the_page_of_an_attempt_is_light(
    taking: Page, context: BrowserContext, record_property
) -> None:
    session = context.new_cdp_session(taking)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    sizes: list[int] = []
    session.on("Network.loadingFinished", lambda done: sizes.append(done["encodedDataLength"]))
    taking.reload(wait_until="networkidle")
    record_property("requests", len(sizes))
    record_property("bytes", sum(sizes))
    assert sum(sizes) < 1.5 * LARGEST_PAGE
    assert len(sizes) < 25
