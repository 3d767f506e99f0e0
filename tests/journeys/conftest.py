"""Students in a browser, on the whole site as its users meet it."""

import re
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

QUIZ = "/quizzes/attention-foundations/"


def sign_up(page: Page) -> str:
    """Sign up a new student on the page's own form; their e-mail address."""
    email = f"student-{uuid4().hex[:12]}@example.org"
    page.goto("/accounts/signup/")
    page.get_by_label("Name").fill("Sam Student")
    page.get_by_label("E-mail").fill(email)
    page.get_by_label("Password").first.fill("a long enough password")
    page.get_by_role("main").get_by_role("button", name="Sign up").click()
    page.wait_for_url("**/")
    return email


@pytest.fixture
def student(page: Page) -> Page:
    """A page on which a new student is logged in."""
    sign_up(page)
    return page


@pytest.fixture
def taking(student: Page) -> Page:
    """A student in the first minute of an attempt."""
    start(student)
    return student


def start(page: Page) -> None:
    page.goto(QUIZ)
    page.get_by_role("button", name="Start the quiz").click()
    page.wait_for_url("**/attempts/*/")


def saved(page: Page) -> None:
    """Wait until everything that was typed is stored, and the page says so."""
    line = page.locator("[data-saving]")
    expect(line).to_have_attribute("data-state", "saved", timeout=15_000)
    expect(line).to_have_text(re.compile(r"^Saved \d\d:\d\d$"))
