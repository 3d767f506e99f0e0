"""The widgets of attention in a browser: used by keyboard, computing what the core does."""

import json
import re
from random import Random

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from attention_core import attention, attention_scores, attention_weights
from design.matrix import format_number, heat_level
from lessons.real_model.maps import attention_map
from tests.sites import Site

from .conftest import add_lesson, complaints_in_both_themes

TRYOUT = "/lessons/attention-tryout/"
TOKENS = ["Ann", "met", "Bob"]
Q = [[0.9, -0.2], [0.3, 0.8], [1, 0]]
K = [[0.7, 0.4], [0.2, 0.9], [-0.5, 1]]
V = [[0.5, 0.8], [0.7, 0.1], [0, 0.4]]
LESSON = f"""\
---
slug: attention-tryout
title: Attention to try out
level: beginner
minutes: 5
order: 90
published: true
---

## Steps {{#steps}}

```attention_steps
tokens: {json.dumps(TOKENS)}
q: {Q}
k: {K}
v: {V}
show: [2, 1]
```

## The same matrix thrice {{#thrice}}

```attention_steps
tokens: {json.dumps(TOKENS)}
x: {V}
scale: false
```

## Where words look {{#map}}

```attention_map
source: animal_it
choose: it
```

## Your own {{#own}}

```live_sentence
start: Hello world
```
"""


