"""Saving without loss: broken lines, closed pages, second pages, ended logins."""

import os
import re
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, BrowserType, Page, expect

from tests.sites import Site

from .conftest import (
    PASSWORD,
    log_in,
    open_summary,
    question_at,
    sign_up,
    start_quiz,
    wait_until_saved,
)

FAST = 4_000  # the promised two seconds, doubled for a busy machine


def cosine_inputs(page: Page):
    return question_at(page, "[data-family=cosine]").get_by_role("textbox")


def saving_line(page: Page):
    return page.locator("[data-saving]")


def fill_login_form(page: Page, email: str) -> None:
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Log in", exact=True).click()


def another_page(page: Page) -> Page:
    other = page.context.new_page()
    other.goto(page.url)
    return other


def test_what_is_typed_is_saved_within_two_seconds_and_there_again(attempt_page: Page) -> None:
    expect(saving_line(attempt_page)).to_have_text("Nothing to save yet")
    with attempt_page.expect_response("**/draft/", timeout=FAST) as answer:
        cosine_inputs(attempt_page).press_sequentially("0,5")
    assert answer.value.status == 200
    expect(saving_line(attempt_page)).to_have_text(re.compile(r"^Saved \d\d:\d\d$"))
    expect(attempt_page.locator(".cell-read")).to_have_text("read as 0.5")
    expect(attempt_page.locator("[data-palette][data-state=answered]")).to_have_count(1)
    attempt_page.reload()
    expect(cosine_inputs(attempt_page)).to_have_value("0,5")


@pytest.mark.slow
def test_who_types_on_and_on_is_saved_in_between(attempt_page: Page) -> None:
    requests = []
    attempt_page.on("request", lambda request: requests.append(request.url))
    cosine_inputs(attempt_page).press_sequentially("0." + "1234567890" * 2, delay=150)
    assert sum(url.endswith("/draft/") for url in requests) >= 2


def test_what_is_typed_before_the_script_is_there_is_saved_too(attempt_page: Page) -> None:
    routes = []
    attempt_page.route("**/attempt*.js", lambda route: routes.append(route))
    attempt_page.reload(wait_until="commit")
    cosine_inputs(attempt_page).fill("0.25")
    routes[0].continue_()
    attempt_page.unroute_all()
    wait_until_saved(attempt_page)
    attempt_page.reload()
    expect(cosine_inputs(attempt_page)).to_have_value("0.25")


def test_a_choice_is_saved_too(attempt_page: Page) -> None:
    def chosen():
        return question_at(attempt_page, "[data-kind=choice]").get_by_role("radio").nth(2)

    with attempt_page.expect_response("**/draft/"):
        chosen().check()
    attempt_page.reload()
    expect(chosen()).to_be_checked()


def test_offline_it_says_so_and_saves_when_the_line_is_back(
    attempt_page: Page, context: BrowserContext
) -> None:
    context.set_offline(True)
    cosine_inputs(attempt_page).fill("0.25")
    expect(saving_line(attempt_page)).to_have_text("Not saved, retrying", timeout=FAST)
    context.set_offline(False)
    wait_until_saved(attempt_page)
    attempt_page.reload()
    expect(cosine_inputs(attempt_page)).to_have_value("0.25")


def test_a_save_whose_receipt_was_lost_is_the_same_save(attempt_page: Page) -> None:
    lost = []

    def lose_the_receipt(route):
        if lost:
            route.continue_()
        else:
            lost.append(route.fetch().status)
            route.abort()

    attempt_page.route("**/draft/", lose_the_receipt)
    cosine_inputs(attempt_page).fill("0.25")
    expect(saving_line(attempt_page)).to_have_text("Not saved, retrying", timeout=FAST)
    cosine_inputs(attempt_page).fill("0.75")
    wait_until_saved(attempt_page)
    assert lost == [200]
    expect(attempt_page.locator(".conflict")).to_have_count(0)
    attempt_page.reload()
    expect(cosine_inputs(attempt_page)).to_have_value("0.75")


def test_what_a_closed_page_could_not_save_comes_back(
    attempt_page: Page, context: BrowserContext
) -> None:
    url = attempt_page.url
    context.set_offline(True)
    cosine_inputs(attempt_page).fill("0.25")
    expect(saving_line(attempt_page)).to_have_text("Not saved, retrying", timeout=FAST)
    attempt_page.close(run_before_unload=False)
    context.set_offline(False)
    page = context.new_page()
    page.goto(url)
    expect(cosine_inputs(page)).to_have_value("0.25")
    # By this page, or by the closed one if it was back online at the last moment.
    expect(saving_line(page)).to_have_text(re.compile("^Saved"))
    page.evaluate("localStorage.clear()")
    page.reload()
    expect(cosine_inputs(page)).to_have_value("0.25")


