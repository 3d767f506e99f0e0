"""Drawn widgets in a browser, by keyboard: they light up what the core computes."""

import re

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from attention_core import attention_weights, sinusoidal_positions
from design.matrix import format_number
from lessons.real_model.maps import attention_map
from tests.sites import Site

from .conftest import add_lesson, complaints_in_both_themes
from .test_widgets_for_reading import numbers

DRAWN = "/lessons/drawn/"
LESSON = """\
---
slug: drawn
title: Drawn
level: beginner
minutes: 5
order: 91
published: true
---

## Positions {#positions}

```positions
positions: 12
dimensions: 6
choose: 3
compare: 8
```

## Two readers {#readers}

```recurrent_beside_attention
tokens: [The, cat, on, the, mat, was, tired]
path: [2, 7]
```

## Heads {#heads}

```heads
source: animal_it
heads: [[3, 1], [0, 2], [2, 8]]
choose: it
```

## Formula {#formula}

```formula
tokens: [cat, sat]
q: [[1, 0], [0.5, 1]]
k: [[0.5, 1], [1, -0.5]]
v: [[1, 0], [0, 1]]
```
"""


@pytest.fixture(scope="module")
def lesson(site: Site, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a lesson with the widgets."""
    add_lesson(site, tmp_path_factory.mktemp("content"), LESSON)
    return DRAWN


@pytest.mark.slow
def test_arrow_keys_lead_from_position_to_position(lesson_page: Page) -> None:
    figure = lesson_page.locator(".positions")
    core = sinusoidal_positions(range(12), 6)
    chosen, other = figure.get_by_role("slider").all()
    other.press("ArrowRight")
    for position in (4, 5, 6):
        chosen.press("ArrowRight")
        table = figure.get_by_role("table", name=f"Position {position}")
        assert numbers(table).ravel() == pytest.approx(core[position], abs=1e-7)
        expect(figure.get_by_role("status")).to_have_text(
            f"{9 - position} apart: the dot product of positions {position} and 9 is "
            f"{format_number(float(core[position] @ core[9]), 3)}. "
            "With itself, any position gives 3.000."
        )
        bars = figure.locator(".positions-bar")
        heights = bars.evaluate_all("all => all.map(each => Number(each.getAttribute('height')))")
        assert heights == pytest.approx(np.abs(core @ core[position]), abs=1e-6)
        expect(bars.nth(position)).to_have_class(re.compile("is-chosen"))


def test_two_words_are_chosen_by_arrow_keys_and_their_path_lights_up(lesson_page: Page) -> None:
    figure = lesson_page.locator(".readers")
    first, last = (figure.get_by_role("group", name=name, exact=True) for name in ("From", "To"))
    recurrent, attention = figure.get_by_role("status").all()
    hops = figure.locator(".readers-hop")
    expect(recurrent).to_have_text("5 steps, one after another")
    for steps in (4, 3, 2):
        first.get_by_role("radio", checked=True).press("ArrowRight")
        expect(recurrent).to_have_text(f"{steps} steps, one after another")
        expect(attention).to_have_text("1 step")
        expect(figure.locator(".readers-hop.is-lit")).to_have_count(steps)
        lit = hops.locator("text:visible")
        assert lit.all_text_contents() == [f"{i + 1}" for i in range(steps)]
    last.get_by_role("radio", checked=True).press("ArrowRight")  # around to the first word
    expect(recurrent).to_have_text("No path: it reads forwards only.")
    expect(figure.locator(".readers-hop.is-lit")).to_have_count(0)
    expect(attention).to_have_text("1 step")
    line = figure.locator(".readers-look")
    assert [line.get_attribute(end) for end in ("y1", "y2")] == ["4.5", "0.5"]


def test_arrow_keys_choose_the_word_that_every_head_is_asked_about(lesson_page: Page) -> None:
    figure = lesson_page.locator(".heads")
    measured = attention_map("animal_it")
    by_place = {(head.layer, head.head): head.weights for head in measured.heads}
    panels = figure.locator(".heads-panel").all()
    drawn = figure.locator("path").evaluate_all("all => all.map(each => each.outerHTML)")
    place = measured.tokens.index("it")
    for key, step in (("ArrowRight", 1), ("ArrowLeft", -1), ("ArrowLeft", -1)):
        figure.get_by_role("radio", checked=True).press(key)
        place += step
        captions = []
        for panel, pair in zip(panels, [(3, 1), (0, 2), (2, 8)], strict=True):
            row = by_place[pair][place]
            assert panel.locator("td").all_inner_texts() == [format_number(w, 3) for w in row]
            expect(panel.locator(".is-chosen th")).to_have_text(measured.tokens[place])
            most = measured.tokens[row.index(max(row))]
            captions.append(f"{most} (Layer {pair[0]}, head {pair[1]})")
        word = measured.tokens[place]
        expect(figure.get_by_role("status")).to_have_text(
            f"“{word}” looks most at: {', '.join(captions)}."
        )
        if word == "it":  # back at the start, the script has drawn the page's original
            again = figure.locator("path").evaluate_all("all => all.map(each => each.outerHTML)")
            assert again == drawn
    panels[1].get_by_role("rowheader", name="tired").click()
    expect(figure.get_by_role("radio", name="tired")).to_be_checked()
    expect(panels[0].locator(".is-chosen th")).to_have_text("tired")


def test_arrow_keys_lead_through_the_formula_and_each_part_becomes_its_matrices(
    lesson_page: Page,
) -> None:
    figure = lesson_page.locator(".attention-formula")
    weights = attention_weights([[1, 0], [0.5, 1]], [[0.5, 1], [1, -0.5]])
    seen = []
    figure.get_by_role("radio", checked=True).focus()
    for _ in range(6):
        part = figure.locator(".step:visible")
        expect(part).to_have_count(1)
        title = part.locator(".step-title").inner_text()
        expect(figure.get_by_role("radio", checked=True)).to_have_accessible_name(title)
        seen.append(title)
        if title == "Softmax":
            assert numbers(part.get_by_role("table").last) == pytest.approx(weights)
        lesson_page.keyboard.press("ArrowRight")
    assert sorted(seen) == sorted(
        ["Queries", "Scores", "Keys, turned on their side", "Scale", "Values", "Softmax"]
    )


def test_the_formula_stays_in_sight_while_its_matrices_are_read(page: Page, lesson: str) -> None:
    page.set_viewport_size({"width": 390, "height": 420})
    page.goto(lesson)
    figure = page.locator(".attention-formula")
    figure.get_by_role("radio", name="Values").check()
    figure.get_by_role("table", name="Output").scroll_into_view_if_needed()
    expect(figure.locator(".formula-bar")).to_be_in_viewport(ratio=0.99)


@pytest.mark.slow
@pytest.mark.parametrize("width", [320, 390, 1280])
def test_drawings_read_for_everyone(page: Page, lesson: str, width: int) -> None:
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.emulate_media(reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(lesson)
    assert complaints_in_both_themes(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    bar = page.locator(".formula-bar")
    room = bar.evaluate("each => each.getBoundingClientRect().width")
    left, right = bar.evaluate(
        """each => [each.querySelector("label").getBoundingClientRect().left,
                    [...each.querySelectorAll("label")].at(-1).getBoundingClientRect().right]
            .map(edge => edge - each.getBoundingClientRect().left)"""
    )
    assert 0 <= left < right <= room
    assert complaints == []


def test_without_scripts_a_drawing_stands_still_with_its_numbers(
    browser: Browser, site: Site, lesson: str
) -> None:
    with browser.new_context(java_script_enabled=False, base_url=site.url) as context:
        page = context.new_page()
        page.goto(lesson)
        positions = page.locator(".positions")
        expect(positions.get_by_role("table", name="Position 3")).to_be_visible()
        expect(positions.get_by_role("status")).to_contain_text("positions 3 and 8")
        readers = page.locator(".readers")
        expect(readers.locator(".readers-says").first).to_have_text("5 steps, one after another")
        assert readers.locator("svg text:visible").all_text_contents() == list("12345")
        expect(page.locator(".attention-formula .step:visible")).to_have_count(6)
        # The formula's symbols are radio buttons, which need no script.
        dead = page.locator("main :is(input, button, select):visible")
        expect(dead).to_have_count(page.locator(".formula-bar input").count())


def test_arrow_keys_zoom_the_map_and_its_parts_lead_to_where_they_are_taught(page: Page) -> None:
    page.goto("/lessons/attention-foundations/")
    levels = page.locator(".model-map")
    level = levels.get_by_role("radio", name="A head")
    expect(level).to_be_checked()
    level.focus()
    page.keyboard.press("ArrowRight")
    expect(levels.get_by_role("radio", name="A score")).to_be_checked()
    shown = levels.locator(".map-levels > li").filter(visible=True)
    expect(shown).to_have_count(1)
    part = shown.get_by_role("link").first
    leads_to = part.get_attribute("href")
    page.keyboard.press("Tab")
    expect(part).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{leads_to}")
