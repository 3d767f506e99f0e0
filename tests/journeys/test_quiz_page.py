"""An author in a browser: the slots of a quiz, by keyboard, by mouse, by touch and by form."""

import re
from collections.abc import Iterator
from math import ceil
from uuid import uuid4

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from quizzes import problems
from tests.sites import Site

from .conftest import complaints_in_both_themes, log_in

TITLES = "[data-card] .qs-what b"
QUIZZES = "/admin/quizzes/quiz/"
ACTIVE = """() => {
  const active = document.activeElement;
  const spoken = (active.labels?.[0] ?? active).cloneNode(true);
  spoken.querySelectorAll(".material-symbols-outlined").forEach((icon) => icon.remove());
  return (active.ariaLabel ?? spoken.textContent).replace(/\\s+/g, " ").trim();
}"""
DEAR = "encoder_block"
COPY = """
from django.contrib.auth import get_user_model
from quizzes.authoring.services.duplicating import duplicate_quiz
from quizzes.models import Quiz
by = get_user_model().objects.get(email="instructor@softmark.example")
print(duplicate_quiz(quiz=Quiz.objects.get(slug="attention-foundations"), by=by).pk)
"""


@pytest.fixture
def author(page: Page, site: Site, staff_sessions: dict[str, str]) -> Page:
    log_in(page, site, staff_sessions["instructor"])
    return page


@pytest.fixture
def draft_page(author: Page, site: Site) -> Page:
    """A copy of a quiz that ships, a draft of this test's own, open in the admin."""
    author.goto(f"{QUIZZES}{site.run(COPY).strip()}/change/")
    publishing_check(author)
    return author


def publishing_check(page: Page) -> Locator:
    """Return the publishing check, once the page has loaded it."""
    verdict = page.get_by_role("region", name="Publishing check")
    expect(verdict).to_contain_text(re.compile("published"))
    return verdict


def titles(page: Page) -> list[str]:
    return page.locator(TITLES).all_inner_texts()


def card(page: Page, number: int) -> Locator:
    return page.locator("[data-card]").nth(number - 1)


def cheapest() -> list[str]:
    """Return families enough for a quiz, with the fewest cells to type."""
    return sorted(problems.family_keys(), key=lambda key: problems.variant_cost(key, {}).cells)[:15]


def tab_back_to(page: Page, name: str) -> None:
    tab_to(page, name, "Shift+Tab")


def tab_to(page: Page, name: str, key: str = "Tab") -> None:
    """Press Tab until this control has the focus."""
    for _ in range(250):
        page.keyboard.press(key)
        if re.fullmatch(name, page.evaluate(ACTIVE)):
            return
    raise AssertionError(f"Tab leads to nothing called {name}")


def choose_by_keys(page: Page, number: int, key: str) -> None:
    tab_to(page, f"Choose what slot {number} asks")
    page.keyboard.press("Enter")
    expect(page.get_by_role("combobox", name="Search families and topics")).to_be_focused()
    page.keyboard.type(key)
    expect(page.locator(f"#choice-family-{key}")).to_be_visible()
    # If its name is part of others', the arrow key leads to it.
    for _ in range(10):
        active = page.locator("#slot-search").get_attribute("aria-activedescendant")
        if active == f"choice-family-{key}":
            break
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(card(page, number).locator(".qs-what b")).to_have_text(problems.family_title(key))


def press(page: Page, name: str) -> None:
    tab_to(page, name)
    with page.expect_navigation():
        page.keyboard.press("Enter")


