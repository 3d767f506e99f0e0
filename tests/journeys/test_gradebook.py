"""An instructor reads a class's gradebook, filters and sorts it, and downloads it."""

import csv
import re
from collections.abc import Callable

import pytest
from openpyxl import load_workbook
from playwright.sync_api import Page, expect

from .test_classes import check_look, instructor, somebody  # noqa: F401 - fixtures
from .test_giving_a_quiz import (  # noqa: F401 - fixtures
    assign_first_quiz,
    join_class,
    make_class,
    new_student,
    start_in_class,
)


def hand_in(page: Page) -> None:
    page.get_by_role("button", name="Review and submit").click()
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("points")


# The link in the table that has the focus is below its names or heads.
IS_COVERED = """() => {
  const link = document.activeElement;
  const { left, right, top, bottom } = link.getBoundingClientRect();
  const above = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return !link.contains(above);
}"""


def check_focus(page: Page) -> None:
    """Check that on a phone each link of the table is in sight as the keyboard goes back to it."""
    page.set_viewport_size({"width": 320, "height": 640})
    links = page.locator(".book-scroll a")
    links.last.focus()
    for _ in range(links.count() - 1):
        page.keyboard.press("Shift+Tab")
        assert not page.evaluate(IS_COVERED), page.url
    page.set_viewport_size({"width": 1280, "height": 800})


@pytest.mark.slow
def test_a_gradebook_is_read_filtered_sorted_and_taken_along(
    instructor: Page,  # noqa: F811
    new_student: Callable[[], Page],  # noqa: F811
) -> None:
    page, title = instructor, "Graded"
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    _course, link = make_class(page, title)
    sam, tom = new_student(), new_student()
    for each in (sam, tom):
        join_class(each, link)
    assign_first_quiz(page, _course)
    start_in_class(sam, title)
    hand_in(sam)

    page.get_by_role("link", name="Gradebook", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Gradebook")
    lines = page.locator(".book tbody tr")
    expect(lines).to_have_count(2)
    check_look(page)

    # A filter applies as it is changed, and the focus stays on it.
    page.get_by_label("State").focus()
    page.get_by_label("State").select_option(label="marked")
    expect(lines).to_have_count(1)
    expect(page.get_by_label("State")).to_be_focused()
    expect(page.get_by_role("search").get_by_role("status")).to_have_text("1 student")
    page.get_by_role("link", name="State: marked (remove this filter)").click()
    expect(lines).to_have_count(2)
    page.get_by_label("State").select_option(label="marked")
    page.get_by_label("Order").select_option(label="most points first")
    expect(lines).to_have_count(1)
    expect(page).to_have_url(re.compile("state=marked&order=most"))
    check_look(page)
    with page.expect_download() as found:
        page.get_by_role("link", name="CSV", exact=True).click()
    with open(found.value.path(), encoding="utf-8-sig", newline="") as file:
        assert len(list(csv.reader(file))) == 2 + 1
    with page.expect_download() as found:
        page.get_by_role("link", name="Spreadsheet (XLSX)").click()
    assert found.value.suggested_filename.endswith(".xlsx")
    with open(found.value.path(), "rb") as workbook:
        assert load_workbook(workbook).active.max_row == 2 + 1

    page.get_by_label("As of the end of").fill("2026-01-02")
    page.get_by_label("State").select_option(label="all")
    expect(page.get_by_text("Marks at the end of 2 January 2026")).to_be_visible()
    expect(lines).to_have_count(2)
    expect(page.locator(".book tbody")).not_to_contain_text(" of ")
    check_look(page)
    page.get_by_role("link", name="Show current marks").click()
    expect(page.locator(".book tbody")).to_contain_text(" of ")

    page.get_by_role("rowheader").get_by_role("link").first.click()
    expect(page.get_by_role("heading", name="What happened")).to_be_visible()
    page.get_by_role("textbox", name="Note").fill("Was ill.\nCame back on Monday.")
    page.get_by_role("button", name="Save note").press("Enter")
    check_look(page)
    page.get_by_role("region", name="Notes").get_by_role("link").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Remove this note")
    check_look(page)
    page.get_by_role("button", name="Remove").press("Enter")
    expect(page.get_by_text("Note removed.")).to_be_visible()
    page.get_by_role("link", name="Gradebook", exact=True).click()
    page.locator(".book thead").get_by_role("link").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Marks for")
    expect(page.locator(".book thead th")).to_have_count(4 + 15)
    check_look(page)
    check_focus(page)
    page.get_by_role("link", name="Statistics").click()
    expect(page.get_by_role("heading", name="Scores and times")).to_be_visible()
    check_look(page)
    page.get_by_role("link", name="To share or print").click()
    expect(page.get_by_role("heading", name="Not enough data yet")).to_be_visible()
    check_look(page)
    assert complaints == []
