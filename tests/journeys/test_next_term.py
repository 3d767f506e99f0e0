"""A class is copied to the next term, its dates are checked, and a student subscribes to them."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.sites import Site

from .conftest import follow_link
from .test_classes import check_look, instructor, somebody  # noqa: F401 - fixtures
from .test_giving_a_quiz import assign_first_quiz, join_class, make_class, new_student  # noqa: F401 - fixtures


@pytest.mark.slow
def test_a_class_is_copied_and_its_students_have_the_dates_in_their_calendars(
    instructor: Page,  # noqa: F811
    new_student: Callable[[], Page],  # noqa: F811
    sessions: Iterator[str],
    site: Site,
) -> None:
    page = instructor
    course, _link = make_class(page, "Autumn")
    assign_first_quiz(page, course)
    page.goto(f"{course}settings/")
    follow_link(page.get_by_role("link", name="Copy to next term …"))
    check_look(page)
    page.get_by_label("Title").fill("")
    page.get_by_role("button", name="Preview dates").click()
    check_look(page)
    page.get_by_label("Title").fill("Spring")
    expect(page.get_by_label("Start date in the old term")).to_have_value("2090-01-10")
    page.get_by_label("First day of the new term").fill("2090-07-02")
    page.get_by_role("button", name="Preview dates").click()
    expect(page.get_by_role("cell", name="4 Jul 2090, 12:00")).to_be_visible()
    check_look(page)
    page.get_by_role("button", name="Change dates …").click()
    page.get_by_label("First day of the new term").fill("2090-07-03")
    page.get_by_role("button", name="Preview dates").click()
    page.get_by_role("button", name="Create class").click()
    expect(page.get_by_text("unchecked dates")).to_be_visible()
    check_look(page)
    page.get_by_role("link", name="Attention foundations, by hand").click()
    expect(page.get_by_role("heading", name="Check the dates")).to_be_visible()
    check_look(page)
    page.get_by_role("link", name="Change rules").click()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="Check the dates")).to_have_count(0)

    copy = re.sub(r"quizzes/\d+/$", "", page.url)
    page.goto(f"{copy}joining/")
    link = page.locator(".link-shown a").get_attribute("href")
    sam = new_student()
    join_class(sam, link)
    follow_link(sam.get_by_role("link", name="Add dates to my calendar"))
    check_look(sam)
    sam.get_by_role("button", name="Create an address").click()
    address = sam.locator(".secret-key a").get_attribute("href")
    check_look(sam)
    answer = sam.request.get(f"/calendar/{address.rpartition('/')[2]}")
    assert "DTSTART:20900704T100000Z" in answer.text()
    sam.reload()
    expect(sam.get_by_role("button", name="Create a new address")).to_be_visible()
    check_look(sam)
