"""Pages in a browser: they fit a phone, are readable by everyone, and keep to the policy."""

import pytest

from tests.journeys.conftest import complaints_in_both_themes

PAGES = [
    *("/", "/accounts/login/", "/accounts/signup/", "/accounts/password/reset/"),
    "/no/such/page/",
]


@pytest.fixture
def open_page(browser, site):
    """Return a function that opens an address in a width, and notes complaints."""
    contexts = []

    def _open(path, width=320):
        context = browser.new_context(base_url=site.url, viewport={"width": width, "height": 800})
        contexts.append(context)
        page = context.new_page()
        page.complaints = []
        page.on("console", lambda said: page.complaints.append(said.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.goto(path)
        return page

    yield _open
    for context in contexts:
        context.close()


@pytest.mark.parametrize("path", PAGES)
def test_a_page_fits_a_phone_and_reads_for_everyone(open_page, path):
    page = open_page(path)
    assert complaints_in_both_themes(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    # The browser complains of nothing but the missing address.
    assert [text for text in page.complaints if "404 (Not Found)" not in text] == []


def test_the_keyboard_reaches_the_content_first(open_page):
    page = open_page("/")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_the_reader_may_choose_the_colours_and_the_choice_lasts(open_page):
    page = open_page("/", width=1000)
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.get_by_role("button", name="Dark").click()
    dark = page.evaluate(ground)
    page.goto("/accounts/login/")
    assert dark != light
    assert page.evaluate(ground) == dark
    page.get_by_role("button", name="System").click()
    assert page.evaluate(ground) == light


def test_fonts_come_from_the_site(open_page):
    page = open_page("/accounts/signup/", width=1000)
    page.evaluate("document.fonts.ready")
    loaded = page.evaluate(
        "[...document.fonts].filter(f => f.status == 'loaded').map(f => f.family)"
    )
    assert {family.strip('"') for family in loaded} >= {"Softmark Serif", "Softmark Sans"}
