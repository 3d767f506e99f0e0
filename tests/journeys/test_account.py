"""The pages of an account, with what its owner does there to keep it."""

from playwright.sync_api import Page, expect

from .conftest import PASSWORD, complaints_about, sign_up


def test_an_owner_looks_around_and_proves_who_is_there(page: Page) -> None:
    sign_up(page)
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.set_viewport_size({"width": 320, "height": 640})

    page.goto("/accounts/sessions/")
    expect(page.get_by_text("this browser")).to_be_visible()
    assert not complaints_about(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("link", name="Email").click()
    page.get_by_label("Email address").fill("ada@home.example")
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_role("heading", name="Confirm it's you")).to_be_visible()
    assert not complaints_about(page)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Continue").click()

    expect(page.get_by_text("ada@home.example").first).to_be_visible()
    assert not said
