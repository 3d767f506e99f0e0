"""Starting an attempt while numbers are lacking."""

import os
import signal
from collections.abc import Iterator
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from tests.sites import Site

from .conftest import QUIZ, complaints_about

# This many of the slowest kind take longer than one request may draw, even on a fast machine.
MANY = 45
SLOW_QUIZ = """
from quizzes.models import Quiz, Variant
Variant.objects.filter(family="multi_head", given_at=None).delete()
quiz = Quiz.objects.create(slug={slug!r}, title="The slow quiz", published=True)
for position in range(1, {many} + 1):
    quiz.slots.create(position=position, family="multi_head")
"""

WITHDRAW = """
from quizzes.models import Quiz
Quiz.objects.filter(slug={slug!r}).update(published=False)
"""


@pytest.fixture
def no_worker(site: Site) -> Iterator[None]:
    """Freeze the worker, so that no numbers are drawn before or while the page waits."""
    os.kill(site.pids["worker"], signal.SIGSTOP)
    yield
    os.kill(site.pids["worker"], signal.SIGCONT)


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 720), (320, 568)])
def test_the_start_is_in_sight_while_the_rules_are_read(
    student_page: Page, width: int, height: int
):
    student_page.set_viewport_size({"width": width, "height": height})
    student_page.goto(QUIZ)
    start = student_page.get_by_role("button", name="Start the quiz")
    expect(start).to_be_in_viewport(ratio=1)
    expect(student_page.locator(".lede")).to_be_in_viewport(ratio=1)
    # At the very end nothing is beneath it.
    student_page.evaluate("scrollTo({top: document.body.scrollHeight, behavior: 'instant'})")
    bottom = "(element) => element.getBoundingClientRect().bottom"
    top = "(element) => element.getBoundingClientRect().top"
    assert student_page.locator(".rules").evaluate(bottom) < start.evaluate(top)


def test_going_back_from_an_attempt_offers_to_continue_it(student_page: Page):
    page = student_page
    page.goto(QUIZ)
    page.get_by_role("button", name="Start the quiz").click()
    page.wait_for_url("**/attempts/*/")
    page.go_back()
    expect(page.get_by_role("link", name="Continue attempt 1")).to_be_visible()
    # A page that the browser had kept whole is loaded again.
    for address in (QUIZ, "/quizzes/", "/learning/"):
        page.goto(address)
        with page.expect_navigation():
            page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")


@pytest.mark.slow
def test_a_page_says_that_numbers_are_drawn_and_the_attempt_begins_by_itself(
    site: Site, no_worker: None, student_page: Page
):
    slug = f"slow-{uuid4().hex[:8]}"
    site.run(SLOW_QUIZ.format(slug=slug, many=MANY))
    student_page.set_viewport_size({"width": 320, "height": 640})
    student_page.goto(f"/quizzes/{slug}/")
    # As on a network that loads the page without its script: it stays until it is reloaded.
    student_page.route("**/reloading*.js", lambda route: route.abort())
    student_page.get_by_role("button", name="Start the quiz").click()
    expect(student_page.get_by_role("heading", level=1)).to_have_text("Preparing your numbers")
    assert complaints_about(student_page) == []
    assert student_page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    student_page.unroute("**/reloading*.js")
    student_page.get_by_role("link", name="Continue").click()
    student_page.wait_for_url("**/attempts/*/", timeout=90_000)
    expect(student_page.locator("fieldset[data-item]")).to_have_count(MANY)
    site.run(WITHDRAW.format(slug=slug))
