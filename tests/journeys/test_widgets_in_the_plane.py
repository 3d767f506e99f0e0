"""Arrows in the plane, by keyboard and pointer: the numbers beside them are the core's."""

import re

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from attention_core import softmax
from attention_core.maths.vectors import angle, cosine_similarity, length
from design.matrix import format_number
from tests.sites import Site

from .conftest import complaints_in_both_themes

LESSON = """\
---
slug: plane
title: Plane
level: beginner
minutes: 5
order: 92
published: true
---

## Vectors {#vectors}

```vectors
labels: [cat, dog, car]
vectors: [[3, 1], [2, 2], [-1.5, 2.5]]
```

## Blending {#blending}

```blending
labels: [cat, sat, mat]
values: [[3, 1], [-1, 3], [-2, -2]]
scores: [2, 1, 0]
```
"""


@pytest.fixture(scope="module")
def lesson(site: Site) -> str:
    """The address of a lesson with the widgets."""
    code = f"from lessons.authoring.services import import_lesson; import_lesson(text={LESSON!r})"
    site.run(code)
    return f"{site.url}/lessons/plane/"


def check_tables(page: Page, vectors: list[list[float]]) -> None:
    """Check that the tables have the core's numbers for these vectors."""
    figure = page.locator(".vectors")
    lengths = [format_number(float(length(vector)), 3) for vector in vectors]
    expect(figure.locator(".vectors-length")).to_have_text(lengths)
    expected = [
        text
        for i, a in enumerate(vectors)
        for b in vectors[i + 1 :]
        for text in (
            format_number(a[0] * b[0] + a[1] * b[1], 3),
            format_number(float(cosine_similarity(a, b)), 3),
            format_number(float(angle(a, b)), 1) + "°",
        )
    ]
    expect(figure.locator(".vectors-pairs td")).to_have_text(expected)


def test_arrow_keys_move_a_vector(lesson_page: Page) -> None:
    tip = lesson_page.get_by_role("slider", name="Tip of cat")
    for key in ("ArrowLeft", "ArrowUp", "ArrowUp", "Shift+ArrowDown"):
        tip.press(key)
    cat = [2.9, 0.2]
    check_tables(lesson_page, [cat, [2, 2], [-1.5, 2.5]])
    expect(lesson_page.get_by_role("textbox", name="x of cat")).to_have_value("2.9")
    value_text = tip.get_attribute("aria-valuetext")
    assert value_text.startswith(f"2.9, 0.2; length {length(cat):.3f}; with dog: dot product 6.200")
    for _ in range(5):
        tip.press("Shift+ArrowRight")
    check_tables(lesson_page, [[3, 0.2], [2, 2], [-1.5, 2.5]])


def test_a_vector_is_typed_and_put_back(lesson_page: Page) -> None:
    box = lesson_page.get_by_role("textbox", name="y of dog")
    box.fill("−1/2")
    check_tables(lesson_page, [[3, 1], [2, -0.5], [-1.5, 2.5]])
    for wrong in ("4", "two"):
        box.fill(wrong)
        expect(box).to_have_attribute("aria-invalid", "true")
        expect(lesson_page.locator(".vectors [role=status].plane-hint")).to_contain_text(
            "Until then the arrow stays"
        )
    check_tables(lesson_page, [[3, 1], [2, -0.5], [-1.5, 2.5]])
    box.fill("1")
    expect(lesson_page.locator(".vectors [role=status].plane-hint")).to_contain_text("Drag a tip")
    lesson_page.locator(".vectors").get_by_role("button", name="Reset").press("Enter")
    check_tables(lesson_page, [[3, 1], [2, 2], [-1.5, 2.5]])


def test_a_tip_is_dragged(lesson_page: Page) -> None:
    figure = lesson_page.locator(".vectors svg")
    figure.scroll_into_view_if_needed()
    tip = lesson_page.get_by_role("slider", name="Tip of dog").bounding_box()
    all_of_it = figure.bounding_box()
    lesson_page.mouse.move(tip["x"] + tip["width"] / 2, tip["y"] + tip["height"] / 2)
    lesson_page.mouse.down()
    lesson_page.mouse.move(
        all_of_it["x"] + all_of_it["width"] / 2, all_of_it["y"] + all_of_it["height"] / 20
    )
    lesson_page.mouse.up()
    check_tables(lesson_page, [[3, 1], [0, 3], [-1.5, 2.5]])


