"""The results of an attempt, and the actions that they offer."""

import pytest
from playwright.sync_api import Browser, Page, expect

from .conftest import complaints_about, open_summary, wait_until_saved
from .solving import fill_in

LEFT_OUT = "#item-1"


@pytest.mark.slow
def test_a_student_goes_on_from_results_and_shows_a_certificate_for_a_while(
    attempt_page: Page, browser: Browser
) -> None:
    page = attempt_page
    # The numeric items alone pass; the first wrong one is on a concept, and can be practised.
    fill_in(page, leave=(1,))
    wait_until_saved(page)
    open_summary(page)
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("points", timeout=20_000)
    results = page.url

    right = page.locator("section.item[data-verdict=right]").first
    expect(right).to_be_visible()
    page.get_by_label("Only mistakes").check()
    expect(right).to_be_hidden()
    expect(page.locator(LEFT_OUT)).to_be_visible()
    page.get_by_label("Only mistakes").uncheck()
    expect(right).to_be_visible()
    assert complaints_about(page) == []

    skills = page.locator(".skills")
    expect(skills).to_be_hidden()
    page.emulate_media(media="print")
    expect(skills).to_be_visible()
    page.emulate_media(media="screen")

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