@pytest.mark.slow
def test_a_quiz_is_built_refused_mended_rehearsed_and_published_by_keyboard_alone(author: Page):
    families = [DEAR, *cheapest()[:14]]
    limit = ceil(sum(problems.variant_cost(key, {}).typical_minutes for key in cheapest()))
    slug = f"by-keys-{uuid4().hex[:8]}"
    author.goto(f"{QUIZZES}add/")
    tab_to(author, r"Title\*?")
    author.keyboard.type("By keys")
    tab_to(author, r"Slug\*?")
    author.keyboard.press("Control+a")
    author.keyboard.type(slug)
    tab_to(author, "Published")
    author.keyboard.press("Space")
    tab_to(author, r"Minutes\*?")
    author.keyboard.press("Control+a")
    author.keyboard.type(str(limit))
    for number, key in enumerate(families, start=1):
        choose_by_keys(author, number, key)
    expect(author.locator("#slots-over")).to_contain_text("min more than the time limit.")

    # Refused, and everything is still there.
    press(author, "Save and continue editing")
    expect(
        author.get_by_text("This quiz can’t be published yet, so nothing was saved.")
    ).to_be_visible()
    assert titles(author) == [problems.family_title(key) for key in families]
    expect(author.get_by_label("Title")).to_have_value("By keys")
    press(author, "To slot 1")
    expect(card(author, 1)).to_be_focused()

    # Mended: another family in its place, then last of all.
    choose_by_keys(author, 1, cheapest()[14])
    expect(author.locator("#slots-over")).to_be_empty()
    expect(publishing_check(author)).to_contain_text("It can be published.")
    for _ in range(5):
        author.keyboard.press("Shift+Tab")
    assert author.evaluate(ACTIVE) == "Move slot 1"
    author.keyboard.press("ArrowDown")
    status = author.locator("#slots [data-status]")
    expect(status).to_have_text("Slot 1 is now slot 2 of 15.")
    author.keyboard.press("End")
    expect(status).to_have_text("Slot 2 is now slot 15 of 15.")
    assert author.evaluate(ACTIVE) == "Move slot 15"
    author.keyboard.press("ArrowDown")
    expect(status).to_have_text("It’s already the last.")

    # Saved as a draft, rehearsed, and published.
    tab_back_to(author, "Published")
    author.keyboard.press("Space")
    press(author, "Save and continue editing")
    expect(author.get_by_text("was added successfully")).to_be_visible()
    assert titles(author)[-1] == problems.family_title(cheapest()[14])
    press(author, ".*Dress rehearsal")
    press(author, "Start rehearsal")
    expect(author.get_by_role("heading", name="Results")).to_be_visible(timeout=60_000)
    press(author, "Back to the quiz")
    tab_to(author, "Published")
    author.keyboard.press("Space")
    press(author, "Save and continue editing")
    expect(author.get_by_label("Published")).to_be_checked()
    assert author.goto(f"/quizzes/{slug}/").status == 200


def stand_still(page: Page) -> None:
    """Wait until nothing moves, so that measured positions stay valid.

    Fonts and late answers move the admin's pages, and a window scrolls while something is dragged
    near its edge.
    """
    page.set_viewport_size({**page.viewport_size, "height": 2000})
    page.wait_for_load_state("networkidle")
    page.evaluate("document.fonts.ready.then(() => true)")


def drag_below_the_third(page: Page, *, steps: int) -> None:
    """Drag the first slot to the lower end of the third, in this many moves of the mouse."""
    grip = card(page, 1).locator("[data-grip]")
    grip.scroll_into_view_if_needed()
    stand_still(page)
    start, end = grip.bounding_box(), card(page, 3).bounding_box()
    page.mouse.move(start["x"] + 10, start["y"] + 10)
    page.mouse.down()
    page.mouse.move(start["x"] + 10, end["y"] + end["height"] - 5, steps=steps)
    page.mouse.up()


def test_a_slot_is_dragged_with_the_mouse_and_saved_where_it_was_dropped(draft_page: Page):
    before = titles(draft_page)
    drag_below_the_third(draft_page, steps=12)
    moved = [before[1], before[2], before[0], *before[3:]]
    assert titles(draft_page) == moved
    expect(draft_page.locator("#slots [data-status]")).to_have_text("Slot 1 is now slot 3 of 15.")
    draft_page.get_by_role("button", name="Save and continue editing").click()
    draft_page.wait_for_load_state()
    assert titles(draft_page) == moved


@pytest.mark.slow
def test_a_slot_that_is_dragged_quickly_ends_where_the_pointer_does(draft_page: Page):
    before = titles(draft_page)
    drag_below_the_third(draft_page, steps=1)
    assert titles(draft_page) == [before[1], before[2], before[0], *before[3:]]


