"""The results of an attempt, and the actions that they offer."""

import pytest
from playwright.sync_api import Browser, Page, expect

from .conftest import complaints_about, open_summary, wait_until_saved
from .solving import fill_in

COUNT_FILLS = """globalThis.fills = 0;
const animate = Element.prototype.animate;
Element.prototype.animate = function (...how) {
  globalThis.fills += this.matches(".score-passed");
  return animate.apply(this, how);
};"""
FILLED = "globalThis.fills"


@pytest.mark.slow
def test_a_student_goes_on_from_results_and_shows_a_certificate_for_a_while(
    attempt_page: Page, browser: Browser
) -> None:
    page = attempt_page
    page.add_init_script(COUNT_FILLS)
    # The numeric items alone pass; the first wrong one is on a concept, and can be practised.
    fill_in(page, leave=(1,))
    wait_until_saved(page)
    open_summary(page)
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("points", timeout=20_000)
    results = page.url

    # A pass fills its bar the first time that it is read.
    page.wait_for_load_state()
    assert page.evaluate(FILLED) == 1
    page.reload()
    assert page.evaluate(FILLED) == 0
    page.evaluate("localStorage.clear()")
    page.emulate_media(reduced_motion="reduce")
    page.reload()
    assert page.evaluate(FILLED) == 0
    assert complaints_about(page) == []

    page.get_by_role("button", name="Practise").first.click()
    page.wait_for_url("**/practice/**")
    expect(page.get_by_role("button", name="Check").first).to_be_visible()

    page.goto(results)
    page.get_by_role("link", name="Next lesson:").click()
    expect(page.locator("article, main").first).to_be_visible()
    assert "/lessons/" in page.url

    page.goto(results)
    page.get_by_role("link", name="Certificate", exact=True).click()
    page.get_by_label("Name").fill("Ada Lovelace")
    page.get_by_role("button", name="Make the certificate").click()
    address = page.locator(".certificate-address a").get_attribute("href")
    assert complaints_about(page) == []
    stranger = browser.new_context(base_url=page.url.partition("/attempts/")[0]).new_page()
    stranger.goto(address or "")
    expect(stranger.get_by_text("Ada Lovelace").first).to_be_visible()
    assert complaints_about(stranger) == []

    page.get_by_role("link", name="Withdraw the certificate").click()
    page.get_by_role("button", name="Withdraw").click()
    expect(page.get_by_role("link", name="Certificate", exact=True)).to_be_visible()
    stranger.reload()
    expect(stranger.get_by_text("Ada Lovelace")).to_have_count(0)
    assert complaints_about(stranger) == []
    stranger.context.close()
