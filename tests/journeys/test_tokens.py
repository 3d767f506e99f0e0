"""A token from its creation to its end, by keyboard alone, and its use by a program."""

import re

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.sites import Site

from .test_classes import INSTRUCTOR, check_look, instructor  # noqa: F401 - fixtures
from .test_giving_a_quiz import make_class

FOCUSED = "(document.activeElement.innerText || document.activeElement.name || '').trim()"


def tab_to(page: Page, name: str) -> None:
    """Press Tab until this control has the focus, and shows it."""
    for _press in range(60):
        page.keyboard.press("Tab")
        if page.evaluate(FOCUSED).startswith(name):
            return
    raise AssertionError(f"no way to {name} by Tab")


def press(page: Page, name: str) -> None:
    tab_to(page, name)
    page.keyboard.press("Enter")


@pytest.mark.slow
def test_a_token_is_made_used_and_revoked_by_keyboard(
    instructor: Page,  # noqa: F811
    site: Site,
) -> None:
    page = instructor
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    make_class(page, "Read by programs")
    page.goto("/teach/")
    press(page, "API tokens")
    page.wait_for_url("**/teach/tokens/")
    check_look(page)
    press(page, "Create a token")
    page.wait_for_url("**/accounts/reauthenticate/**")
    tab_to(page, "password")
    page.keyboard.type(INSTRUCTOR[1])
    page.keyboard.press("Enter")
    page.wait_for_url("**/teach/tokens/new/")
    check_look(page)
    press(page, "Create token")
    expect(page.get_by_text("This field is required").first).to_be_visible()
    check_look(page)
    tab_to(page, "name")
    page.keyboard.type("Journey")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Your token “Journey”")).to_be_visible()
    check_look(page)
    shown = page.locator(".secret-key").inner_text()

    program = httpx.Client(
        base_url=f"{site.url}/api/v1/", headers={"Authorization": f"Bearer {shown.strip()}"}
    )
    with program:
        assert program.get("families").status_code == 200
        page.goto("/teach/tokens/")
        assert shown not in page.content()
        line = page.get_by_role("listitem").filter(has_text="Journey")
        expect(line).to_contain_text("last used")
        press(page, "Revoke …")
        page.wait_for_url(re.compile("/revoke/$"))
        check_look(page)
        press(page, "Revoke")
        expect(page.get_by_text("The token has been revoked")).to_be_visible()
        answer = program.get("families")
        assert answer.status_code == 401
        assert answer.json()["detail"].startswith("This token isn’t valid")
    assert complaints == []


def test_the_reference_of_the_api_is_a_page_of_the_site(page: Page, site: Site) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("/api/")
    check_look(page)
    press(page, "GET /api/v1/classes/{class_id}/attempts")
    expect(page.get_by_text("List graded attempts, of one assignment")).to_be_visible()
    check_look(page)
    assert [url for url in asked if not url.startswith(site.url)] == []
