"""A class from its creation to its first students, by everyone involved."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from secrets import token_hex

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.sites import Site

from .conftest import complaints_in_both_themes, follow_link, log_in, sign_up

INSTRUCTOR = ("instructor@softmark.example", "softmark-demo")
CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,Quiz 1 (42)
    Points Possible,,,,,15.00
"Student, Sam",1,s1,STUDENT@softmark.example,Tutorial 1,12
"Muster, Maria",2,s2,maria@university.example,Tutorial 2,
"Formula, Fred",3,s3,"=HYPERLINK(""http://evil.example"")",Tutorial 2,
"""


@pytest.fixture
def somebody(browser: Browser, site: Site) -> Iterator[Callable[[], Page]]:
    """Return a function that opens another person's browser."""
    contexts: list[BrowserContext] = []

    def another() -> Page:
        contexts.append(browser.new_context(base_url=site.url))
        return contexts[-1].new_page()

    yield another
    for context in contexts:
        context.close()


@pytest.fixture
def instructor(page: Page) -> Page:
    page.goto("/accounts/login/?next=/teach/")
    page.get_by_label("Email address").fill(INSTRUCTOR[0])
    page.get_by_label("Password").fill(INSTRUCTOR[1])
    page.get_by_role("main").get_by_role("button", name="Log in", exact=True).click()
    page.wait_for_url("**/teach/")
    return page


def check_look(page: Page) -> None:
    """Check that nothing overflows on a phone, and that axe finds nothing in either theme."""
    page.set_viewport_size({"width": 320, "height": 640})
    assert complaints_in_both_themes(page) == [], page.url
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url
    page.set_viewport_size({"width": 1280, "height": 800})


