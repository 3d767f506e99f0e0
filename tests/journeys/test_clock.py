"""The clock is the server's: the page follows it, and hands in when time is up."""

import re

from playwright.sync_api import Page, expect

from tests.conftest import Site


def pk_of(page: Page) -> str:
    return re.search(r"/attempts/(\d+)/", page.url)[1]


def leave(site: Site, page: Page, seconds: int) -> None:
    """Move the deadline of the attempt, as an instructor might."""
    site.manage(
        "shell",
        "-c",
        "from quizzes.models import Attempt; from django.utils.timezone import now, timedelta\n"
        f"Attempt.objects.filter(pk={pk_of(page)})"
        f".update(deadline=now() + timedelta(seconds={seconds}))",
    )


def type_something(page: Page, text: str) -> None:
    with page.expect_response("**/draft/"):
        page.locator("fieldset[data-family=cosine]").get_by_role("textbox").fill(text)


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


def test_when_time_is_up_the_page_hands_in_what_stands_there(taking: Page, site: Site) -> None:
    leave(site, taking, 4)
    type_something(taking, "0.1")
    expect(taking.get_by_role("timer")).to_have_text(re.compile("^0:0"))
    taking.wait_for_url("**/results/", timeout=15_000)
    expect(taking.get_by_role("heading", level=1)).to_contain_text("points", timeout=15_000)
    expect(taking.locator("section[data-item='2']")).to_contain_text("0.1")


def test_nobody_is_hurried_by_a_clock_that_runs_ahead(taking: Page, site: Site) -> None:
    leave(site, taking, 10)
    type_something(taking, "0.1")
    leave(site, taking, 1200)
    expect(taking.get_by_role("timer")).to_have_text("20 min left", timeout=20_000)
    assert taking.url.endswith(f"/attempts/{pk_of(taking)}/")
