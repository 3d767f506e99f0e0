"""Formulas on a phone: they break before their signs instead of running off the page."""

from pathlib import Path

import numpy as np
from playwright.sync_api import Browser

import attention_core
from quizzes.items.presenters.texts import render_formula

ROOT = Path(__file__).parents[2]
STYLES = (
    *(f"design/static/design/{name}.css" for name in ("tokens", "base")),
    "lessons/static/lessons/maths.css",
)
WIDE = """() => [...document.querySelectorAll(".formula")]
  .filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.textContent)"""


def all_formulas() -> dict[str, None]:
    """Return the formulas of every family in its largest sizes, and two variants written out."""
    formulas = dict[str, None]()
    for key, family in attention_core.families().items():
        sizes = {name: max(choices) for name, choices in family.options.items()}
        for seed in (1, 2):
            values = attention_core.draw(key, seed, **family.canonical(sizes)).values
            for step in family.steps:
                written = [step.formula, step.worked(values)]
                if step.cell and not step.choices:
                    rows = len(np.atleast_2d(values[step.key]))
                    written += [step.cell(values, row, 0) for row in range(rows)]
                formulas |= dict.fromkeys(written)
    return formulas


def test_no_formula_is_wider_than_the_smallest_phone(browser: Browser, tmp_path: Path) -> None:
    formulas = all_formulas()
    links = [f'<link rel="stylesheet" href="{(ROOT / style).as_uri()}">' for style in STYLES]
    shown = "".join(map(render_formula, formulas))
    page_file = tmp_path / "formulas.html"
    page_file.write_text(f"<!doctype html>{''.join(links)}<main>{shown}</main>", "utf-8")
    with browser.new_context(viewport={"width": 290, "height": 700}) as context:
        page = context.new_page()
        page.goto(page_file.as_uri())
        page.evaluate("document.fonts.ready")
        assert page.locator(".formula").count() > 300
        assert page.evaluate(WIDE) == []