def test_a_finger_moves_an_arrow_at_its_tip_and_scrolls_the_page_elsewhere(
    browser: Browser, lesson: str
) -> None:
    phone = {"width": 390, "height": 700}
    with browser.new_context(viewport=phone, has_touch=True, is_mobile=True) as context:
        page = context.new_page()
        page.goto(lesson)
        page.locator(".vectors svg").evaluate("each => each.scrollIntoView({block: 'center'})")
        scrolled = page.evaluate("scrollY")
        tip = centre_of(page.get_by_role("slider", name="Tip of dog"))
        # 18 pixels beside the tip, and straight up: a page would scroll.
        drag_finger(page, (tip[0] + 18, tip[1]), (tip[0] + 18, tip[1] - 200))
        check_tables(page, [[3, 1], [2, 3], [-1.5, 2.5]])
        assert page.evaluate("scrollY") == scrolled
        middle = centre_of(page.locator(".vectors svg"))
        drag_finger(page, (middle[0], middle[1] + 60), (middle[0], middle[1] - 60))
        page.wait_for_function(f"scrollY > {scrolled + 40}")
        check_tables(page, [[3, 1], [2, 3], [-1.5, 2.5]])


def centre_of(seen: Locator) -> tuple[float, float]:
    box = seen.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag_finger(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Touch, move and lift a finger, as a touchscreen does."""
    screen, steps = page.context.new_cdp_session(page), 10
    for step in range(steps + 1):
        x, y = (a + (b - a) * step / steps for a, b in zip(start, end, strict=True))
        kind = "touchMove" if step else "touchStart"
        screen.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
    screen.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


@pytest.mark.parametrize("width", [320, 1280])
def test_the_widgets_are_accessible_and_fit(lesson_page: Page, width: int) -> None:
    lesson_page.set_viewport_size({"width": width, "height": 800})
    assert complaints_in_both_themes(lesson_page) == []
    root = "document.documentElement"
    assert lesson_page.evaluate(f"{root}.scrollWidth <= {root}.clientWidth")


def test_without_scripts_the_numbers_are_there(browser: Browser, lesson: str) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(lesson)
        check_tables(page, [[3, 1], [2, 2], [-1.5, 2.5]])
        expect(page.get_by_role("slider")).to_have_count(0)
        expect(page.locator(".vectors input:visible")).to_have_count(0)


def check_blend(page: Page, scores: list[float]) -> None:
    """Check that the weights and the blend are the core's for these scores."""
    figure, weights = page.locator(".blending"), softmax(scores)
    shown = [format_number(float(weight), 3) for weight in weights]
    expect(figure.locator(".blending-weight")).to_have_text(shown)
    blend = weights @ np.array([[3, 1], [-1, 3], [-2, -2]])
    expected = ", ".join(format_number(float(number), 3) for number in blend)
    expect(figure.locator("output")).to_have_text(f"({expected})")


def test_the_blend_follows_the_scores(lesson_page: Page) -> None:
    figure = lesson_page.locator(".blending")
    check_blend(lesson_page, [2, 1, 0])
    slider = figure.get_by_role("slider", name="Score of mat")
    for key in ("ArrowRight", "ArrowUp", "ArrowUp", "ArrowLeft"):
        slider.press(key)
    expect(slider).to_have_attribute("aria-valuetext", "0.2")
    check_blend(lesson_page, [2, 1, 0.2])
    figure.get_by_role("slider", name="Score of cat").press("End")
    check_blend(lesson_page, [5, 1, 0.2])
    figure.get_by_role("button", name="Reset").press("Enter")
    check_blend(lesson_page, [2, 1, 0])


def test_values_slide_from_the_origin_to_their_places(lesson_page: Page) -> None:
    figure = lesson_page.locator(".blending")
    paths = "parts => parts.map(part => part.getAttribute('d').split('M')[1])"
    settled = figure.locator(".blending-part").evaluate_all(paths)
    figure.get_by_role("button", name="Slide them together").press("Enter")
    lesson_page.wait_for_function(
        "() => document.querySelectorAll('.blending-part')[2].getAttribute('d') .startsWith('M0 0')"
    )
    last = "document.querySelectorAll('.blending-part')[2].getAttribute('d')"
    lesson_page.wait_for_function(f"() => !{last}.startsWith('M0 0')")
    ends = [[float(n) for n in re.findall(r"-?[\d.]+(?:e-\d+)?", each)] for each in settled]
    expect(figure.locator(".blending-part").last).to_have_attribute(
        "d", re.compile(rf"^M{int(ends[2][0])}\.")
    )
    check_blend(lesson_page, [2, 1, 0])


def test_nothing_slides_where_motion_is_not_wanted(lesson_page: Page) -> None:
    lesson_page.emulate_media(reduced_motion="reduce")
    expect(lesson_page.get_by_role("button", name="Slide them together")).to_be_hidden()
