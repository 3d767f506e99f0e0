"""Matrices as a browser lays them out, without the site."""

from pathlib import Path

import pytest

from design.matrix import Cell, Matrix, number_matrix
from design.matrix_html import render_matrix

STYLES = Path(__file__).parents[2] / "design/static/design"


@pytest.fixture
def show(browser):
    """Return a function that shows a matrix in a window of this width, with the site's styles."""
    pages = []

    def _show(matrix, width=1000):
        page = browser.new_page(viewport={"width": width, "height": 800})
        pages.append(page)
        page.set_content(f'<!doctype html><main class="main">{render_matrix(matrix)}</main>')
        for name in ("tokens", "base", "components", "matrix"):
            page.add_style_tag(content=(STYLES / f"{name}.css").read_text())
        return page

    yield _show
    for page in pages:
        page.close()


def test_points_stand_under_each_other(show):
    page = show(number_matrix([[0.25], [-12.5], [3.125]], caption="A"))
    points = page.evaluate("""[...document.querySelectorAll('.number')].map(number => {
        const text = number.firstChild, range = document.createRange();
        range.setStart(text, text.data.indexOf('.'));
        range.setEnd(text, text.data.indexOf('.') + 1);
        return range.getBoundingClientRect().x;
    })""")
    assert max(points) - min(points) < 0.5


def test_a_long_caption_does_not_stretch_the_numbers(show):
    short = show(number_matrix([[1, 2]], caption="A"))
    long = show(number_matrix([[1, 2]], caption="A caption that goes on for a good while"))
    widths = [page.locator("tbody").bounding_box()["width"] for page in (short, long)]
    assert widths[0] == widths[1]


def test_a_wide_matrix_scrolls_in_its_own_region_on_a_phone(show):
    page = show(number_matrix([[0.25] * 12], caption="Twelve"), width=320)
    overflow = "e => e.scrollWidth > e.clientWidth"
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
    assert page.locator(".matrix-scroll").evaluate(overflow)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "matrix-scroll"


def test_row_and_column_of_the_input_in_focus_light_up(show):
    cells = tuple(tuple(Cell(input=f"a-{i}-{j}") for j in range(2)) for i in range(2))
    labels = ("one", "two")
    page = show(Matrix("A", cells, row_labels=labels, column_labels=labels))
    colour = "e => getComputedStyle(e).color"
    headers = page.locator("th")
    page.wait_for_timeout(400)  # the style sheets' own transitions
    before = headers.evaluate_all("all => all.map(e => getComputedStyle(e).color)")
    page.locator("#a-0-1").focus()
    page.wait_for_timeout(400)
    lit = [
        header.evaluate(colour) != was for header, was in zip(headers.all(), before, strict=True)
    ]
    # columns one and two, then rows one and two
    assert lit == [False, True, True, False]


def test_inputs_are_large_enough_to_touch(show):
    page = show(Matrix("A", ((Cell(input="a-0-0"),),)), width=320)
    assert page.locator("input").bounding_box()["height"] >= 40
