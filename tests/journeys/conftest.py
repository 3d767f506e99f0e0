"""Students in a browser, on the whole site."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Error, Locator, Page, Route, expect

from tests.sites import Site

SCRIPTS = Path(__file__).parents[2] / "quizzes" / "static" / "quizzes"
PASSWORD = "a long enough password"
LOG_IN_SOME = """
from uuid import uuid4
from django.contrib.auth import get_user_model
from django.test import Client
for _ in range(40):
    client = Client()
    email = f"student-{uuid4().hex[:12]}@example.org"
    client.force_login(get_user_model().objects.create_user(email, name="Sam Student"))
    print(client.cookies["sessionid"].value)
"""
LOG_IN_STAFF = """
from django.contrib.auth import get_user_model
from django.test import Client
for name in ("instructor", "admin"):
    client = Client()
    client.force_login(get_user_model().objects.get(email=f"{name}@softmark.example"))
    print(client.cookies["sessionid"].value)
"""
BEGIN = """
from django.contrib.auth import get_user_model
from accounts.sessions import SessionStore
from quizzes.delivery.services.taking import start_attempt
from quizzes.errors import NotReady
from quizzes.models import Quiz
student = SessionStore({session!r})["_auth_user_id"]
quiz = Quiz.objects.get(slug="attention-foundations")
while True:
    try:
        print(start_attempt(student=get_user_model().objects.get(pk=student), quiz=quiz).pk)
        break
    except NotReady:
        pass  # asking again goes on with drawing
"""
QUIZ = "/quizzes/attention-foundations/"
# Parts that are out of sight would keep the other theme's colours: their transitions wait.
STILL = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("*, ::before, ::after { transition: none !important }");
  document.adoptedStyleSheets.push(sheet);
}"""

# A page that is slow on a busy machine is not a broken page.
expect.set_options(timeout=15_000)


@pytest.fixture(scope="module")
def script_page(browser: Browser) -> Iterator[Page]:
    """An empty page that can import the scripts of quizzes by their paths."""
    page = browser.new_page()

    def serve(route: Route) -> None:
        file = SCRIPTS / route.request.url.removeprefix(origin)
        if file.is_file():
            route.fulfill(path=file, content_type="text/javascript")
        elif file == SCRIPTS:
            route.fulfill(body="<!doctype html><title>Scripts</title>")
        else:
            route.fulfill(status=404)

    origin = "http://scripts.test/"
    page.route(f"{origin}**", serve)
    page.goto(origin)
    yield page
    page.close()


# What can be pressed but is smaller than 24 pixels, and no link in the middle of a sentence.
SMALL_TARGETS = """() => {
  const isSmall = (each) => {
    const { width, height } = each.getBoundingClientRect();
    return width > 1 && height > 1 && Math.min(width, height) < 23.5;
  };
  const isInText = (each) => {
    const rest = each.parentElement.cloneNode(true);
    for (const other of rest.querySelectorAll("a, button, .visually-hidden")) other.remove();
    return getComputedStyle(each).display === "inline" && /\\p{L}/u.test(rest.textContent);
  };
  return [...document.querySelectorAll("main :is(a[href], button, input, select, summary)")]
    .filter((each) => each.checkVisibility({ visibilityProperty: true }))
    .filter((each) => [each, ...(each.labels ?? [])].every(isSmall) && !isInText(each))
    .map((each) => each.outerHTML.slice(0, 160));
}"""


def complaints_about(page: Page, part: str = "html", *, without: Sequence[str] = ()) -> list[str]:
    """Return axe's findings in a part of a page, except for the rules in `without`."""
    # Under forced colours axe compares ours, which are not shown.
    forced = page.evaluate("matchMedia('(forced-colors: active)').matches")
    left_out = [*without, *(["color-contrast"] if forced else [])]
    return _findings(page, part, {"rules": {name: {"enabled": False} for name in left_out}})


def complaints_in_both_themes(page: Page, part: str = "html") -> list[str]:
    """Return axe's findings in the light theme, and those of contrast in the dark one."""
    found = []
    only = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
    page.mouse.move(0, 0)  # a button below the pointer has other colours
    page.evaluate(STILL)
    for theme, options in (("light", {}), ("dark", only)):
        page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        found += [f"{theme}: {each}" for each in _findings(page, part, options)]
    page.emulate_media(color_scheme="light")
    page.evaluate("document.adoptedStyleSheets.pop()")
    return found