@pytest.fixture(scope="module")
def lesson(site: Site, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a lesson with the widgets."""
    add_lesson(site, tmp_path_factory.mktemp("content"), LESSON)
    return TRYOUT


@pytest.fixture
def steps(page: Page, lesson: str) -> Locator:
    """The first widget of steps, once its script is ready."""
    page.goto(lesson)
    figure = page.locator(".attention-steps").first
    expect(figure).to_have_id("attention-1")
    return figure


def typed_into(figure: Locator, values: dict[str, list[list[float]]]) -> None:
    """Type numbers into the inputs of these matrices, from cell to cell by Tab."""
    for name, rows in values.items():
        figure.locator(f".steps-typed table[data-given={name}] input").first.focus()
        for number in (number for row in rows for number in row):
            figure.page.keyboard.press("Control+a")
            figure.page.keyboard.insert_text(str(number))
            figure.page.keyboard.press("Tab")


def step_numbers(figure: Locator, step: str) -> np.ndarray:
    """Return the numbers of a step's table, −∞ for cells without one."""
    rows = figure.locator(f"[data-step={step}] table").evaluate(
        "table => [...table.tBodies[0].rows].map(row => "
        "[...row.querySelectorAll('td.cell')].map(cell => cell.dataset.value ?? '-inf'))"
    )
    return np.array(rows, dtype=float)


def go_to(figure: Locator, title: str) -> None:
    """Press Next until the step with this title is shown."""
    following = figure.get_by_role("button", name="Next")
    following.focus()
    for _ in range(5):
        if figure.locator(".is-now .step-title").inner_text() == title:
            return
        following.press("Enter")
    raise AssertionError(f"there’s no step {title}")


def written_computation(figure: Locator) -> str:
    """Return the written-out computation of the chosen cell, without spaces."""
    return re.sub(r"\s+", "", figure.locator(".is-now .written").evaluate("e => e.textContent"))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_whatever_is_typed_the_tables_show_what_the_core_computes(steps: Locator, seed: int):
    random = Random(seed)
    q, k, v = (
        [[round(random.uniform(-3, 3), 2) for _ in range(2)] for _ in range(3)] for _ in "qkv"
    )
    typed_into(steps, {"q": q, "k": k, "v": v})
    is_scaled, causal = random.random() < 0.5, random.random() < 0.5
    steps.get_by_label("divide by").set_checked(is_scaled)
    steps.get_by_label("causal mask").set_checked(causal)
    slider = steps.get_by_label("temperature")
    slider.focus()
    for _ in range(seed):
        slider.press("ArrowRight")
    temperature = float(steps.locator(".steps-value").inner_text())
    assert temperature == [1, 1.5, 2, 3][seed]
    scale = 2**-0.5 if is_scaled else 1.0
    looking = {"scale": scale / temperature, "causal": causal}
    assert step_numbers(steps, "score") == pytest.approx(attention_scores(q, k, scale=1.0))
    assert step_numbers(steps, "scale") == pytest.approx(attention_scores(q, k, scale=scale))
    masked = np.isneginf(step_numbers(steps, "mask"))
    assert (masked == (np.triu(np.ones((3, 3)), 1) * causal).astype(bool)).all()
    assert step_numbers(steps, "softmax") == pytest.approx(
        attention_weights(q, k, **looking), abs=1e-9
    )
    assert step_numbers(steps, "blend") == pytest.approx(attention(q, k, v, **looking), abs=1e-9)


def test_tables_follow_within_the_event_that_changes_a_cell(steps: Locator):
    before, after = steps.evaluate(
        """figure => {
            const input = figure.querySelector(".steps-typed input");
            const read = () => figure.querySelector("[data-step=score] td.cell").dataset.value;
            const before = read();
            input.value = "2";
            input.dispatchEvent(new Event("input", { bubbles: true }));
            return [before, read()];
        }"""
    )
    assert float(before) == pytest.approx(0.9 * 0.7 - 0.2 * 0.4)
    assert float(after) == pytest.approx(2 * 0.7 - 0.2 * 0.4)


def test_the_keyboard_alone_leads_through_the_steps_and_back(steps: Locator):
    titles = []
    place = steps.locator(".steps-bar p")
    expect(place).to_have_text("Step 1 of 4")
    steps.get_by_role("button", name="Next").focus()
    for _ in range(4):
        titles.append(steps.locator(".is-now .step-title").inner_text())
        steps.page.keyboard.press("Enter")
    assert titles == ["Score", "Scale", "Softmax", "Blend"]
    expect(place).to_have_text("Step 4 of 4")
    expect(steps.get_by_role("button", name="Next")).to_be_focused()
    steps.get_by_role("button", name="Previous").press("Enter")
    expect(place).to_have_text("Step 3 of 4")


def test_a_mask_is_a_step_only_where_there_is_one(steps: Locator):
    steps.get_by_label("causal mask").check()
    expect(steps.locator(".steps-bar p")).to_have_text("Step 1 of 5")
    go_to(steps, "Mask")
    expect(steps.locator(".is-now table td.is-fixed")).to_have_text(["−∞"] * 3)
    steps.get_by_label("causal mask").uncheck()
    expect(steps.locator(".is-now .step-title")).to_have_text("Softmax")
    steps.get_by_label("divide by").uncheck()
    expect(steps.locator(".steps-bar p")).to_have_text("Step 2 of 3")
    expect(steps.locator(".is-now .step-formula:visible")).to_have_text("A=softmax(S)")


def test_arrows_choose_a_cell_that_is_written_out_and_lights_where_it_comes_from(steps: Locator):
    assert written_computation(steps) == "ThequeryofmetmeetsthekeyofAnn0.3⋅0.7+0.8⋅0.4=0.530"
    steps.locator(".is-now td.is-chosen").focus()
    for key in ("ArrowUp", "ArrowRight", "ArrowRight"):
        steps.page.keyboard.press(key)
    assert written_computation(steps) == "ThequeryofAnnmeetsthekeyofBob0.9⋅(−0.5)+(−0.2)⋅1=−0.650"
    lit = steps.locator(".steps-typed td.is-lit input")
    assert [lit.nth(i).input_value() for i in range(4)] == ["0.9", "−0.2", "−0.5", "1"]
    go_to(steps, "Scale")
    assert written_computation(steps) == "RowAnn,columnBob−0.6502≈−0.460"  # over √2
    assert steps.locator(".is-source td.is-lit").all_inner_texts() == ["−0.650"]
    go_to(steps, "Softmax")
    assert written_computation(steps) == "RowAnn,columnBobe−0.460e0.389+e0.000+e−0.460≈0.203"
    go_to(steps, "Blend")
    steps.locator(".is-now td.is-chosen").press("ArrowRight")
    assert written_computation(steps).startswith("RowAnn,dimension20.4")
    values = steps.locator(".steps-typed td.is-lit input")
    assert [values.nth(i).input_value() for i in range(3)] == ["0.8", "0.1", "0.4"]


def test_pointing_at_a_cell_chooses_it(steps: Locator):
    steps.locator("[data-step=score] td.cell").nth(4).hover()
    assert written_computation(steps).startswith("Thequeryofmetmeetsthekeyofmet")


def test_a_masked_cell_takes_no_part_in_what_is_written_out(steps: Locator):
    steps.get_by_label("causal mask").check()
    go_to(steps, "Softmax")
    assert "e0.375+e0.552" in written_computation(steps)
    go_to(steps, "Blend")
    assert written_computation(steps).count("⋅") == 2


def test_unreadable_input_gets_an_error_and_the_number_before_it_counts(steps: Locator):
    before = step_numbers(steps, "blend")
    first = steps.locator(".steps-typed input").first
    for text, expected in (("0,5x", "“0,5x” isn’t a number"), ("", "Nothing is typed here")):
        first.fill(text)
        expect(first).to_have_attribute("aria-invalid", "true")
        note = steps.page.locator(f"#{first.get_attribute('aria-describedby')}")
        expect(note).to_contain_text(expected)
        expect(note).to_contain_text("counts as 0.9")
        assert (step_numbers(steps, "blend") == before).all()
    first.fill("1,5")
    expect(steps.locator("[aria-invalid]")).to_have_count(0)
    expect(steps.locator(".matrix-notes li")).to_have_count(0)
    assert step_numbers(steps, "score")[0, 0] == pytest.approx(1.5 * 0.7 - 0.2 * 0.4)


def test_reset_brings_the_lesson_s_own_numbers_back(steps: Locator):
    before = step_numbers(steps, "blend")
    steps.locator(".steps-typed input").first.fill("7")
    steps.get_by_label("causal mask").check()
    steps.get_by_label("temperature").press("ArrowLeft")
    assert not np.allclose(step_numbers(steps, "blend"), before)
    steps.get_by_role("button", name="Reset").press("Enter")
    assert step_numbers(steps, "blend") == pytest.approx(before)
    expect(steps.get_by_label("causal mask")).not_to_be_checked()
    expect(steps.locator(".steps-value")).to_have_text("1")
    expect(steps.locator(".steps-typed input").first).to_have_value("0.9")


def test_a_link_keeps_what_was_set(steps: Locator, page: Page):
    steps.locator(".steps-typed input").first.fill("-7,25")
    steps.get_by_label("causal mask").check()
    steps.get_by_label("temperature").press("ArrowLeft")
    go_to(steps, "Softmax")
    weights = step_numbers(steps, "softmax")
    steps.get_by_role("button", name="Copy a link").press("Enter")
    expect(steps.get_by_role("status")).to_contain_text("keeps these numbers")
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    assert step_numbers(steps, "softmax") == pytest.approx(weights)
    expect(steps.locator(".is-now .step-title")).to_have_text("Softmax")
    expect(steps.locator(".steps-typed input").first).to_have_value("−7.25")
    expect(steps.locator(".steps-value")).to_have_text("0.75")
    expect(steps).to_be_in_viewport()


@pytest.mark.parametrize("kept", ["", "1_2", "x" * 70, "9" + "_1" * 21, "0_1_0_0" + "_1" * 18])
def test_a_link_that_does_not_fit_gets_a_note_and_does_no_harm(page: Page, lesson: str, kept: str):
    page.goto(f"{lesson}?attention-1={kept}")
    figure = page.locator("#attention-1")
    expect(figure.get_by_role("status")).to_contain_text("no longer fits this page")
    assert step_numbers(figure, "score") == pytest.approx(attention_scores(Q, K, scale=1.0))


def test_one_matrix_for_all_three_is_typed_once(page: Page, steps: Locator):
    figure = page.locator("#attention-2")
    expect(figure.locator(".steps-typed table")).to_have_count(1)
    x = [[1, 0.5], [-1, 0.25], [2, 0]]
    typed_into(figure, {"x": x})
    assert step_numbers(figure, "blend") == pytest.approx(attention(x, x, x, scale=1.0), abs=1e-9)


def test_without_scripts_every_step_is_there_to_read(browser: Browser, site: Site, lesson: str):
    with browser.new_context(java_script_enabled=False, base_url=site.url) as context:
        page = context.new_page()
        page.goto(lesson)
        figure = page.locator(".attention-steps").first
        expect(page.locator(".attention-map table:visible")).to_have_count(2)
        expect(page.locator(".map-word:visible, select:visible")).to_have_count(0)
        titles = figure.locator(".step-title:visible")
        assert titles.all_inner_texts() == ["Score", "Scale", "Softmax", "Blend"]
        expect(figure.get_by_role("table", name="Queries Q")).to_be_visible()
        expect(figure.locator("button:visible, input:visible")).to_have_count(0)


def test_print_shows_every_step_with_the_numbers_that_were_typed(page: Page, steps: Locator):
    steps.locator(".steps-typed input").first.fill("7")
    page.emulate_media(media="print")
    assert steps.locator(".step-title:visible").count() == 4
    expect(steps.locator(".steps-given td.cell").first).to_have_text("7")
    expect(steps.locator(".steps-typed")).to_be_hidden()


def test_a_chosen_word_shows_where_it_looks_in_the_chosen_head(page: Page, lesson: str):
    page.goto(lesson)
    figure = page.locator(".attention-map")
    measured = attention_map("animal_it")
    words = figure.get_by_role("group", name="Choose a word").get_by_role("button")
    for head, word in ((0, "it"), (0, "cross"), (1, "because"), (2, "it")):
        figure.get_by_role("combobox", name="Head").select_option(index=head)
        place = measured.tokens.index(word)
        words.nth(place).press("Enter")
        expect(figure.locator("[aria-pressed=true]")).to_contain_text(word)
        row = measured.heads[head].weights[place]
        weights = [format_number(weight, 3) for weight in row]
        assert words.locator(".map-weight").all_inner_texts() == weights
        heats = words.evaluate_all("all => all.map(each => each.className)")
        assert heats == [f"map-word heat-{heat_level(weight)}" for weight in row]
        most = measured.tokens[row.index(max(row))]
        expect(figure.locator(".map-says")).to_contain_text(
            f"“{word}” looks most at: {most} {format_number(max(row), 3)}, "
        )
        lit = figure.locator("td.is-lit:visible")
        assert lit.all_inner_texts() == weights
        shown = figure.get_by_role("table")
        assert shown.locator("td.cell").all_inner_texts() == [
            format_number(weight, 3) for each in measured.heads[head].weights for weight in each
        ]
        name = figure.get_by_role("combobox", name="Head").locator("option").nth(head)
        expect(shown.locator("caption")).to_have_text(name.inner_text())


def test_a_map_of_many_words_fits_its_column_and_shows_its_numbers_on_demand(
    page: Page, lesson: str
):
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(lesson)
    figure = page.locator(".attention-map")
    scroll = figure.locator(".matrix-scroll").first
    number = figure.locator("td.cell .number").first
    # Beside the contents there is room for all numbers.
    expect(number).to_have_css("opacity", "1")
    assert scroll.evaluate("each => each.scrollWidth <= each.clientWidth")
    page.set_viewport_size({"width": 900, "height": 800})
    assert scroll.evaluate("each => each.scrollWidth <= each.clientWidth")
    expect(number).to_have_css("opacity", "0")
    number.locator("..").hover()
    expect(number).to_have_css("opacity", "1")
    page.mouse.move(0, 0)
    figure.get_by_label("Show all numbers").press("Space")
    expect(number).to_have_css("opacity", "1")


@pytest.mark.slow
def test_a_sentence_of_one_s_own_is_read_and_shown(page: Page, lesson: str):
    page.goto(lesson)
    figure = page.locator(".live-sentence")
    box = figure.get_by_label("Your sentence")
    expect(box).to_have_value("Hello world")
    box.fill("The cat slept because it was tired")
    box.press("Enter")
    words = figure.locator(".map-word")
    expect(words.first).to_contain_text("[CLS]", timeout=20_000)
    words.nth(5).press("Enter")
    expect(figure.locator(".map-says")).to_contain_text("“it” looks most at:")
    expect(figure.locator(".map-says")).to_contain_text("cat")
    assert complaints_in_both_themes(page) == []
    box.fill("word " * 25)
    box.press("Enter")
    expect(figure.locator(".sentence-result")).to_contain_text("It can read at most 24")
    expect(box).to_have_value("word " * 25)


@pytest.mark.slow
def test_widgets_read_for_everyone(page: Page, lesson: str):
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.set_viewport_size({"width": 320, "height": 800})
    page.goto(lesson)
    steps = page.locator("#attention-1")
    steps.get_by_label("causal mask").check()
    steps.locator(".steps-typed input").first.fill("what?")
    go_to(steps, "Softmax")
    assert complaints_in_both_themes(page) == []
    for _ in range(5):
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        steps.get_by_role("button", name="Previous").press("Enter")
    assert complaints == []
