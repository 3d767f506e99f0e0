"""A quiz is assigned to a class, with exceptions, and taken by the students concerned."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.sites import Site

from .conftest import follow_link, log_in
from .test_classes import check_look, instructor, somebody  # noqa: F401 - fixtures
from .test_clock import type_something


@pytest.fixture
def new_student(
    somebody: Callable[[], Page],  # noqa: F811
    sessions: Iterator[str],
    site: Site,
) -> Callable[[], Page]:
    """Return a function that logs in a new student in a browser of their own."""

    def another() -> Page:
        page = somebody()
        log_in(page, site, next(sessions))
        return page

    return another


def make_class(page: Page, title: str) -> tuple[str, str]:
    """Create a class. Return its address and the link to join it by."""
    page.goto("/teach/new/")
    page.get_by_label("Title").fill(title)
    page.get_by_label("Time zone", exact=True).select_option("Europe/Vienna")
    page.get_by_role("button", name="Create class").click()
    link = page.locator(".link-shown a").get_attribute("href")
    return page.url.removesuffix("joining/"), link


def join_class(page: Page, link: str) -> None:
    page.goto(link)
    page.get_by_role("button", name="Join").click()
    page.wait_for_url("**/learning/")


def assign_first_quiz(page: Page, course: str) -> str:
    """Assign the first quiz for ten minutes and one attempt. Return the assignment's address."""
    page.goto(f"{course}quizzes/give/")
    page.get_by_label("Quiz").select_option(label="Attention foundations, by hand")
    page.get_by_label("Due").fill("2090-01-10T12:00")
    page.get_by_label("Minutes").fill("10")
    page.get_by_label(re.compile("^Attempts")).fill("1")
    page.get_by_label("Also open to students outside classes").check()
    page.get_by_role("button", name="Assign quiz").click()
    page.wait_for_url(re.compile(r"/quizzes/\d+/$"))
    return page.url


def label_all(page: Page, course: str, labels: str) -> None:
    page.goto(f"{course}people/?role=student")
    page.get_by_role("button", name="Select everyone on this page").click()
    page.get_by_role("button", name="Change …").click()
    page.get_by_label("Labels to add").fill(labels)
    page.get_by_role("button", name="Save").click()


def start_in_class(page: Page, title: str) -> None:
    """Choose the class among all places where the quiz can be taken, and start."""
    page.goto("/quizzes/attention-foundations/")
    page.get_by_role("link", name=title).click()
    page.get_by_role("button", name="Start the quiz").click()
    page.wait_for_url("**/attempts/*/")


@pytest.mark.slow
def test_exceptions_reach_whom_they_are_for_even_in_the_midst_of_an_attempt(
    instructor: Page,  # noqa: F811
    new_student: Callable[[], Page],
) -> None:
    page, title = instructor, "Exceptions"
    course, link = make_class(page, title)
    sam = new_student()
    join_class(sam, link)
    page.goto(f"{course}quizzes/")
    check_look(page)
    assignment = assign_first_quiz(page, course)
    check_look(page)

    sam.goto("/quizzes/")
    row = sam.get_by_role("group", name=f"My class: {title}").get_by_role("row").last
    expect(row).to_contain_text("2090")
    start_in_class(sam, title)
    expect(sam.get_by_role("timer")).to_have_text(re.compile("^(9|10) min left"))

    # Two labels with different settings: the more generous applies, and nothing adds up.
    label_all(page, course, "short, long")
    for label, factor in (("short", "1.5"), ("long", "2")):
        page.goto(f"{course}exceptions/new/")
        check_look(page)
        page.get_by_label("Or everyone with a label").select_option(label)
        page.get_by_label("Time factor").fill(factor)
        page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("The end time of 1 attempt in progress has changed.")).to_be_visible()
    type_something(sam, "0.1")
    expect(sam.get_by_role("timer")).to_have_text(re.compile("^(19|20) min left"))

    # The student's own exception is more specific. It is shorter, but running attempts keep theirs.
    page.goto(f"{course}people/?role=student")
    page.get_by_role("button", name="Select everyone on this page").click()
    page.get_by_role("button", name="Add exception …").click()
    page.get_by_label("Quiz").select_option(label="Attention foundations, by hand")
    page.get_by_label("Time factor").fill("1.2")
    page.get_by_label("Attempts").fill("2")
    page.get_by_label("Reason").fill("a sling")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("keeps its current, longer time")).to_be_visible()
    page.goto(f"{course}people/?role=student")
    member = page.locator("input[name=member]").get_attribute("value")
    page.goto(f"{assignment}for/{member}/")
    expect(page.locator("dd:not(.overruled)").filter(has_text="12 minutes")).to_contain_text(
        "a sling"
    )
    check_look(page)
    for address in (f"{course}exceptions/", f"{assignment}rules/", assignment):
        page.goto(address)
        check_look(page)

    # No time limit from now on, and the page of a running attempt shows it.
    page.goto(f"{course}exceptions/")
    follow_link(page.get_by_role("link", name=re.compile("Change … Sam")))
    check_look(page)
    page.get_by_label("Time factor").fill("")
    page.get_by_label("No time limit").check()
    page.get_by_role("button", name="Save").click()
    type_something(sam, "0.2")
    expect(sam.get_by_role("timer")).to_have_text("No time limit")
    sam.reload()
    expect(sam.get_by_role("timer")).to_have_text("No time limit")
    check_look(sam)


@pytest.mark.slow
def test_who_is_in_two_classes_chooses_where_to_take_it(
    instructor: Page,  # noqa: F811
    new_student: Callable[[], Page],
) -> None:
    page, sam = instructor, new_student()
    for title in ("Morning", "Evening"):
        course, link = make_class(page, title)
        assign_first_quiz(page, course)
        join_class(sam, link)
    sam.goto("/quizzes/attention-foundations/")
    for place in ("Morning", "Evening", "On my own"):
        expect(sam.get_by_role("link", name=place)).to_be_visible()
    check_look(sam)
    start_in_class(sam, "Evening")
    sam.goto("/quizzes/attention-foundations/")
    sam.get_by_role("link", name="Morning").click()
    expect(sam.get_by_role("button", name="Start the quiz")).to_be_visible()
    expect(sam.get_by_text("10 minutes from the start")).to_be_visible()
    check_look(sam)
