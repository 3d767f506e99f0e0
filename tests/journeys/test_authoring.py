"""An author in a browser: the editor's toolbar, its preview, its widgets and its errors."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.sites import Site

from .conftest import complaints_about, log_in

LESSONS = "/admin/lessons/lesson/"
COPY = """
from django.contrib.auth import get_user_model
from lessons.authoring.services import duplicate_lesson
from lessons.models import Lesson
by = get_user_model().objects.get(email="instructor@softmark.example")
print(duplicate_lesson(lesson=Lesson.objects.get(slug="attention-foundations"), user=by).pk)
"""


@pytest.fixture
def author(page: Page, site: Site, staff_sessions: dict[str, str]) -> Page:
    """The demo's instructor, with a lesson of this test's own open in the editor."""
    log_in(page, site, staff_sessions["instructor"])
    page.goto(f"{LESSONS}{site.run(COPY).strip()}/change/")
    page.get_by_role("link", name="Sections", exact=True).click()
    return page


def body_of(page: Page) -> Locator:
    body = page.get_by_label("Body").first
    expect(body).to_be_visible()
    return body


def preview_of(page: Page):
    return page.frame_locator("iframe[title='Preview of Body']").first


@pytest.mark.slow
def test_a_section_is_written_with_toolbar_preview_and_widgets(author: Page):
    body = body_of(author)
    body.fill("plain")
    body.select_text()
    author.keyboard.press("Control+b")
    expect(body).to_have_value("**plain**")
    expect(preview_of(author).locator("strong", has_text="plain")).to_be_visible()

    body.press("Control+End")
    bar = author.locator(".md-editor:has([name='sections-0-body'])").get_by_role("toolbar")
    bar.get_by_text("Widget", exact=True).click()
    bar.get_by_role("button", name="heat matrix").click()
    expect(preview_of(author).get_by_role("table")).to_be_visible()

    body.press("Control+Home")
    author.keyboard.type("First.\n\nWrong: $\\foo$.\n\n")
    trouble = author.locator(".md-wrong .md-trouble").first
    expect(trouble).to_contain_text("Line 3: the formula")
    trouble.get_by_role("button", name="Go to line").click()
    chosen = "field => field.value.slice(field.selectionStart, field.selectionEnd)"
    assert body.evaluate(chosen) == "Wrong: $\\foo$."

    # Saved all the same: the field shows an error, and what was typed is still there.
    author.get_by_role("button", name="Save and continue").first.click()
    author.wait_for_load_state()
    expect(author.get_by_text("Line 3: the formula").first).to_be_visible()
    expect(body_of(author)).to_have_value(re.compile(r"^First\.\s+Wrong: \$\\foo\$\."))

    body_of(author).fill(body_of(author).input_value().replace("Wrong: $\\foo$.", "Right."))
    author.get_by_role("button", name="Save and continue").first.click()
    author.wait_for_load_state()
    author.get_by_role("link", name="View as student").click()
    expect(author.get_by_text("This is how a student sees the lesson")).to_be_visible()
    expect(author.get_by_text("Right.", exact=True)).to_be_visible()


@pytest.mark.slow
def test_the_slug_of_a_new_section_follows_its_title(author: Page):
    author.get_by_text("Add another Section").click()
    title = author.locator("[name^=sections][name$=-title]:visible").last
    slug = author.locator("[name^=sections][name$=-slug]:visible").last
    title.press_sequentially("A new one")
    expect(slug).to_have_value("a-new-one")
    slug.fill("mine")
    title.press_sequentially(", longer")
    expect(slug).to_have_value("mine")


def test_the_toolbar_is_one_stop_with_arrows_inside_and_escape_closes_a_menu(author: Page):
    body = body_of(author)
    body.focus()
    author.keyboard.press("Shift+Tab")
    expect(author.locator(":focus")).to_have_text("Bold")
    author.keyboard.press("ArrowRight")
    expect(author.locator(":focus")).to_have_text("Italic")
    for _ in range(7):
        author.keyboard.press("ArrowRight")
    expect(author.locator(":focus")).to_have_text("Widget")
    author.keyboard.press("Enter")
    author.keyboard.press("ArrowDown")
    expect(author.locator(":focus")).to_contain_text("attention")
    author.keyboard.press("Escape")
    expect(author.locator(":focus")).to_have_text("Widget")
    author.keyboard.press("Tab")
    expect(body).to_be_focused()


@pytest.mark.slow
def test_axe_finds_nothing_of_ours_in_the_editor_and_the_history(author: Page):
    body_of(author).focus()
    author.locator(".md-menu summary").first.evaluate("menu => menu.click()")
    expect(preview_of(author).locator("p").first).to_be_visible()
    ours = complaints_about(author, ".md-editor")
    lesson = author.url.partition("change/")[0]
    for page in ("history/", "duplicate/", "../import_lessons/"):
        author.goto(lesson + page)
        ours += complaints_about(author, "#content")
    assert ours == []
