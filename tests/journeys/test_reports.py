"""A wrong question: reported while the quiz runs, answered, and read in the review."""

import re
from collections.abc import Callable
from secrets import token_hex

import pytest
from playwright.sync_api import Locator, Page, expect

from .conftest import (
    complaints_in_both_themes,
    open_summary,
    question_at,
    start_quiz,
    wait_until_saved,
)
from .test_classes import check_look, instructor, somebody  # noqa: F401 - fixtures

NUMERIC = "[data-kind=numeric]"


def report_of(page: Page, position: str | None) -> Locator:
    return page.locator(f"#item-{position} .report")


@pytest.mark.slow
def test_a_question_is_reported_in_a_quiz_answered_and_read_in_the_review(
    attempt_page: Page,
    somebody: Callable[[], Page],  # noqa: F811
) -> None:
    page = attempt_page
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    wrong = f"Two numbers are the same ({token_hex(4)})."
    item = question_at(page, NUMERIC)
    position = item.get_attribute("data-item")
    item.locator("input[type=text]").first.fill("0.25")
    report = report_of(page, position)
    report.get_by_text("Is something wrong with this question?").click()
    report.get_by_label("What’s wrong?").fill(wrong)
    here = page.url
    report.get_by_role("button", name="Report").click()
    expect(report.get_by_role("status")).to_contain_text("Your report has been sent.")
    assert page.url == here
    expect(item.locator("input[type=text]").first).to_have_value("0.25")
    wait_until_saved(page)
    check_look(page)

    desk = somebody()
    desk.goto("/accounts/login/?next=/reports/")
    desk.get_by_label("Email address").fill("admin@softmark.example")
    desk.get_by_label("Password").fill("softmark-demo")
    desk.get_by_role("main").get_by_role("button", name="Log in", exact=True).click()
    line = desk.get_by_role("listitem").filter(has_text=wrong)
    line.locator("summary").click()
    check_look(desk)
    line.get_by_role("button", name="Send reply").click()
    expect(desk.get_by_text("There is a problem")).to_be_visible()
    check_look(desk)
    desk.get_by_label("Reply", exact=True).first.fill("They may be.")
    desk.locator("#in-hand").get_by_role("button", name="Send reply").click()
    expect(desk.get_by_text("1 report answered.")).to_be_visible()
    check_look(desk)

    open_summary(page)
    page.get_by_role("button", name="Submit").click()
    page.wait_for_url("**/results/")
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("points"))
    expect(report_of(page, position)).to_contain_text("They may be.")
    page.get_by_role("button", name="Show all solutions").click()
    other = page.locator(".report").filter(has_text="Is something wrong").last
    other.get_by_text("Is something wrong with this question?").click()
    other.get_by_role("button", name="Report").click()
    page.wait_for_url("**/results/#item-*")
    expect(page.get_by_text("You reported this question", exact=True)).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 800})
    assert complaints_in_both_themes(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert complaints == []


def test_without_scripts_a_report_saves_what_is_typed_and_comes_back(student_page: Page) -> None:
    """The page's own form carries both."""
    start_quiz(student_page)
    state = student_page.context.storage_state()
    context = student_page.context.browser.new_context(
        base_url=student_page.url.split("/attempts/")[0],
        java_script_enabled=False,
        storage_state=state,
    )
    page = context.new_page()
    page.goto(student_page.url)
    item = page.locator(f"fieldset{NUMERIC}").first
    position = item.get_attribute("data-item")
    item.locator("input[type=text]").first.fill("0.25")
    item.locator("summary").click()
    item.get_by_label("What’s wrong?").fill("Wrong.")
    item.get_by_role("button", name="Report", exact=True).click()
    page.wait_for_url(f"**#item-{position}")
    expect(item.locator("input[type=text]").first).to_have_value("0.25")
    expect(item.locator("summary")).to_have_text("You reported this question")
    context.close()


def test_out_of_reach_the_sentence_stays_and_the_page_says_so(attempt_page: Page) -> None:
    item = question_at(attempt_page, NUMERIC)
    report = report_of(attempt_page, item.get_attribute("data-item"))
    report.locator("summary").click()
    report.get_by_label("What’s wrong?").fill("Wrong.")
    attempt_page.route("**/report/", lambda route: route.abort())
    report.get_by_role("button", name="Report").click()
    expect(report.get_by_role("status")).to_contain_text("can’t be reached")
    expect(report.get_by_label("What’s wrong?")).to_have_value("Wrong.")
    assert complaints_in_both_themes(attempt_page) == []
