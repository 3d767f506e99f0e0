"""Widgets in a browser, by keyboard: their numbers are those of the core."""

import json
import re
from random import Random

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from attention_core import attention_weights, softmax
from attention_core.maths.vectors import cosine_similarity
from lessons import widgets
from tests.sites import Site

from .conftest import complaints_in_both_themes

RANDOM = Random(2017)
SLUG = "every-widget"
CONTROLS = {
    "temperature": lambda value: value,
    "d_k": lambda value: value**0.5,
    "factor": lambda value: 1 / value,
}
VALUES = [0.25, 1, 2, 9]
WORDS = ["the", "cat", "and", "mouse", "sat", "on", "mats"]


def vector(width: int) -> list[float]:
    return [round(RANDOM.uniform(-2, 2), 2) for _ in range(width)]


def mouse_in(tokens: list[str], mouse: list[float]) -> dict:
    return {
        "name": "With " + tokens[0],
        "tokens": tokens,
        "x": [mouse if token == "mouse" else vector(4) for token in tokens],
    }


MOUSE = vector(4)
CONTEXTS = [mouse_in(WORDS[:4], MOUSE), mouse_in(WORDS[2:], MOUSE)]
LESSON = "\n".join(
    [
        "---",
        f"slug: {SLUG}\ntitle: Every widget\nlevel: beginner\nminutes: 5\norder: 99",
        "published: true\n---",
        *(f"\n## {name} {{#{name}}}\n\n{widgets.example(name)}" for name in widgets.names()),
        *(
            f"\n## Random {control} {{#random-{control}}}\n\n```softmax_slider\n"
            + json.dumps({"scores": vector(5), "control": control, "values": VALUES})
            + "\n```"
            for control in CONTROLS
        ),
        "\n## Random contexts {#random-contexts}\n\n```two_contexts",
        json.dumps({"word": "mouse", "contexts": CONTEXTS}) + "\n```",
        "\n## Blocks {#blocks}\n\n::: predict What is $1 + 1$?\nIt is two.\n:::\n",
        "::: unfold A definition\nTwo follows one.\n:::\n",
        "::: choose Which is odd?\n- [ ] Two\n\n  Half of it is whole.\n"
        "- [x] Three\n\n  Two and one.\n:::\n",
    ]
)


@pytest.fixture(scope="module")
def lesson(site: Site) -> str:
    """The address of a lesson with every widget in it."""
    code = f"from lessons.authoring.services import import_lesson; import_lesson(text={LESSON!r})"
    site.run(code)
    return f"{site.url}/lessons/{SLUG}/"


def numbers(table: Locator) -> np.ndarray:
    """Return the numbers of a matrix on the page, −∞ for masked ones."""
    found = table.evaluate(
        """table => [...table.tBodies[0].rows].map(row =>
            [...row.querySelectorAll("td")].map(cell => cell.dataset.value ?? "-Infinity"))"""
    )
    return np.array([[float(value) for value in row] for row in found])


@pytest.mark.slow
@pytest.mark.parametrize("control", CONTROLS)
def test_weights_follow_the_slider_and_the_scores(lesson_page: Page, control: str) -> None:
    widget = lesson_page.locator(f"#random-{control} .widget")
    slider, inputs = widget.get_by_role("slider"), widget.get_by_role("textbox")
    table = widget.locator(".matrix table").last
    scores = vector(5)
    for place, score in enumerate(scores):
        inputs.nth(place).focus()
        lesson_page.keyboard.press("ControlOrMeta+A")
        lesson_page.keyboard.type(f"{score}".replace("-", "−"))
    expected = np.array([softmax(scores, temperature=CONTROLS[control](value)) for value in VALUES])
    assert numbers(table) == pytest.approx(expected, abs=1e-12)
    slider.focus()
    lesson_page.keyboard.press("Home")
    for place, row in enumerate(expected):
        shown = widget.locator(".slider-weight").all_inner_texts()
        assert shown == [f"{weight:.3f}" for weight in row]
        expect(slider).to_have_attribute("aria-valuetext", f"{VALUES[place]}")
        current = table.locator("tr[aria-current]")
        expect(current.get_by_role("rowheader")).to_have_text(f"{VALUES[place]}")
        lesson_page.keyboard.press("ArrowRight")


