"""The account page, and its owner's changes there."""

import pytest
from playwright.sync_api import Page, expect

from .conftest import PASSWORD, complaints_about, complaints_in_both_themes, sign_up


@pytest.mark.slow
def test_an_owner_looks_around_and_proves_who_is_there(page: Page) -> None:
    sign_up(page)
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.set_viewport_size({"width": 320, "height": 640})

    page.locator(".site-user").click()
    page.get_by_role("banner").get_by_role("link", name="Account").click()
    expect(page.get_by_role("heading", level=1, name="Your account")).to_be_visible()
    assert not complaints_about(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("textbox", name="Name", exact=True).fill("Ada King")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Your name has been changed.")).to_be_visible()
    expect(page.locator(".site-user")).to_have_text("Ada")
    page.get_by_role("combobox", name="Time zone").fill("tokyo")
    page.get_by_role("button", name="Save time zone").press("Enter")
    expect(page.get_by_role("combobox", name="Time zone")).to_have_value("Asia/Tokyo")

    page.get_by_role("link", name="See where you’re logged in").click()
    expect(page.get_by_text("this browser")).to_be_visible()
    assert not complaints_about(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("link", name="Your account", exact=True).click()
    page.get_by_role("link", name="Manage email addresses").click()
    page.get_by_label("Email address").fill("ada@home.example")
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_role("heading", name="Confirm it’s you")).to_be_visible()
    assert not complaints_about(page)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Continue").click()

    expect(page.get_by_text("ada@home.example").first).to_be_visible()
    assert not complaints


@pytest.mark.slow
@pytest.mark.parametrize("width", [320, 390, 1280])
def test_the_page_reads_for_everyone_at_any_width(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    sign_up(page)
    page.goto("/accounts/")
    assert not complaints_in_both_themes(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
