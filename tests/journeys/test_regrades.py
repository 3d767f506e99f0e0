"""A wrong key: reported by a student, corrected by a regrade, and read about by both."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from .conftest import complaints_about, follow_link, open_summary, question_at, wait_until_saved
from .test_classes import INSTRUCTOR, check_look, somebody  # noqa: F401 - fixtures

CHOICE = "[data-kind=choice]"
# Answers students who learn alone; the demo has one password for all.
ADMINISTRATOR = "admin@softmark.example"
REASON = "Both choices are right: the question doesn’t say which is meant."


def choose_and_report(page: Page) -> tuple[str, list[str]]:
    """Choose the last choice of a concept question and report it. Return number and choices."""
    item = question_at(page, CHOICE)
    item.locator("input[type=radio]").last.check()
    offered = [each.strip() for each in item.locator("label.choice").all_inner_texts()]
    report = item.page.locator(f"#item-{item.get_attribute('data-item')} .report")
    report.get_by_text("Is something wrong with this question?").click()
    report.get_by_label("What’s wrong?").fill("More than one is right.")
    report.get_by_role("button", name="Report").click()
    expect(report.get_by_role("status")).to_contain_text("Your report has been sent.")
    wait_until_saved(page)
    return item.get_attribute("data-item") or "", offered


def apply_it(desk: Page) -> None:
    """Apply the dry run, and wait for a worker."""
    desk.get_by_role("button", name="Apply", exact=True).click()
    expect(desk.locator("#ruling-state")).to_contain_text("Applied", timeout=30_000)


def marks_of(page: Page, position: str) -> Locator:
    return page.locator(f"section#item-{position}")


@pytest.mark.slow
def test_a_key_is_corrected_from_a_report_and_both_marks_are_read(
    attempt_page: Page,
    somebody: Callable[[], Page],  # noqa: F811
) -> None:
    page, desk = attempt_page, somebody()
    complaints: list[str] = []
    for each in (page, desk):
        each.on("console", lambda message: complaints.append(message.text))
        each.on("pageerror", lambda error: complaints.append(str(error)))
    position, offered = choose_and_report(page)
    open_summary(page)
    page.get_by_role("button", name="Submit").click()
    page.wait_for_url("**/results/")
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("points"), timeout=30_000)
    item = marks_of(page, position)
    was_right = item.get_attribute("data-verdict") == "right"

    desk.goto("/accounts/login/?next=/reports/")
    desk.get_by_label("Email address").fill(ADMINISTRATOR)
    desk.get_by_label("Password").fill(INSTRUCTOR[1])
    desk.get_by_role("main").get_by_role("button", name="Log in", exact=True).click()
    line = desk.get_by_role("listitem").filter(has_text="More than one is right.").first
    follow_link(line.get_by_role("link", name="Correct the key"))
    check_look(desk)
    others = desk.get_by_role("group", name="Right choices").get_by_role("checkbox")
    assert others.count() == len(offered)
    made = desk.locator("#what-if")
    if was_right:  # by chance: then all the others are right too
        for each in others.all():
            each.check()
    else:
        chosen = item.locator("li.is-wrong p").first.inner_text().split("\n")[0]
        words = re.sub(r"\W*your choice.*", "", chosen).strip()
        desk.get_by_role("group", name="Right choices").locator(
            "label.choice", has_text=words[:40]
        ).get_by_role("checkbox").check()
        expect(made.get_by_role("table")).to_contain_text("0 of 1")
        expect(made.get_by_role("table")).to_contain_text("1 of 1")
    expect(made).to_contain_text("from")
    check_look(desk)
    desk.get_by_role("button", name="Continue …").click()
    expect(desk.get_by_text("Enter a reason. Students see it").first).to_be_visible()
    check_look(desk)
    desk.get_by_label("Reason").fill(REASON)
    desk.get_by_role("button", name="Continue …").click()
    expect(desk.get_by_text("No mark has changed yet.")).to_be_visible()
    check_look(desk)
    page.reload()
    expect(item.locator(".remarks")).to_have_count(0)

    apply_it(desk)
    check_look(desk)
    page.reload()
    expect(item.locator(".remarks")).to_contain_text(REASON)
    if not was_right:
        expect(item).to_have_attribute("data-verdict", "right")
        expect(item.locator(".remarks")).to_contain_text("Points: 0 of 1 at first, now 1 of 1.")
        expect(item).to_contain_text("your choice, right since the answer key was corrected")
    check_look(page)
    assert complaints_about(page) == []

    follow_link(desk.get_by_role("link", name="Undo …"))
    check_look(desk)
    desk.get_by_label("Reason").fill("The question was clear after all.")
    desk.get_by_role("button", name="Start dry run").click()
    apply_it(desk)
    page.reload()
    expect(item).to_have_attribute("data-verdict", "right" if was_right else "mistake")
    desk.goto("/rulings/")
    expect(desk.get_by_role("row").filter(has_text="Undone").first).to_be_visible()
    check_look(desk)
    assert complaints == [] or all("422" in each for each in complaints), complaints