def test_saturation_is_put_into_words(lesson_page: Page) -> None:
    widget = lesson_page.locator("#random-temperature .widget")
    line, first = widget.get_by_role("status"), widget.get_by_role("textbox").first
    first.fill("900")
    expect(line).to_have_text(re.compile("^Saturated: .* all of the weight is on 1"))
    temperature = float(widget.get_by_role("slider").get_attribute("aria-valuetext"))
    for box in widget.get_by_role("textbox").all():
        box.fill("0")
    first.fill(f"{6.7 * temperature:.2f}")
    expect(line).to_have_text(re.compile("^Saturated: all but 0.005 of the weight is on 1"))
    first.fill("1")
    widget.get_by_role("textbox").nth(1).fill("1")
    expect(line).to_have_text(re.compile(r"^Largest weight: 0\.\d{3}, for "))
    widget.get_by_role("slider").press("End")
    for box in widget.get_by_role("textbox").all():
        box.fill("3")
    expect(line).to_have_text("Nearly even, from 0.200 to 0.200: the scores hardly matter.")


def test_a_score_that_is_no_number_gets_an_error_and_reset_undoes_it(lesson_page: Page) -> None:
    widget = lesson_page.locator("#random-temperature .widget")
    table, first = widget.locator(".matrix table").last, widget.get_by_role("textbox").first
    before = numbers(table)
    first.fill("-")
    expect(first).to_have_attribute("aria-invalid", "true")
    expect(widget.get_by_role("status")).to_contain_text("One of the scores isn’t a number yet")
    assert (numbers(table) == before).all()
    first.fill("7")
    assert (numbers(table) != before).any()
    widget.get_by_role("button", name="Reset").press("Enter")
    assert numbers(table) == pytest.approx(before, abs=1e-12)
    expect(first).to_have_attribute("aria-invalid", "false")


def test_a_word_left_out_is_masked(lesson_page: Page) -> None:
    widget = lesson_page.locator("#random-contexts .widget")
    outputs = []
    for number, given in enumerate(CONTEXTS):
        context = widget.locator(".context").nth(number)
        x, place = np.array(given["x"]), given["tokens"].index("mouse")
        seen = np.ones(len(x), dtype=bool)
        for left_out in ([], [0], [0, 2])[: number + 2]:
            for token in (given["tokens"][i] for i in left_out if seen[i]):
                context.get_by_role("checkbox", name=token, exact=True).press("Space")
            seen[left_out] = False
            weights = attention_weights(x[[place]], x, mask=seen)
            looks = numbers(context.locator(".matrix table").nth(1))
            assert looks[:, 1] == pytest.approx(weights[0], abs=1e-12)
            assert (np.isneginf(looks[:, 0]) == ~seen).all()
            after = numbers(context.locator(".matrix table").nth(2))
            assert after == pytest.approx(weights @ x, abs=1e-12)
        outputs.append((weights @ x)[0])
    alike = f"{cosine_similarity(*outputs):.3f}".replace("-", "−")
    expect(widget.get_by_role("status")).to_contain_text(f"before attention, {alike} after it.")


def test_arrow_keys_lead_through_the_parts_of_the_encoder(lesson_page: Page) -> None:
    widget = lesson_page.locator("#encoder_diagram .widget")
    explanation = widget.locator(".encoder-says > div")
    parts = widget.get_by_role("radio")
    parts.first.focus()
    for part in parts.all():
        expect(part).to_be_checked()
        assert [each.is_visible() for each in explanation.all()].count(True) == 1
        shown = explanation.and_(lesson_page.locator(f"[data-part={part.get_attribute('value')}]"))
        expect(shown).to_be_visible()
        first_words = " ".join(shown.locator("dd").inner_text().split()[:3])
        expect(part).to_have_accessible_description(re.compile(f"^{first_words}"))
        lesson_page.keyboard.press("ArrowDown")
    expect(parts.first).to_be_checked()