@pytest.mark.slow
def test_a_killed_browser_gives_back_what_it_could_not_save(
    browser_type: BrowserType,
    browser_type_launch_args: dict[str, Any],
    browser_context_args: dict[str, Any],
    tmp_path: Path,
) -> None:
    def open_browser() -> Page:
        options = browser_type_launch_args | browser_context_args
        return browser_type.launch_persistent_context(tmp_path, **options).pages[0]

    page = open_browser()
    email = sign_up(page)
    start_quiz(page)
    url = page.url
    cosine_inputs(page).fill("0.25")
    wait_until_saved(page)
    page.context.set_offline(True)
    cosine_inputs(page).fill("0.75")
    expect(saving_line(page)).to_have_text("Not saved, retrying", timeout=FAST)
    page.wait_for_timeout(6_000)  # browsers write to disk about every five seconds
    kill_what_runs_in(tmp_path)

    page = open_browser()
    page.goto(url)
    if "/login/" in page.url:  # cookies reach the disk even later
        fill_login_form(page, email)
    expect(cosine_inputs(page)).to_have_value("0.75")
    wait_until_saved(page)
    page.context.close()


def kill_what_runs_in(profile: Path) -> None:
    """Kill the browser of a profile, as a dead battery would."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if str(profile).encode() in (process / "cmdline").read_bytes():
                os.kill(int(process.name), signal.SIGKILL)


def test_of_two_pages_the_older_never_wins_silently(attempt_page: Page) -> None:
    other = another_page(attempt_page)
    cosine_inputs(attempt_page).fill("0.1")
    wait_until_saved(attempt_page)
    cosine_inputs(other).fill("0.2")
    box = other.locator(".conflict")
    expect(box).to_contain_text("0.1")
    expect(cosine_inputs(other)).to_have_value("0.2")
    announced = other.get_by_role("status").filter(has_text="changed on another page")
    expect(announced).to_have_count(1)
    other.get_by_role("button", name="Next").click()
    other.get_by_role("link", name="Choose which answer to keep in question").click()
    expect(box).to_be_visible()
    box.get_by_role("button", name="Keep this answer").click()
    expect(announced).to_have_count(0)
    wait_until_saved(other)
    # Now the first page is the older one.
    cosine_inputs(attempt_page).fill("0.3")
    attempt_page.locator(".conflict").get_by_role("button", name="Use the saved answer").click()
    expect(cosine_inputs(attempt_page)).to_have_value("0.2")
    expect(attempt_page.locator(".conflict")).to_have_count(0)
    cosine_inputs(attempt_page).fill("0.4")
    wait_until_saved(attempt_page)
    other.reload()
    expect(cosine_inputs(other)).to_have_value("0.4")


@pytest.mark.slow
def test_what_another_page_has_saved_counts_as_saved_here_too(attempt_page: Page) -> None:
    attempt_page.route("**/draft/", lambda route: route.abort())
    cosine_inputs(attempt_page).fill("0.25")
    expect(saving_line(attempt_page)).to_have_text("Not saved, retrying", timeout=FAST)
    # It finds the text stored in this browser, and saves it.
    wait_until_saved(another_page(attempt_page))
    attempt_page.unroute_all()
    wait_until_saved(attempt_page)
    expect(attempt_page.locator(".conflict")).to_have_count(0)
    expect(attempt_page.locator("[data-palette][data-state=answered]")).to_have_count(1)


@pytest.mark.slow
@pytest.mark.parametrize("lost", [{"name": "sessionid"}, {}], ids=["login", "all cookies"])
def test_a_log_in_that_ended_is_asked_for_and_nothing_is_lost(
    page: Page, context: BrowserContext, lost: dict[str, str]
) -> None:
    email = sign_up(page)
    start_quiz(page)
    context.clear_cookies(**lost)
    cosine_inputs(page).fill("0.25")
    message = page.get_by_role("alert").filter(has_text="logged out")
    expect(message).to_be_visible(timeout=FAST)

    with context.expect_page() as opened:
        message.get_by_role("link", name="log in again").click()
    fill_login_form(opened.value, email)
    opened.value.wait_for_url(page.url.partition("#")[0])

    page.bring_to_front()
    wait_until_saved(page)
    expect(message).to_be_hidden()
    expect(cosine_inputs(page)).to_have_value("0.25")
    open_summary(page)
    expect(page.get_by_text("1 of 15 questions are answered")).to_be_visible()


@pytest.mark.slow
def test_submitting_waits_for_what_is_not_saved(
    attempt_page: Page, context: BrowserContext
) -> None:
    context.set_offline(True)
    cosine_inputs(attempt_page).fill("0.25")
    open_summary(attempt_page)
    expect(attempt_page.get_by_text("so you can’t submit")).to_be_visible()
    context.set_offline(False)
    wait_until_saved(attempt_page)
    open_summary(attempt_page)
    expect(attempt_page.get_by_text("1 of 15 questions are answered")).to_be_visible()


def test_only_a_receipt_counts_as_saved(attempt_page: Page) -> None:
    # As in a hotel's network that answers with its own page.
    attempt_page.route(
        "**/draft/", lambda route: route.fulfill(content_type="text/html", body="Wi-Fi")
    )
    cosine_inputs(attempt_page).fill("0.25")
    expect(saving_line(attempt_page)).to_have_text("Not saved, retrying", timeout=FAST)
    attempt_page.unroute_all()
    wait_until_saved(attempt_page)
    attempt_page.reload()
    expect(cosine_inputs(attempt_page)).to_have_value("0.25")


REFUSAL = "The server didn’t accept this"
WALL = "<!doctype html><title>Blocked</title><p>Your network has blocked this page.</p>"


@pytest.mark.slow
def test_what_a_network_answers_instead_of_the_server_is_tried_again(attempt_page: Page) -> None:
    answers, blocked = {"content_type": "text/html", "body": WALL}, []

    def block(route):
        blocked.append(route.request.post_data_json["fields"])
        route.fulfill(**answers)

    for number, status in enumerate((400, 403, 404, 409, 410, 451, 511)):
        answers["status"] = status
        blocked.clear()
        attempt_page.route("**/draft/", block)
        cosine_inputs(attempt_page).fill(f"0.2{number}")
        expect(saving_line(attempt_page)).to_have_text("Not saved, retrying", timeout=FAST)
        expect(attempt_page.locator("[data-trouble]")).to_be_hidden()
        while len(blocked) < 2:
            attempt_page.wait_for_timeout(100)
        cosine_inputs(attempt_page).fill(f"0.7{number}")
        attempt_page.unroute_all()
        wait_until_saved(attempt_page)
        attempt_page.reload()
        expect(cosine_inputs(attempt_page)).to_have_value(f"0.7{number}")


@pytest.mark.slow
def test_json_that_the_server_never_wrote_is_tried_again(attempt_page: Page) -> None:
    answers = {"status": 404, "content_type": "application/json"}
    for number, body in enumerate(("null", "[]", '"no"', "{}", "{")):
        answers["body"] = body
        attempt_page.route("**/draft/", lambda route: route.fulfill(**answers))
        cosine_inputs(attempt_page).fill(f"0.2{number}")
        expect(saving_line(attempt_page)).to_have_text("Not saved, retrying", timeout=FAST)
        attempt_page.unroute_all()
        wait_until_saved(attempt_page)


@pytest.mark.slow
def test_a_refused_save_is_shown_and_more_typing_tries_again(attempt_page: Page) -> None:
    def refuse(route):
        refused.append(route.request.post_data_json)
        route.fulfill(status=400, json={"error": "This is no save."})

    refused = []
    attempt_page.route("**/draft/", refuse)
    cosine_inputs(attempt_page).fill("0.25")
    message = attempt_page.get_by_role("alert").filter(has_text=REFUSAL)
    expect(message).to_be_visible(timeout=FAST)
    attempt_page.wait_for_timeout(1_500)
    assert len(refused) == 1
    attempt_page.unroute_all()
    cosine_inputs(attempt_page).fill("0.75")
    wait_until_saved(attempt_page)
    expect(message).to_be_hidden()
    attempt_page.reload()
    expect(cosine_inputs(attempt_page)).to_have_value("0.75")


@pytest.mark.slow
def test_whoever_comes_back_after_somebody_else_logged_in_goes_on(
    attempt_page: Page, site: Site, sessions: Iterator[str]
) -> None:
    (own,) = (each for each in attempt_page.context.cookies() if each["name"] == "sessionid")
    log_in(attempt_page, site, next(sessions))
    cosine_inputs(attempt_page).fill("0.25")
    message = attempt_page.get_by_role("alert").filter(has_text=REFUSAL)
    expect(message).to_be_visible(timeout=FAST)
    another_page(attempt_page)
    log_in(attempt_page, site, own["value"])
    attempt_page.bring_to_front()
    wait_until_saved(attempt_page)
    expect(message).to_be_hidden()
    attempt_page.reload()
    expect(cosine_inputs(attempt_page)).to_have_value("0.25")


def test_a_flag_that_a_network_refuses_leaves_nobody_at_the_results(attempt_page: Page) -> None:
    wall = {"status": 409, "content_type": "text/html", "body": WALL}
    attempt_page.route("**/flag/", lambda route: route.fulfill(**wall))
    url = attempt_page.url
    attempt_page.locator("fieldset.item:visible .flag").click()
    expect(attempt_page.get_by_text("The flag couldn’t be changed")).to_be_visible()
    assert attempt_page.url == url