@pytest.mark.slow
def test_escape_puts_a_dragged_slot_back(draft_page: Page):
    before = titles(draft_page)
    grip = card(draft_page, 2).locator("[data-grip]")
    grip.scroll_into_view_if_needed()
    stand_still(draft_page)
    box = grip.bounding_box()
    draft_page.mouse.move(box["x"] + 10, box["y"] + 10)
    draft_page.mouse.down()
    draft_page.mouse.move(box["x"] + 10, box["y"] + 300, steps=6)
    assert titles(draft_page) != before
    draft_page.keyboard.press("Escape")
    draft_page.mouse.up()
    assert titles(draft_page) == before


@pytest.mark.slow
def test_slots_are_duplicated_removed_and_kept_after_all(draft_page: Page):
    before = titles(draft_page)
    card(draft_page, 2).get_by_role("button", name="Duplicate slot 2").click()
    expect(draft_page.locator("[data-card]")).to_have_count(16)
    assert titles(draft_page)[:3] == [before[0], before[1], before[1]]
    expect(draft_page.get_by_role("button", name="Choose what slot 3 asks")).to_be_focused()
    verdict = publishing_check(draft_page)
    expect(verdict).to_contain_text("exactly 15 slots. This one has 16")
    card(draft_page, 1).get_by_label("Remove").check()
    expect(verdict).not_to_contain_text("exactly 15 slots")
    expect(card(draft_page, 1)).to_contain_text("It’ll be removed when you save.")
    card(draft_page, 1).get_by_label("Remove").uncheck()
    expect(verdict).to_contain_text("exactly 15 slots. This one has 16")
    card(draft_page, 4).get_by_label("Remove").check()
    draft_page.get_by_role("button", name="Save and continue editing").click()
    draft_page.wait_for_load_state()
    assert titles(draft_page) == [*before[:2], before[1], *before[3:]]


@pytest.mark.slow
def test_a_family_is_looked_at_before_it_is_taken_and_offers_its_sizes(draft_page: Page):
    card(draft_page, 1).get_by_role("button", name="Choose").click()
    search = draft_page.get_by_role("combobox", name="Search families and topics")
    search.fill("swish gate nothing such")
    expect(draft_page.get_by_role("dialog")).to_contain_text("Nothing matches.")
    search.fill("softmax row")
    example = draft_page.frame_locator("iframe[title='An example of the family']")
    expect(example.get_by_role("heading", name="Softmax of a row")).to_be_visible()
    search.press("Enter")
    size = card(draft_page, 1).get_by_label("tokens")
    expect(size.locator("option:checked")).to_have_text("3 (default)")
    cost = card(draft_page, 1).locator(".qs-cost")
    before = cost.inner_text()
    size.select_option("2")
    expect(cost).not_to_have_text(before)
    card(draft_page, 1).get_by_role("link", name="Example").click()
    shown = card(draft_page, 1).frame_locator("iframe")
    expect(shown.get_by_text(cost.inner_text())).to_be_visible()


@pytest.mark.slow
def test_what_is_typed_stays_where_the_site_does_not_answer(draft_page: Page):
    draft_page.route("**/slots/**", lambda route: route.abort())
    card(draft_page, 1).get_by_label("Points").fill("3")
    expect(draft_page.get_by_text("This may be out of date")).to_be_visible()
    expect(card(draft_page, 1).get_by_label("Points")).to_have_value("3")
    draft_page.unroute("**/slots/**")
    card(draft_page, 1).get_by_label("Points").fill("4")
    expect(draft_page.get_by_text("This may be out of date")).to_be_hidden()