def test_arrow_keys_lead_from_the_text_to_its_vectors(lesson_page: Page) -> None:
    widget = lesson_page.locator("#text_to_vectors .widget")
    panels = widget.get_by_role("listitem").and_(widget.locator(".strip-panel"))
    widget.get_by_role("radio").first.focus()
    for stage in range(1, 6):
        expect(panels).to_have_count(1)
        expect(panels).to_have_attribute("data-stage", f"{stage}")
        lesson_page.keyboard.press("ArrowRight")


@pytest.mark.slow
def test_every_widget_reads_for_everyone_on_a_small_phone(page: Page, lesson: str) -> None:
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.emulate_media(reduced_motion="reduce")
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto(lesson)
    page.locator("main details").evaluate_all("all => all.forEach(each => each.open = true)")
    assert complaints_in_both_themes(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert complaints == []


def test_controls_are_large_enough_for_a_finger(lesson_page: Page) -> None:
    small = lesson_page.locator(
        ":is(.widget :is(.box-choice, button, summary, input), .choose summary)"
    ).evaluate_all(
        """controls => controls
            .filter(each => each.checkVisibility() && !each.matches("label input"))
            .filter(each => each.getBoundingClientRect().height < 40)
            .map(each => each.outerHTML)"""
    )
    assert small == []


def test_nothing_moves_when_the_scripts_wake_up(page: Page, lesson: str) -> None:
    for part in ("softmax_slider", "two_contexts", "encoder_diagram"):
        page.goto("about:blank")
        page.goto(f"{lesson}#{part}", wait_until="networkidle")
        moved = page.evaluate(
            """() => new Promise(done => new PerformanceObserver(list => done(list.getEntries()
                .reduce((sum, entry) => sum + entry.value, 0)))
                .observe({ type: "layout-shift", buffered: true }) ?? setTimeout(done, 300, 0))"""
        )
        assert moved < 0.01, part


def test_without_scripts_there_are_tables_and_no_dead_controls(
    browser: Browser, lesson: str
) -> None:
    page = browser.new_page(java_script_enabled=False)
    page.goto(lesson)
    expect(page.locator("#softmax_slider .scripted")).to_be_hidden()
    expect(page.locator("#softmax_slider .matrix table").first).to_be_visible()
    expect(page.locator("#two_contexts").get_by_role("checkbox")).to_have_count(0)
    expect(page.locator("#two_contexts .context-sentence").first).to_be_visible()
    page.locator("#text_to_vectors").get_by_role("radio", name="Tokens").check()
    expect(page.locator("#text_to_vectors .strip-tokens")).to_be_visible()
    page.locator(".choose summary", has_text="Two").click()
    expect(page.get_by_text("Half of it is whole.")).to_be_visible()
    page.locator(".choose summary", has_text="Three").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Two and one.")).to_be_visible()
    expect(page.get_by_text("Half of it is whole.")).to_be_hidden()
    page.close()


def test_on_paper_everything_is_shown(lesson_page: Page) -> None:
    lesson_page.emulate_media(media="print")
    for hidden in (".strip-panel", ".encoder-says > div", ".context-vectors .matrix"):
        for each in lesson_page.locator(hidden).all():
            expect(each).to_be_visible()
    expect(lesson_page.get_by_text("It is two.")).to_be_visible()
    expect(lesson_page.get_by_text("Two follows one.")).to_be_visible()
    expect(lesson_page.get_by_text("Half of it is whole.")).to_be_visible()
    expect(lesson_page.locator(".scripted:visible")).to_have_count(0)