@pytest.mark.slow
def test_a_course_is_made_and_filled_by_code_by_link_and_by_list(
    instructor: Page,
    somebody: Callable[[], Page],
    sessions: Iterator[str],
    site: Site,
    tmp_path: Path,
) -> None:
    page = instructor
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    check_look(page)
    page.get_by_role("link", name="Create a class").click()
    expect(page.get_by_label("Title")).to_be_visible()
    check_look(page)
    title = f"Attention, {token_hex(4)}"
    page.get_by_label("Title").fill(title)
    page.get_by_label("Time zone", exact=True).select_option("Europe/Vienna")
    page.get_by_role("button", name="Create class").click()
    check_look(page)
    code = page.locator(".code-shown").inner_text()
    link = page.locator(".link-shown a").get_attribute("href")

    by_code = somebody()
    log_in(by_code, site, next(sessions))
    by_code.goto("/learning/")
    follow_link(by_code.get_by_role("link", name="Join a class"))
    check_look(by_code)
    by_code.get_by_label("Code").fill(code.lower().replace("-", " "))
    by_code.get_by_role("button", name="Continue").click()
    expect(by_code.get_by_role("heading", level=1)).to_have_text(title)
    check_look(by_code)
    by_code.get_by_role("button", name="Join").click()
    expect(by_code.get_by_text(f"You’ve joined the class {title}.")).to_be_visible()
    check_look(by_code)

    by_link = somebody()
    by_link.goto(link)
    check_look(by_link)
    by_link.get_by_role("main").get_by_role("link", name="Sign up").click()
    address = f"lina.of.a.long.name.{token_hex(8)}@university.example"
    by_link.get_by_label("Name").fill("Lina Link")
    by_link.get_by_label("Email").fill(address)
    by_link.get_by_label("Password").first.fill("a long enough password")
    by_link.get_by_role("main").get_by_role("button", name="Sign up").click()
    expect(by_link.get_by_role("heading", level=1)).to_have_text(title)
    by_link.get_by_role("button", name="Join").click()
    expect(by_link.get_by_text(f"You’ve joined the class {title}.")).to_be_visible()

    follow_link(page.get_by_role("link", name="Import a list"))
    check_look(page)
    file = tmp_path / "grades.csv"
    file.write_text(CANVAS, encoding="utf-16")
    page.get_by_label("File (CSV or XLSX)").set_input_files(file)
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("heading", name="This is a formula")).to_be_visible()
    expect(page.get_by_role("row").filter(has_text="Fred")).to_be_visible()
    page.get_by_text("The 2 other lines").click()
    expect(page.get_by_role("row").filter(has_text="Maria Muster")).to_contain_text("invited")
    expect(page.get_by_text("2 students in the class aren’t on the list")).to_be_visible()
    check_look(page)
    page.get_by_role("button", name="Import 2 lines").click()

    rows = page.get_by_role("table").get_by_role("row")
    expect(rows).to_have_count(6)
    check_look(page)
    page.get_by_role("checkbox", name="Lina Link").check()
    page.get_by_role("button", name="Change …").click()
    check_look(page)
    page.get_by_label("Role").select_option("Assistant")
    page.get_by_label("Or a new section").fill("Tutorial 1")
    page.get_by_label("Reason").fill("She asked to help")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("checkbox", name="Maria Muster").check()
    page.get_by_role("button", name="Remove …").click()
    check_look(page)
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.get_by_text("1 person removed.")).to_be_visible()
    page.get_by_role("link", name="History").click()
    expect(page.get_by_text("changed Lina Link")).to_be_visible()
    expect(page.get_by_text("Reason: She asked to help")).to_be_visible()
    check_look(page)
    follow_link(page.get_by_role("link", name="Settings"))
    check_look(page)

    by_link.goto("/learning/")
    by_link.get_by_role("link", name=title, exact=True).click()
    by_link.get_by_role("link", name="People", exact=True).click()
    expect(by_link.get_by_role("table").get_by_role("row")).to_have_count(3)
    expect(by_link.get_by_role("link", name="Sam Student")).to_be_visible()
    check_look(by_link)

    by_code.goto("/learning/")
    follow_link(by_code.get_by_role("link", name=re.compile("^Leave …")))
    check_look(by_code)
    by_code.get_by_role("button", name="Leave").click()
    expect(by_code.get_by_text(f"You’ve left the class {title}.")).to_be_visible()
    assert complaints == []


def test_everybody_on_a_page_is_ticked_at_once(instructor: Page) -> None:
    page = instructor
    page.goto("/teach/new/")
    page.get_by_label("Title").fill("Ticks")
    page.get_by_role("button", name="Create class").click()
    page.get_by_role("link", name="People").click()
    tick = page.get_by_role("button", name="Select everyone on this page")
    tick.click()
    expect(page.get_by_role("checkbox")).to_be_checked()
    tick.click()
    expect(page.get_by_role("checkbox")).not_to_be_checked()


def test_the_zone_of_a_device_is_offered_and_then_every_time_is_in_it(page: Page) -> None:
    sign_up(page)
    device = page.context.new_cdp_session(page)
    device.send("Emulation.setTimezoneOverride", {"timezoneId": "Asia/Tokyo"})
    page.goto("/accounts/")
    shown = page.locator("main time")
    expect(shown).to_have_text(re.compile(r"^(today|tomorrow), \d\d:\d\d$"))
    offer = page.locator(".zone-offer")
    check_look(page)
    offer.get_by_role("button", name="Don’t use it").click()
    expect(offer).to_be_hidden()
    page.reload()
    expect(offer).to_be_hidden()
    page.evaluate("localStorage.clear()")
    page.reload()
    expect(offer).to_contain_text("Asia/Tokyo")
    offer.get_by_role("button", name="Use this time zone").click()
    expect(page.get_by_role("combobox", name="Time zone")).to_have_value("Asia/Tokyo")
    expect(offer).to_have_count(0)
    expect(shown).to_have_text(re.compile(r"^(today|tomorrow), \d\d:\d\d$"))
