"""An author takes a quiz as a student does, by keyboard, and leafs through its variants."""

import pytest
from playwright.sync_api import Page, expect

from tests.sites import Site

from .conftest import complaints_about, log_in, wait_until_saved

BANNER = "This is a preview."
OF_THE_FRAME = ("region", "landmark-one-main")  # the frame around our part is the library's


@pytest.fixture
def quiz(page: Page, site: Site, staff_sessions: dict[str, str]) -> Page:
    """The demo's instructor, at the preview of a quiz."""
    log_in(page, site, staff_sessions["instructor"])
    page.goto("/admin/quizzes/quiz/")
    page.get_by_role("link", name="Attention foundations, by hand").first.click()
    page.wait_for_url("**/change/")
    page.goto(page.url.replace("/change/", "/preview/"))
    return page


def press(page: Page, role: str, name: str) -> None:
    """Press a control by keyboard, after checking that it takes the focus."""
    control = page.get_by_role(role, name=name, exact=True).first
    control.focus()
    expect(control).to_be_focused()
    page.keyboard.press("Enter")


@pytest.mark.slow
def test_a_preview_is_begun_answered_marked_and_deleted_by_keyboard(quiz: Page):
    page = quiz
    assert complaints_about(page, without=OF_THE_FRAME) == []
    press(page, "button", "Start preview")
    page.wait_for_url("**/attempts/*/")
    expect(page.get_by_role("main")).to_contain_text(BANNER)
    assert complaints_about(page) == []

    page.get_by_role("radio").first.focus()
    page.keyboard.press("Space")
    wait_until_saved(page)
    press(page, "button", "Review and submit")
    page.wait_for_url("**/submit/?from=*")
    expect(page.get_by_role("main")).to_contain_text("1 of 15 questions are answered")
    expect(page.get_by_role("main")).to_contain_text(BANNER)
    press(page, "button", "Submit")
    page.wait_for_url("**/results/")
    # A real worker marks it, and the page updates by itself.
    expect(page.get_by_role("heading", level=1)).to_contain_text("points")
    expect(page.get_by_role("main")).to_contain_text(BANNER)
    assert complaints_about(page) == []

    page.goto("/learning/")
    expect(page.get_by_role("main")).not_to_contain_text("Attention foundations, by hand, attempt")
    page.go_back()
    press(page, "link", "Delete preview …")
    page.wait_for_url("**/delete/")
    assert complaints_about(page, without=OF_THE_FRAME) == []
    press(page, "button", "Delete preview")
    page.wait_for_url("**/preview/")
    expect(page.get_by_text("The preview has been deleted.")).to_be_visible()
    expect(page.get_by_role("heading", name="Your previews")).to_have_count(0)


@pytest.mark.slow
def test_variants_are_leafed_through_and_one_is_struck_out(
    quiz: Page, site: Site, staff_sessions: dict[str, str]
):
    page = quiz
    # Only administrators withdraw numbers.
    log_in(page, site, staff_sessions["administrator"])
    page.reload()
    press(page, "link", "20 variants of Cosine similarity")
    expect(page.get_by_role("heading", name="Variants 1–20")).to_be_visible()
    assert complaints_about(page) == []
    press(page, "button", "Expand all")
    expect(page.get_by_text("Results").first).to_be_visible()
    assert complaints_about(page) == []
    press(page, "link", "Next 20")
    expect(page.get_by_role("heading", name="Variants 21–40")).to_be_visible()

    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    press(page, "link", "Withdraw variant 21")
    page.wait_for_url("**/struckout/add/**")
    assert complaints_about(page) == []
    press(page, "button", "Withdraw")
    expect(page.get_by_text("This field is required.").first).to_be_visible()
    assert complaints_about(page) == []
    page.get_by_label("Reason").fill("It looks like a printing error")
    press(page, "button", "Withdraw")
    expect(page.get_by_text("It looks like a printing error")).to_be_visible()


def test_the_questions_of_a_topic_are_shown_as_students_see_them(quiz: Page):
    page = quiz
    press(page, "link", "the questions on Near and far words")
    expect(page.get_by_role("radio").first).to_be_visible()
    assert complaints_about(page) == []
