"""The numbers of a cell or a choice are in sight while it is made, in every family."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.template.loader import render_to_string
from playwright.sync_api import Browser, Page, Route, expect

from attention_core.catalogue import draw_unproved, families, problem_to_json
from quizzes import problems
from quizzes.items.presenters.arrangement import describe_sources
from quizzes.items.presenters.asked_item import render_preview

from .conftest import complaints_about

ROOT = Path(__file__).parents[2]
ORIGIN = "http://questions.test/"
SOME = ("attention", "multi_head", "vector_arithmetic")
# Its whole table makes the answer, and does not fit above a keypad this low: a tab shows it.
TOO_LARGE = {("find_the_slip", 320)}
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Questions</title>
<meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="design/site.css"><link rel="stylesheet" href="quizzes/quizzes.css">
<main class="main exam taking"><form id="form"><div class="bar">Time</div>{questions}
</form></main>{texts}
<script type="module">
  import {{ Cells }} from "./quizzes/items/cells.js";
  import {{ Dock }} from "./quizzes/items/dock.js";
  import {{ Keys }} from "./quizzes/items/keys.js";
  import {{ Pasting }} from "./quizzes/items/pasting.js";
  const form = document.getElementById("form");
  const cells = new Cells(form);
  new Keys(form, cells, new Pasting(form));
  new Dock(form, cells);
</script></html>"""

# Whatever the cells need and cannot be seen: the number itself, or its copy in the dock.
UNSEEN = """async (family) => {
  const { sourcesOf, cellsOf } = await import("/quizzes/items/lights.js");
  const item = document.querySelector(`[data-family=${family}]`);
  for (const each of document.querySelectorAll("[data-item]")) each.hidden = each !== item;
  const next = (done) => requestAnimationFrame(() => requestAnimationFrame(done));
  const frame = () => new Promise(next);
  const isSeen = (element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    return [[left + 1, top + 1], [right - 1, bottom - 1]].every(([x, y]) => {
      const found = document.elementFromPoint(x, y);
      return found && (element.contains(found) || found.contains(element));
    });
  };
  const problems = [];
  for (const answer of item.querySelectorAll(".answer :is(table, .choices)")) {
    const inputs = [...answer.querySelectorAll("input")];
    for (const input of new Set([inputs[0], inputs.at(-1)])) {
      document.activeElement.blur();
      scrollTo(0, 0);
      await frame();
      input.focus();
      await frame();
      const missing = [];
      if (!isSeen(input)) missing.push("the cell");
      const seen = [...item.querySelectorAll(".dock span, .dock-place")].filter(isSeen);
      const printed = seen.map((copy) => copy.textContent.trim());
      const given = [...item.querySelectorAll("table[data-given] td.cell")];
      const sources = sourcesOf(input) ?? [];
      const numbers = sources.flatMap(({ table, rows, columns }) => {
        const lines = rows.map((row) => cellsOf(table.tBodies[0].rows[row]));
        return lines.flatMap((line) => columns.map((column) => line[column]));
      });
      for (const cell of sourcesOf(input) ? numbers : given) {
        const input = cell.querySelector("input");
        const text = input?.value ?? cell.querySelector(".number").textContent;
        if (!isSeen(cell) && !printed.includes(text)) missing.push(text);
      }
      const row = input.closest("tr");
      const place = row && cellsOf(row).indexOf(input.closest("td"));
      for (const label of [row?.querySelector("th"), answer.tHead?.querySelectorAll("th")[place]])
        if (label && !isSeen(label) && !printed.some((text) => text.includes(label.textContent)))
          missing.push(label.textContent);
      if (missing.length) problems.push(`${family}, ${input.labels[0].textContent}: ${missing}`);
    }
  }
  return problems;
}"""


def question(position: int, family: str) -> str:
    """Return a question of this family at its largest size, as its page shows it."""
    member = families()[family]
    sizes = member.canonical({name: max(offered) for name, offered in member.options.items()})
    variant = problem_to_json(draw_unproved(member, sizes, "in sight", 0))
    variant["tolerance"] = {step.key: 0.001 for step in member.steps}
    wording = problems.variant_wording(variant)  # type: ignore[arg-type]
    shown = problems.shown(wording, variant=variant)  # type: ignore[arg-type]
    return (
        f'<fieldset class="item stage" data-item="{position}" data-family="{family}"'
        f' data-lights="{describe_sources(wording)}">{render_preview(shown, position)}</fieldset>'
    )


def document_with(*keys: str) -> str:
    return PAGE.format(
        questions="".join(question(at, family) for at, family in enumerate(keys, 1)),
        texts=render_to_string("quizzes/items/_texts.html"),
    )


