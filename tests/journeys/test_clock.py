"""The clock is the server's: the page follows it, and submits when time is up."""

import re
from datetime import datetime, timedelta

import pytest
from playwright.sync_api import Page, expect

from tests.sites import Site

from .conftest import at


def pk_of(page: Page) -> str:
    return re.search(r"/attempts/(\d+)/", page.url)[1]


def leave(site: Site, page: Page, seconds: int) -> None:
    """Leave the attempt `seconds` until its deadline, as an instructor might."""
    site.run(
        "from quizzes.models import Attempt; from django.utils.timezone import now, timedelta\n"
        f"Attempt.objects.filter(pk={pk_of(page)})"
        f".update(deadline=now() + timedelta(seconds={seconds}))"
    )


def type_something(page: Page, text: str) -> None:
    with page.expect_response("**/draft/"):
        at(page, "[data-family=cosine]").get_by_role("textbox").fill(text)


def test_the_clock_shows_what_the_server_says(taking: Page, site: Site) -> None:
    clock = taking.get_by_role("timer")
    expect(clock).to_have_text(re.compile("^2[23] min left"))
    leave(site, taking, 3600)
    type_something(taking, "0.1")
    expect(clock).to_have_text("60 min left")
    leave(site, taking, 299)
    type_something(taking, "0.2")
    expect(clock).to_have_text(re.compile(r"^4:[345]\d left"))


def test_a_wrong_clock_of_the_browser_changes_nothing(taking: Page) -> None:
    taking.clock.install()
    taking.reload()
    taking.clock.set_system_time("2001-01-01")
    expect(taking.get_by_role("timer")).to_have_text(re.compile("^2[23] min left"))


def test_after_a_laptop_has_slept_the_clock_is_right_again(taking: Page, site: Site) -> None:
    taking.clock.install()
    taking.reload()
    clock = taking.get_by_role("timer")
    expect(clock).to_have_text(re.compile("^2[23] min left"))
    leave(site, taking, 900)
    # The time of day advances; the browser's monotonic clock does not.
    taking.clock.set_system_time(datetime.now() + timedelta(minutes=8))
    expect(clock).to_have_text("15 min left")


def test_when_time_is_up_the_page_hands_in_what_stands_there(taking: Page, site: Site) -> None:
    leave(site, taking, 9)  # a busy machine needs some of them to show it
    type_something(taking, "0.1")
    expect(taking.get_by_role("timer")).to_have_text(re.compile("^0:0"))
    taking.wait_for_url("**/results/")
    expect(taking.get_by_role("heading", level=1)).to_contain_text("points")
    expect(taking.locator("section[data-family=cosine]")).to_contain_text("0.1")


@pytest.mark.slow
def test_nobody_is_hurried_by_a_clock_that_runs_ahead(taking: Page, site: Site) -> None:
    leave(site, taking, 30)  # a busy machine needs some of them
    type_something(taking, "0.1")
    leave(site, taking, 1200)
    expect(taking.get_by_role("timer")).to_have_text("20 min left", timeout=60_000)
    assert "/results/" not in taking.url


@pytest.mark.slow
def test_more_time_given_while_the_line_was_broken_is_there_when_it_is_back(
    taking: Page, site: Site
) -> None:
    leave(site, taking, 12)
    type_something(taking, "0.1")
    taking.context.set_offline(True)
    message = taking.get_by_role("alert").filter(has_text="cannot be reached")
    expect(message).to_be_visible(timeout=30_000)
    leave(site, taking, 1200)
    taking.context.set_offline(False)
    expect(taking.get_by_role("timer")).to_have_text("20 min left")
    expect(message).to_be_hidden()
    type_something(taking, "0.2")
    assert "/results/" not in taking.url


@pytest.mark.slow
def test_the_end_of_time_is_announced_while_the_list_of_keys_is_open(
    taking: Page, site: Site
) -> None:
    leave(site, taking, 5)
    type_something(taking, "0.1")
    taking.get_by_role("button", name="Keyboard").click()
    taking.context.set_offline(True)
    expect(taking.get_by_role("alert").filter(has_text="Time is up")).to_be_visible()
    expect(taking.get_by_role("dialog")).to_be_hidden()


@pytest.mark.slow
def test_a_hidden_clock_still_warns_when_a_minute_is_left(taking: Page, site: Site) -> None:
    taking.get_by_role("button", name="Hide time").click()
    figures = taking.locator(".clock-figures")
    expect(figures).to_be_hidden()
    leave(site, taking, 68)
    type_something(taking, "0.1")
    message = taking.get_by_role("status").filter(has_text="1 minute left")
    expect(message).to_have_count(1, timeout=20_000)
    expect(figures).to_be_visible()


@pytest.mark.slow
def test_when_time_runs_out_with_the_page_closed_what_was_saved_is_marked(
    taking: Page, site: Site
) -> None:
    url = taking.url
    type_something(taking, "0.1")
    leave(site, taking, -60)
    taking.close()
    page = taking.context.new_page()
    page.goto(url)
    expect(page).to_have_url(f"{url}results/")
    expect(page.get_by_role("heading", level=1)).to_contain_text("points", timeout=20_000)
    expect(page.locator("section[data-family=cosine]")).to_contain_text("0.1")
