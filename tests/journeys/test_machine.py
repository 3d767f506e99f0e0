"""The machine's page in a browser, by keyboard alone, and its layout at every width."""

import pytest
from playwright.sync_api import Browser, Page, expect

from attention_core.machine.effects import probability_moved
from attention_core.machine.model import Change, machine
from attention_core.machine.replays import AS_BUILT, replay
from attention_core.machine.tokens import tokens_of
from design.matrix import format_number
from tests.sites import Site

from .conftest import SMALL_TARGETS, complaints_about, complaints_in_both_themes

TEXT = "mary says red dog two and jack says red"
LONG = "anna has a ball and tom has a cup so she gives the ball to him and the dog near the cat"
ACTIVE = "document.activeElement.id || document.activeElement.innerText.trim()"
SHIFTED = """
window.shifted = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.shifted += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""


def tab_to(page: Page, name: str) -> None:
    """Press Tab until this control has the focus."""
    for _press in range(150):
        page.keyboard.press("Tab")
        if page.evaluate(ACTIVE) == name:
            return
    raise AssertionError(f"no way to {name} by Tab")


def ask(page: Page, text: str) -> None:
    tab_to(page, "id_text")
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type(text)
    page.keyboard.press("Enter")


@pytest.mark.slow
def test_a_sentence_is_read_looked_into_and_taken_apart_by_keyboard(page: Page):
    tokens = tokens_of(TEXT)
    page.goto("/machine/")
    ask(page, TEXT)
    page.wait_for_url("**text=mary**")
    expect(page.get_by_role("heading", name="How the machine continues")).to_be_in_viewport()
    likeliest = page.locator("section[aria-labelledby=next] tbody tr").first
    expect(likeliest.locator("th")).to_have_text("dog")

    tab_to(page, "Layer 2, head 3")
    page.keyboard.press("Enter")
    page.wait_for_url("**head=2.3**#numbers")
    expect(page.locator(".attention-map caption").first).to_have_text("Layer 2, head 3")

    tab_to(page, "id_head")
    page.keyboard.press("Home")
    tab_to(page, "id_vectors")
    page.keyboard.press("Space")
    tab_to(page, "Show this score")
    page.keyboard.press("Enter")
    page.wait_for_url("**head=0.0**#score")
    score = page.locator("section[aria-labelledby=score]")
    expect(score).to_contain_text("Layer 0, head 0: the query of 9: red meets the key of")
    expect(score.get_by_role("table", name="V, the values")).to_be_visible()
    assert complaints_about(page) == []

    tab_to(page, "Draw words differently, or take something away")
    page.keyboard.press("Enter")
    tab_to(page, "id_silent")
    page.keyboard.press("End")
    tab_to(page, "Let the machine read it")
    page.keyboard.press("Enter")
    page.wait_for_url("**silent=2.3**")
    change = Change(heads=frozenset({(2, 3)}))
    before, after = (machine().read(tokens, change=c).probabilities() for c in (Change(), change))
    share = format_number(100 * float(probability_moved(before, after)), 1)
    expect(page.locator("section[aria-labelledby=taken]")).to_contain_text(
        f"{share}% of the probability went to other words."
    )


@pytest.mark.slow
def test_words_that_it_knows_are_put_into_the_sentence_by_pressing_them(page: Page):
    page.goto("/machine/")
    page.locator("#id_text").fill("anna has ")
    page.get_by_text("words it knows").click()
    for word in ("a", "ball"):
        page.get_by_role("button", name=word, exact=True).click()
    expect(page.locator("#id_text")).to_have_value("anna has a ball")
    assert complaints_about(page) == []
    assert page.evaluate(SMALL_TARGETS) == []


def test_training_is_replayed_by_keyboard(page: Page):
    record = replay(AS_BUILT)
    page.goto("/machine/")
    row = page.locator("[data-figures]").first.locator("td")
    drawn = page.locator("[data-run] svg").first
    last = drawn.inner_html()
    expect(row.first).to_have_text(str(record.kept[-1]))
    tab_to(page, "machine-slider")
    page.keyboard.press("Home")
    expect(row).to_have_text(
        [
            "0",
            format_number(float(record.loss[0]), 2),
            format_number(float(record.held_out_loss[0]), 2),
            f"{format_number(100 * float(record.whose[0]), 0)}%",
        ]
    )
    assert drawn.inner_html() != last
    page.keyboard.press("End")
    assert drawn.inner_html() == last


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "the elephant sleeps",
            "The machine doesn’t know “elephant”. All its words are listed below.",
        ),
        ("the " * 24, "The machine reads up to 23 words, but this has 24."),
        (" ", "There’s no word to read."),
    ],
)
def test_unreadable_text_gets_a_sentence(page: Page, text: str, message: str):
    page.goto("/machine/")
    ask(page, text)
    expect(page.locator(".errorlist")).to_contain_text(message)
    assert complaints_about(page) == []


@pytest.mark.slow
@pytest.mark.parametrize("width", [320, 390, 1280])
def test_nothing_moves_and_nothing_scrolls_sideways(browser: Browser, site: Site, width: int):
    size = {"width": width, "height": 800}
    context = browser.new_context(base_url=site.url, viewport=size)
    page = context.new_page()
    page.add_init_script(SHIFTED)
    page.goto(f"/machine/?text={LONG.replace(' ', '+')}&vectors=on")
    page.wait_for_load_state("networkidle")
    for _ in range(20):
        page.mouse.wheel(0, 700)
        page.wait_for_timeout(50)
    assert page.evaluate("shifted") == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator("details").evaluate_all("all => all.forEach((one) => (one.open = true))")
    assert complaints_in_both_themes(page) == []
    context.close()