@pytest.fixture
def screen(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Page]:
    """A page with some questions, or with every family's, on a screen of this size."""
    width, height, touch = request.param
    is_slow = request.node.get_closest_marker("slow")
    questions = document_with(*(families() if is_slow else SOME))
    context = browser.new_context(
        viewport={"width": width, "height": height}, has_touch=touch, is_mobile=touch
    )
    page = context.new_page()

    def serve(route: Route) -> None:
        name = route.request.url.removeprefix(ORIGIN)
        if not name:
            return route.fulfill(body=questions, content_type="text/html; charset=utf-8")
        file = ROOT / name.split("/")[0] / "static" / name
        # axe asks for style sheets where there are none.
        return route.fulfill(path=file) if file.is_file() else route.fulfill(status=404)

    page.route(f"{ORIGIN}**", serve)
    page.goto(ORIGIN)
    yield page
    context.close()


LAPTOP, ZOOMED, PHONE, LOWEST, WITHOUT_KEYBOARD = SCREENS = [
    (1280, 720, False),
    (640, 360, False),  # the laptop at 200%
    (390, 400, True),  # phones with their keyboard open
    (320, 260, True),
    (390, 844, True),
]


@pytest.mark.parametrize("screen", [LAPTOP, LOWEST], indirect=True)
def test_what_makes_a_cell_is_in_sight_beside_it(screen: Page) -> None:
    assert [each for family in SOME for each in screen.evaluate(UNSEEN, family)] == []


@pytest.mark.slow
@pytest.mark.parametrize("screen", SCREENS, indirect=True)
def test_what_makes_a_cell_is_in_sight_in_every_family(screen: Page) -> None:
    width = screen.viewport_size["width"]
    fitting = [family for family in families() if (family, width) not in TOO_LARGE]
    assert [each for family in fitting for each in screen.evaluate(UNSEEN, family)] == []


@pytest.mark.parametrize("screen", [PHONE, LOWEST], indirect=True)
def test_above_a_keyboard_the_answer_is_right_below_its_numbers(screen: Page) -> None:
    screen.locator("[data-family=attention] input").first.focus()
    dock = screen.locator(".dock").bounding_box()
    head = screen.locator("[data-family=attention] .answer thead").first.bounding_box()
    assert 0 <= head["y"] - dock["y"] - dock["height"] <= 12
    assert screen.locator(".bar").bounding_box()["y"] <= -56
    scrolled = "all => all.filter((each) => getComputedStyle(each).overflowX === 'auto').length"
    assert screen.locator(".dock *").evaluate_all(scrolled) == 0


@pytest.mark.parametrize("screen", [PHONE], indirect=True)
def test_other_numbers_are_a_tap_away(screen: Page) -> None:
    item = screen.locator("[data-family=attention]")
    cell = item.get_by_role("textbox").first
    cell.focus()
    tabs = screen.get_by_role("group", name="Numbers in view").get_by_role("button")
    numbers = screen.locator(".dock-numbers")
    expect(tabs).to_have_text(["Q", "K", "V"])
    expect(numbers).to_have_count(1)  # the row of Q above that of K
    tabs.nth(2).tap()
    expect(numbers).to_have_count(2)
    expect(tabs.nth(2)).to_have_attribute("aria-pressed", "true")
    expect(cell).to_be_focused()
    tabs.nth(0).tap()
    expect(tabs.nth(0)).to_have_attribute("aria-pressed", "false")
    assert complaints_about(screen, ".dock") == []


@pytest.mark.parametrize("screen", [PHONE], indirect=True)
def test_where_the_method_is_asked_for_the_student_chooses_what_to_see(screen: Page) -> None:
    item = screen.locator("[data-family=multi_head]")
    item.evaluate("item => delete item.dataset.lights")
    pressed = screen.locator(".dock-tabs [aria-pressed=true]")
    item.get_by_role("textbox").last.focus()
    expect(pressed).to_have_text(["X", "WQ,1"])
    pressed.last.tap()
    screen.locator(".dock-tabs button").nth(7).tap()
    expect(pressed).to_have_text(["X", "WO"])
    item.get_by_role("textbox").first.focus()
    expect(pressed).to_have_text(["X", "WO"])


@pytest.mark.parametrize("screen", [PHONE], indirect=True)
def test_a_choice_that_is_made_has_its_numbers_in_sight_even_without_the_focus(
    screen: Page,
) -> None:
    choice = screen.locator("[data-family=vector_arithmetic] .choice input").last
    choice.evaluate("choice => choice.click()")  # as a tap does on an iPhone
    expect(choice).not_to_be_focused()
    expect(screen.locator(".dock-tabs [aria-pressed=true]")).to_have_text(
        ["Words to choose from", "Step 1"]
    )


@pytest.mark.parametrize("screen", [PHONE], indirect=True)
def test_whoever_scrolls_away_from_a_cell_is_left_there(screen: Page) -> None:
    screen.locator("[data-family=attention] input").last.focus()
    expect(screen.locator(".dock")).to_be_visible()
    screen.evaluate("scrollTo(0, 0)")
    screen.wait_for_timeout(300)  # no event says that nothing happens
    assert screen.evaluate("scrollY") == 0
