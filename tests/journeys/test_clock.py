"""The clock is the server's: the page follows it, and submits when time is up."""

import re
from datetime import datetime, timedelta

import pytest
from playwright.sync_api import Page, expect

from tests.sites import Site

from .conftest import question_at


def pk_of(page: Page) -> str:
    return re.search(r"/attempts/(\d+)/", page.url)[1]


def leave_seconds(site: Site, page: Page, seconds: int) -> None:
    """Leave the attempt `seconds` until its deadline, as an instructor might."""
    site.run(
        "from quizzes.models import Attempt; from django.utils.timezone import now, timedelta\n"
        f"Attempt.objects.filter(pk={pk_of(page)})"
        f".update(deadline=now() + timedelta(seconds={seconds}))"
    )


def type_something(page: Page, text: str) -> None:
    with page.expect_response("**/draft/"):
        question_at(page, "[data-family=cosine]").get_by_role("textbox").fill(text)


def test_the_clock_shows_what_the_server_says(attempt_page: Page, site: Site) -> None:
    clock = attempt_page.get_by_role("timer")
    expect(clock).to_have_text(re.compile("^2[23] min left"))
    leave_seconds(site, attempt_page, 3600)
    type_something(attempt_page, "0.1")
    expect(clock).to_have_text("60 min left")
    leave_seconds(site, attempt_page, 299)
    type_something(attempt_page, "0.2")
    expect(clock).to_have_text(re.compile(r"^4:[345]\d left"))


def test_a_wrong_clock_of_the_browser_changes_nothing(attempt_page: Page) -> None:
    attempt_page.clock.install()
    attempt_page.reload()
    attempt_page.clock.set_system_time("2001-01-01")
    expect(attempt_page.get_by_role("timer")).to_have_text(re.compile("^2[23] min left"))


def test_after_a_laptop_has_slept_the_clock_is_right_again(attempt_page: Page, site: Site) -> None:
    attempt_page.clock.install()
    attempt_page.reload()
    clock = attempt_page.get_by_role("timer")
    expect(clock).to_have_text(re.compile("^2[23] min left"))
    leave_seconds(site, attempt_page, 900)
    # The time of day advances; the browser's monotonic clock does not.
    attempt_page.clock.set_system_time(datetime.now() + timedelta(minutes=8))
    expect(clock).to_have_text("15 min left")


def test_when_time_is_up_on_a_phone_the_page_hands_in_what_is_being_typed(
    attempt_page: Page, site: Site
) -> None:
    attempt_page.set_viewport_size({"width": 390, "height": 400})  # above the keyboard
    leave_seconds(site, attempt_page, 9)  # a busy machine needs some of them to show it
    type_something(attempt_page, "0.1")
    expect(attempt_page.locator(".cell input:focus")).to_have_value("0.1")
    expect(attempt_page.get_by_role("timer")).to_have_text(re.compile("^0:0"))
    attempt_page.wait_for_url("**/results/")
    expect(attempt_page.get_by_role("heading", level=1)).to_contain_text("points")
    expect(attempt_page.get_by_text("time ran out")).to_be_visible()
    expect(attempt_page.locator("section[data-family=cosine]")).to_contain_text("0.1")


@pytest.mark.slow
def test_nobody_is_hurried_by_a_clock_that_runs_ahead(attempt_page: Page, site: Site) -> None:
    leave_seconds(site, attempt_page, 30)  # a busy machine needs some of them
    type_something(attempt_page, "0.1")
    leave_seconds(site, attempt_page, 1200)
    expect(attempt_page.get_by_role("timer")).to_have_text("20 min left", timeout=60_000)
    assert "/results/" not in attempt_page.url


@pytest.mark.slow
def test_more_time_given_while_the_line_was_broken_is_there_when_it_is_back(
    attempt_page: Page, site: Site
) -> None:
    leave_seconds(site, attempt_page, 12)
    type_something(attempt_page, "0.1")
    attempt_page.context.set_offline(True)
    message = attempt_page.get_by_role("alert").filter(has_text="can’t be reached")
    expect(message).to_be_visible(timeout=30_000)
    leave_seconds(site, attempt_page, 1200)
    attempt_page.context.set_offline(False)
    expect(attempt_page.get_by_role("timer")).to_have_text("20 min left")
    expect(message).to_be_hidden()
    type_something(attempt_page, "0.2")
    assert "/results/" not in attempt_page.url


@pytest.mark.slow
def test_the_end_of_time_is_announced_while_the_list_of_keys_is_open(
    attempt_page: Page, site: Site
) -> None:
    leave_seconds(site, attempt_page, 5)
    type_something(attempt_page, "0.1")
    attempt_page.get_by_role("button", name="Show shortcuts").click()
    attempt_page.context.set_offline(True)
    expect(attempt_page.get_by_role("alert").filter(has_text="Time is up")).to_be_visible()
    expect(attempt_page.get_by_role("dialog")).to_be_hidden()


@pytest.mark.slow
def test_a_hidden_clock_still_warns_when_a_minute_is_left(attempt_page: Page, site: Site) -> None:
    attempt_page.get_by_role("button", name="Hide time").click()
    figures = attempt_page.locator(".clock-figures")
    expect(figures).to_be_hidden()
    leave_seconds(site, attempt_page, 68)
    type_something(attempt_page, "0.1")
    message = attempt_page.get_by_role("status").filter(has_text="1 minute left")
    expect(message).to_have_count(1, timeout=20_000)
    expect(figures).to_be_visible()


@pytest.mark.slow
def test_when_time_runs_out_with_the_page_closed_what_was_saved_is_marked(
    attempt_page: Page, site: Site
) -> None:
    url = attempt_page.url
    type_something(attempt_page, "0.1")
    leave_seconds(site, attempt_page, -60)
    attempt_page.close()
    page = attempt_page.context.new_page()
    page.goto(url)
    expect(page).to_have_url(f"{url}results/")
    expect(page.get_by_role("heading", level=1)).to_contain_text("points", timeout=20_000)
    expect(page.locator("section[data-family=cosine]")).to_contain_text("0.1")
