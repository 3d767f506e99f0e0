"""Dates of a class: due in an attempt, moved with the class's zone; and names sorted both ways."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from .test_classes import check_look, instructor, somebody  # noqa: F401 - fixtures
from .test_giving_a_quiz import (  # noqa: F401 - fixtures
    assign_first_quiz,
    join_class,
    make_class,
    new_student,
    start_in_class,
)


@pytest.mark.slow
def test_a_class_moves_to_another_zone_and_students_read_when_it_is_due(
    instructor: Page,  # noqa: F811
    new_student: Callable[[], Page],  # noqa: F811
) -> None:
    title = "Attention, moving"
    course, link = make_class(instructor, title)
    assignment = assign_first_quiz(instructor, course)
    student = new_student()
    join_class(student, link)
    # The attempt ends long before the due date, which is not shown.
    start_in_class(student, title)
    expect(student.get_by_text("counts as late")).to_have_count(0)
    # It was due a year ago.
    instructor.goto(f"{assignment}rules/")
    instructor.get_by_label("Due").fill("2025-01-10T23:59")
    instructor.get_by_role("button", name="Save").click()
    instructor.wait_for_url(assignment)
    student.reload()
    note = student.locator("p.notice", has_text="counts as late")
    expect(note).to_be_visible()
    check_look(student)
    student.get_by_role("button", name="Review and submit").first.click()
    expect(note).to_be_visible()
    check_look(student)
    student.get_by_role("main").get_by_role("button", name="Submit", exact=True).click()
    expect(student.get_by_role("heading", name=re.compile("points"))).to_be_visible()
    expect(student.get_by_text("late: it was due")).to_be_visible()
    check_look(student)
    # A change of zone asks what to do with the dates.
    instructor.goto(f"{course}settings/")
    instructor.get_by_label("Time zone", exact=True).select_option("America/New_York")
    instructor.get_by_role("button", name="Save").click()
    expect(instructor.get_by_role("heading", name="What happens to the dates?")).to_be_visible()
    expect(instructor.get_by_text("Fri 10 Jan 2025, 17:59 EST")).to_be_visible()
    check_look(instructor)
    instructor.get_by_role("button", name="Keep the time of day").click()
    expect(instructor.get_by_text("Saved.")).to_be_visible()
    instructor.goto(assignment)
    expect(instructor.get_by_text("23:59, New York time")).to_be_visible()
    instructor.goto(f"{course}history/")
    expect(instructor.get_by_text("dates: kept their time of day")).to_be_visible()
    # Both orders, everywhere.
    for address in ("people/", "gradebook/", re.sub(".*/teach/\\d+/", "", assignment) + "watch/"):
        instructor.goto(f"{course}{address}")
        instructor.get_by_label("Order").select_option(label="by last name")
        instructor.get_by_label("Search").fill("STUDENT, sam")
        instructor.get_by_label("Search").press("Enter")
        expect(instructor.get_by_role("rowheader", name="Sam Student").first).to_be_visible()
        check_look(instructor)


def test_somebody_says_as_what_they_are_sorted(student_page: Page) -> None:
    student_page.goto("/accounts/")
    student_page.get_by_label("Name in lists sorted by last name").fill("García Márquez, Gabriel")
    check_look(student_page)
    student_page.get_by_role("button", name="Save name").click()
    expect(student_page.get_by_label("Name in lists sorted by last name")).to_have_value(
        "García Márquez, Gabriel"
    )