def _findings(page: Page, part: str, options: dict[str, Any]) -> list[str]:
    options |= {"resultTypes": ["violations"]}  # listing all that passes takes longer
    try:
        found = Axe().run(page, context={"include": [[part]]}, options=options)
    except Error:  # the last click led to another page: check that one
        page.wait_for_load_state()
        found = Axe().run(page, context={"include": [[part]]}, options=options)
    return [
        f"{each['id']}: {each['nodes'][0]['html'][:160]}" for each in found.response["violations"]
    ]


def follow_link(link: Locator) -> None:
    """Click a link to another page, and wait for that page."""
    with link.page.expect_navigation():
        link.click()


def sign_up(page: Page) -> str:
    """Sign up a new student on the page's own form. Return the email address."""
    email = f"student-{uuid4().hex[:12]}@example.org"
    page.goto("/accounts/signup/")
    page.get_by_label("Name").fill("Sam Student")
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password").first.fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Sign up").click()
    page.wait_for_url("/learning/")
    return email


@pytest.fixture(autouse=True)
def _the_site_runs(request: pytest.FixtureRequest) -> None:
    """Report which of the site's processes had ended before a journey that fails."""
    if "site" not in request.fixturenames:
        return  # tests of scripts alone need no site
    site: Site = request.getfixturevalue("site")
    assert site.supervisor.poll() is None, f"the site has stopped:\n{site.output}"
    request.node.add_report_section("setup", "site", site.output)


@pytest.fixture(scope="session")
def sessions(site: Site) -> Iterator[str]:
    """Session keys of new students, made without a browser, in which signing up takes seconds."""

    def log_in_some() -> Iterator[str]:
        while True:
            yield from site.run(LOG_IN_SOME).split()

    return log_in_some()


@pytest.fixture(scope="session")
def staff_sessions(site: Site) -> dict[str, str]:
    """The session keys of the demo's instructor and administrator."""
    return dict(zip(("instructor", "administrator"), site.run(LOG_IN_STAFF).split(), strict=True))


@pytest.fixture
def student_page(page: Page, site: Site, sessions: Iterator[str]) -> Page:
    """The site's first page, on which a new student is logged in."""
    log_in(page, site, next(sessions))
    page.goto("/")
    return page


@pytest.fixture
def lesson_page(page: Page, lesson: str) -> Page:
    """A page on which the module's own lesson is open."""
    page.goto(lesson)
    return page


def log_in(page: Page, site: Site, session: str) -> None:
    page.context.add_cookies([{"name": "sessionid", "value": session, "url": site.url}])


@pytest.fixture
def attempt_page(page: Page, site: Site, sessions: Iterator[str]) -> Page:
    """The page of a student in the first minute of an attempt."""
    session = next(sessions)
    log_in(page, site, session)
    page.goto(f"/attempts/{site.run(BEGIN.format(session=session)).strip()}/")
    return page


def add_lesson(site: Site, folder: Path, text: str) -> None:
    """Load a lesson into the site as a deployment does, from a folder of content."""
    for name in ("lessons", "questions", "quizzes"):
        (folder / name).mkdir()
    (folder / "lessons" / "added.md").write_text(text)
    load = f"call_command('load_content', {str(folder)!r})"
    site.run(f"from django.core.management import call_command; {load}")


def start_quiz(page: Page, quiz: str = QUIZ) -> None:
    page.goto(quiz)
    page.get_by_role("button", name="Start the quiz").click()
    page.wait_for_url("**/attempts/*/")


def question_at(page: Page, which: str) -> Locator:
    """Return a question, brought into view by its square in the palette."""
    item = page.locator(f"fieldset{which}").first
    if not item.is_visible():
        palette_part(page, f"[data-palette='{item.get_attribute('data-item')}']").click()
        expect(item).to_be_visible()
    return item


def palette_part(page: Page, which: str) -> Locator:
    """Return a part of the palette, which on a phone has to be opened first."""
    opener = page.get_by_role("button", name="Questions:")
    if opener.is_visible() and not page.locator(".palette").is_visible():
        opener.click()
    return page.locator(".palette").locator(which)


def open_summary(page: Page) -> None:
    """Go from any question to the summary of the attempt."""
    palette_part(page, "[name=review]").click()


def wait_until_saved(page: Page) -> None:
    """Wait until everything that was typed is stored, and the page says so."""
    line = page.locator("[data-saving]")
    expect(line).to_have_attribute("data-state", "saved")
    expect(line).to_have_text(re.compile(r"^Saved \d\d:\d\d$"))