@pytest.mark.slow
def test_on_a_phone_slots_are_dragged_by_touch_and_nothing_is_cut_off(
    browser: Browser, site: Site, staff_sessions: dict[str, str]
):
    phone = browser.new_context(
        base_url=site.url, viewport={"width": 390, "height": 800}, has_touch=True
    )
    page = phone.new_page()
    log_in(page, site, staff_sessions["instructor"])
    page.goto(f"{QUIZZES}?q=attention-foundations")
    page.get_by_role("link", name="Attention foundations, by hand", exact=True).first.click()
    publishing_check(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    before = titles(page)
    grip = card(page, 1).locator("[data-grip]")
    grip.scroll_into_view_if_needed()
    stand_still(page)
    box, below = grip.bounding_box(), card(page, 2).bounding_box()
    touch = phone.new_cdp_session(page)

    def send(kind: str, *points: tuple[float, float]) -> None:
        at = [{"x": x, "y": y} for x, y in points]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": at})

    x, y = box["x"] + 15, box["y"] + 15
    send("touchStart", (x, y))
    for step in range(1, 13):
        send("touchMove", (x, y + step * (below["y"] + below["height"] - 10 - y) / 12))
    send("touchEnd")
    assert titles(page)[:2] == [before[1], before[0]]
    phone.close()


@pytest.fixture
def unscripted_page(browser: Browser, site: Site, draft_page: Page) -> Iterator[Page]:
    """The same draft without scripts."""
    context = browser.new_context(
        base_url=site.url,
        java_script_enabled=False,
        storage_state=draft_page.context.storage_state(),
    )
    page = context.new_page()
    page.goto(draft_page.url)
    yield page
    context.close()


@pytest.mark.slow
def test_without_a_script_the_same_cards_are_a_plain_form(unscripted_page: Page):
    before = titles(unscripted_page)
    expect(unscripted_page.get_by_role("button", name="Choose")).to_have_count(0)
    unscripted_page.get_by_role("button", name="Move slot 2 up").click()
    # It is a new page, so wait for its cards.
    expect(unscripted_page.locator(TITLES)).to_have_text([before[1], before[0], *before[2:]])
    unscripted_page.get_by_role("button", name="Duplicate slot 1", exact=True).click()
    expect(unscripted_page.locator("[data-card]")).to_have_count(16)
    card(unscripted_page, 16).get_by_label("Remove").check()
    first = card(unscripted_page, 1)
    first.get_by_label("Or a topic of concept questions").select_option("")
    first.get_by_label("Problem family").select_option("softmax_row")
    first.get_by_role("button", name="Show its sizes").click()
    card(unscripted_page, 1).get_by_label("tokens").select_option("2")
    card(unscripted_page, 1).get_by_label("Position").fill("90")
    card(unscripted_page, 3).get_by_label("Points").fill("0")
    unscripted_page.get_by_role("button", name="Save and continue editing").click()
    expect(card(unscripted_page, 2)).to_contain_text("greater than or equal to 1")
    expect(card(unscripted_page, 2).get_by_label("Points")).to_have_value("0")
    card(unscripted_page, 2).get_by_label("Points").fill("5")
    unscripted_page.get_by_role("button", name="Save and continue editing").click()
    expect(unscripted_page.get_by_text("was changed successfully")).to_be_visible()
    now = titles(unscripted_page)
    assert now[-1] == "Softmax of a row"
    assert now[:2] == [before[1], before[0]]
    assert len(now) == 15
    expect(card(unscripted_page, 15).get_by_label("tokens")).to_have_value("2")
    expect(card(unscripted_page, 2).get_by_label("Points")).to_have_value("5")


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1280])
def test_axe_finds_nothing_in_the_cards_and_the_list(draft_page: Page, width: int):
    draft_page.set_viewport_size({"width": width, "height": 800})
    draft_page.reload()
    card(draft_page, 2).get_by_label("Points").fill("")
    card(draft_page, 3).get_by_label("Remove").check()
    expect(card(draft_page, 2)).to_contain_text("This field is required")
    assert complaints_in_both_themes(draft_page, "#slots") == []
    card(draft_page, 1).get_by_role("button", name="Choose").click()
    draft_page.get_by_role("combobox", name="Search families and topics").fill("softmax")
    expect(draft_page.locator("#slot-choosing [role=option]").first).to_be_visible()
    assert draft_page.locator("#slot-choosing").bounding_box()["y"] > 0
    assert complaints_in_both_themes(draft_page, "#slot-choosing") == []
    assert draft_page.evaluate("document.documentElement.scrollWidth") <= width
