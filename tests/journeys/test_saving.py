"""Nothing typed is lost: lines that break, pages that close, second pages, log-ins that end."""

import re

from playwright.sync_api import BrowserContext, Page, expect

from .conftest import saved

FAST = 4_000  # two seconds by the promise, doubled for a busy machine


def cosine(page: Page):
    return page.locator("fieldset[data-family=cosine]").get_by_role("textbox")


def state(page: Page):
    return page.locator("[data-saving]")


def another_page(page: Page) -> Page:
    other = page.context.new_page()
    other.goto(page.url)
    return other


def test_what_is_typed_is_saved_within_two_seconds_and_there_again(taking: Page) -> None:
    expect(state(taking)).to_have_text("Nothing to save yet")
    with taking.expect_response("**/draft/", timeout=FAST) as answer:
        cosine(taking).press_sequentially("0,5")
    assert answer.value.status == 200
    expect(state(taking)).to_have_text(re.compile(r"^Saved \d\d:\d\d$"))
    expect(taking.locator(".cell-read")).to_have_text("read as 0.5")
    expect(taking.locator("[data-palette][data-state=answered]")).to_have_count(1)
    taking.reload()
    expect(cosine(taking)).to_have_value("0,5")


def test_who_types_on_and_on_is_saved_in_between(taking: Page) -> None:
    requests = []
    taking.on("request", lambda request: requests.append(request.url))
    cosine(taking).press_sequentially("0." + "1234567890" * 2, delay=150)
    assert sum(url.endswith("/draft/") for url in requests) >= 2


def test_what_is_typed_before_the_script_is_there_is_saved_too(taking: Page) -> None:
    held = []
    taking.route("**/saving*.js", lambda route: held.append(route))
    taking.reload(wait_until="commit")
    cosine(taking).fill("0.25")
    held[0].continue_()
    taking.unroute_all()
    saved(taking)
    taking.reload()
    expect(cosine(taking)).to_have_value("0.25")


def test_a_choice_is_saved_too(taking: Page) -> None:
    chosen = taking.locator("fieldset[data-kind=choice]").first.get_by_role("radio").nth(2)
    with taking.expect_response("**/draft/"):
        chosen.check()
    taking.reload()
    expect(chosen).to_be_checked()


def test_offline_it_says_so_and_saves_when_the_line_is_back(
    taking: Page, context: BrowserContext
) -> None:
    context.set_offline(True)
    cosine(taking).fill("0.25")
    expect(state(taking)).to_have_text("Not saved, retrying", timeout=FAST)
    context.set_offline(False)
    saved(taking)
    taking.reload()
    expect(cosine(taking)).to_have_value("0.25")


def test_a_save_whose_receipt_was_lost_is_the_same_save(taking: Page) -> None:
    lost = []

    def lose_the_receipt(route):
        if lost:
            route.continue_()
        else:
            lost.append(route.fetch().status)
            route.abort()

    taking.route("**/draft/", lose_the_receipt)
    cosine(taking).fill("0.25")
    expect(state(taking)).to_have_text("Not saved, retrying", timeout=FAST)
    cosine(taking).fill("0.75")
    saved(taking)
    assert lost == [200]
    expect(taking.locator(".conflict")).to_have_count(0)
    taking.reload()
    expect(cosine(taking)).to_have_value("0.75")


def test_what_a_closed_page_could_not_save_comes_back(
    taking: Page, context: BrowserContext
) -> None:
    url = taking.url
    context.set_offline(True)
    cosine(taking).fill("0.25")
    expect(state(taking)).to_have_text("Not saved, retrying", timeout=FAST)
    taking.close(run_before_unload=False)
    context.set_offline(False)
    page = context.new_page()
    page.goto(url)
    expect(cosine(page)).to_have_value("0.25")
    saved(page)
    page.evaluate("localStorage.clear()")
    page.reload()
    expect(cosine(page)).to_have_value("0.25")


def test_of_two_pages_the_older_never_wins_silently(taking: Page) -> None:
    other = another_page(taking)
    cosine(taking).fill("0.1")
    saved(taking)
    cosine(other).fill("0.2")
    box = other.locator(".conflict")
    expect(box).to_contain_text("0.1")
    expect(cosine(other)).to_have_value("0.2")
    box.get_by_role("button", name="Keep what stands here").click()
    saved(other)
    # Now the first page is the older one.
    cosine(taking).fill("0.3")
    taking.locator(".conflict").get_by_role("button", name="Take what is stored").click()
    expect(cosine(taking)).to_have_value("0.2")
    expect(taking.locator(".conflict")).to_have_count(0)
    cosine(taking).fill("0.4")
    saved(taking)
    other.reload()
    expect(cosine(other)).to_have_value("0.4")


def test_a_log_in_that_ended_is_asked_for_and_nothing_is_lost(
    taking: Page, context: BrowserContext
) -> None:
    cookies = context.cookies()
    context.clear_cookies(name="sessionid")
    cosine(taking).fill("0.25")
    expect(taking.get_by_role("alert").filter(has_text="logged out")).to_be_visible(timeout=FAST)
    expect(taking.get_by_role("link", name="log in again")).to_be_visible()
    context.add_cookies([cookie for cookie in cookies if cookie["name"] == "sessionid"])
    saved(taking)
    expect(taking.get_by_role("alert").filter(has_text="logged out")).to_be_hidden()


def test_submitting_waits_for_what_is_not_saved(taking: Page, context: BrowserContext) -> None:
    context.set_offline(True)
    cosine(taking).fill("0.25")
    taking.get_by_role("button", name="Review and submit").click()
    expect(taking.get_by_text("so it cannot be submitted")).to_be_visible(timeout=10_000)
    context.set_offline(False)
    saved(taking)
    taking.get_by_role("button", name="Review and submit").click()
    expect(taking.get_by_text("1 of 15 questions are answered")).to_be_visible()
