"""An instructor watches a class take a quiz, gives more time, submits, and reopens."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from .test_classes import check_look, instructor, somebody  # noqa: F401 - fixtures
from .test_clock import type_something
from .test_giving_a_quiz import (  # noqa: F401 - fixtures
    assign_first_quiz,
    join_class,
    make_class,
    new_student,
    start_in_class,
)


def choose_action(page: Page, deed: str) -> None:
    page.get_by_role("checkbox", name="Sam Student").check()
    page.get_by_role("button", name=deed).click()
    check_look(page)
    page.get_by_label("Reason").fill("The fire alarm rang")


def return_to_live_view(page: Page) -> None:
    expect(page.get_by_text("Done for 1 student")).to_be_visible()
    check_look(page)
    page.get_by_role("link", name="Back to the live view").click()


@pytest.mark.slow
def test_a_quiz_is_watched_and_what_is_done_reaches_the_student(
    instructor: Page,  # noqa: F811
    new_student: Callable[[], Page],  # noqa: F811
) -> None:
    page, title = instructor, "Watched"
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    course, link = make_class(page, title)
    sam = new_student()
    sam.clock.install()
    join_class(sam, link)
    assign_first_quiz(page, course)
    page.get_by_role("link", name="Live view").click()
    line = page.locator("[data-line]")
    expect(line).to_contain_text("not started")
    check_look(page)

    # The page updates by itself, and nothing in it moves.
    top = line.bounding_box()
    start_in_class(sam, title)
    expect(line).to_contain_text("working")
    type_something(sam, "0.1")
    expect(line).to_contain_text("1 of 15")
    expect(page.locator("[data-count=working]")).to_have_text("1")
    assert line.bounding_box() == top
    page.reload()
    check_look(page)

    choose_action(page, "Give more time …")
    page.get_by_label("Extra minutes").fill("20")
    page.get_by_role("button", name="Preview new end times").click()
    check_look(page)
    page.get_by_role("button", name="Give more time").click()
    return_to_live_view(page)
    type_something(sam, "0.2")
    expect(sam.get_by_role("timer")).to_have_text(re.compile("^(29|30) min left"))

    page.get_by_role("link", name="Message everyone …").click()
    page.get_by_label("Message").fill("Question 3: two decimals are enough")
    check_look(page)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Sent to the 1 student who’s working now.")).to_be_visible()
    # Sam types nothing: the page asks by itself.
    sam.clock.fast_forward(31_000)
    message = sam.get_by_role("log").get_by_text("Question 3: two decimals are enough")
    expect(message).to_be_visible()
    check_look(sam)
    sam.get_by_role("button", name="Dismiss").click()
    sam.reload()
    expect(sam.get_by_role("timer")).to_be_visible()
    expect(message).to_be_hidden()

    choose_action(page, "Submit …")
    page.get_by_role("button", name="Submit", exact=True).click()
    return_to_live_view(page)
    expect(line).to_contain_text("marked")
    sam.reload()
    expect(sam.get_by_role("heading", level=1)).to_contain_text("points")
    expect(sam.get_by_text("A member of staff submitted this attempt for you")).to_be_visible()
    check_look(sam)
    attempt = sam.url
    sam.goto("/notifications/")
    expect(sam.get_by_text("The fire alarm rang").first).to_be_visible()
    check_look(sam)
    sam.goto(attempt)

    choose_action(page, "Reopen …")
    page.get_by_label("Minutes from now").fill("15")
    page.get_by_role("button", name="Reopen", exact=True).click()
    return_to_live_view(page)
    sam.reload()
    expect(sam.get_by_role("timer")).to_have_text(re.compile("^(14|15) min left"))
    check_look(sam)

    page.get_by_role("link", name=re.compile("^working")).last.click()
    expect(page.get_by_text("reopened an attempt by Sam Student")).to_be_visible()
    check_look(page)
    sam.get_by_role("button", name="Review and submit").click()
    sam.get_by_role("button", name="Submit").click()
    expect(sam.get_by_role("heading", level=1)).to_contain_text("points")
    page.reload()
    expect(page.get_by_role("heading", name="Question 1", exact=True)).to_be_visible()
    check_look(page)
    assert complaints == []
