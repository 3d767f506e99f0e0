"""The scripts' arithmetic is the core's, and their texts are those of the server's matrices."""

import json
from pathlib import Path
from random import Random

import numpy as np
import pytest
from django.template import Context, Template
from django.utils import translation
from playwright.sync_api import Browser, Page, Route

from attention_core import attention, attention_scores, attention_weights, softmax
from attention_core.errors import UnreadableNumber
from attention_core.grading.parse import parse_number
from design.matrix import Cell, Matrix, format_number, heat_level, number_matrix, plain_number

SCRIPTS = Path(__file__).parents[2] / "lessons" / "static" / "lessons"
HERE = "http://scripts.test"
STRUCK_OUT = Cell("−∞", fixed=True)


@pytest.fixture(scope="module")
def page(browser: Browser) -> Page:
    """An empty page on the scripts' own origin."""

    def answer(route: Route) -> None:
        name = route.request.url.removeprefix(f"{HERE}/")
        if name:
            route.fulfill(path=SCRIPTS / name, content_type="text/javascript")
        else:
            route.fulfill(body="<!doctype html><title>Scripts</title>", content_type="text/html")

    page = browser.new_page()
    page.route(f"{HERE}/**", answer)
    page.goto(f"{HERE}/")
    return page


def run(page: Page, code: str, cases: object, module: str = "arithmetic") -> object:
    """Return the result of the code for the cases. Infinities are passed as text both ways."""
    return json.loads(
        page.evaluate(
            """async ([module, code, cases]) => {
                const names = await import(module);
                const given = JSON.parse(cases, (_, v) => v === "-∞" ? -Infinity : v);
                const made = new Function("names", "cases", `with (names) { return ${code}; }`);
                return JSON.stringify(made(names, given), (_, v) => v === -Infinity ? "-∞" : v);
            }""",
            [f"/{module}.js", code, json.dumps(cases).replace("-Infinity", '"-∞"')],
        ).replace('"-∞"', "-Infinity")
    )


def matrix(random: Random, rows: int, columns: int, size: float = 3) -> list[list[float]]:
    return [[random.uniform(-size, size) for _ in range(columns)] for _ in range(rows)]


def attentions(count: int) -> list[dict]:
    random = Random(7)
    cases = []
    for _ in range(count):
        tokens, d_k, d_v = (random.randint(1, 6) for _ in range(3))
        cases.append(
            {
                "q": matrix(random, tokens, d_k, size=random.choice([1, 10, 400])),
                "k": matrix(random, tokens, d_k),
                "v": matrix(random, tokens, d_v),
                "scaled": random.random() < 0.5,
                "causal": random.random() < 0.5,
                "temperature": random.choice([0.1, 0.5, 1, 3]),
            }
        )
    return cases


def test_attention_is_that_of_the_core(page):
    cases = attentions(200)
    made = run(page, "cases.map((c) => attention(c.q, c.k, c.v, c))", cases)
    for case, ours in zip(cases, made, strict=True):
        q, k, v = case["q"], case["k"], case["v"]
        factor = len(q[0]) ** -0.5 if case["scaled"] else 1.0
        heated = {"scale": factor / case["temperature"], "causal": case["causal"]}
        assert ours["raw"] == pytest.approx(attention_scores(q, k, scale=1.0), abs=1e-9)
        assert ours["scores"] == pytest.approx(attention_scores(q, k, scale=factor), abs=1e-9)
        assert ours["weights"] == pytest.approx(attention_weights(q, k, **heated), abs=1e-9)
        assert ours["output"] == pytest.approx(attention(q, k, v, **heated), abs=1e-9)
        ahead = ~np.tri(len(q), dtype=bool) & case["causal"]
        assert (np.isneginf(ours["masked"]) == ahead).all()


def test_softmax_is_that_of_the_core_however_large_the_scores(page):
    random = Random(8)
    rows = [matrix(random, 1, 5, size)[0] for size in (1, 30, 900, 1e6) for _ in range(20)]
    rows += [[float("-inf")] * 3, [float("-inf"), 2.0, float("-inf")]]
    for temperature in (0.25, 1, 7.5):
        made = run(page, f"cases.map((row) => softmax(row, {temperature}))", rows)
        for row, ours in zip(rows, made, strict=True):
            assert ours == pytest.approx(softmax(row, temperature=temperature), abs=1e-12)


def test_any_mask_strikes_out_what_may_not_be_seen(page):
    made = run(page, "mask(...cases)", [[[1, 2], [3, 4]], [[True, False], [False, True]]])
    assert made == [[1, float("-inf")], [float("-inf"), 4]]


@pytest.mark.parametrize("language", ["en", "de"])
def test_numbers_are_printed_as_the_server_prints_them(page, language):
    random = Random(9)
    halves = [n / 8 for n in range(-41, 42)]
    awkward = [0.0, -0.0, 1e-7, -2.5e-12, 0.1 + 0.2, 123456789.125, 1e20, 3.0, -0.0004]
    values = halves + awkward + [random.uniform(-50, 50) for _ in range(300)]
    assert run(page, "cases.map((v) => plainNumber(v))", values) == list(map(plain_number, values))
    with translation.override(language):
        drawn(page, number_matrix([1], caption="M"))
        for decimals in (None, 0, 1, 2, 3, 6):
            made = run(page, f"cases.map((v) => numberText(v, {json.dumps(decimals)}))", values)
            assert made == [format_number(value, decimals) for value in values]
    assert run(page, "[Infinity, -Infinity].map((v) => numberText(v))", []) == ["∞", "−∞"]


def test_heat_is_that_of_the_server(page):
    random = Random(10)
    values = [random.uniform(-0.2, 1.2) for _ in range(200)] + [n / 10 for n in range(11)]
    assert run(page, "cases.map((v) => heatLevel(v))", values) == list(map(heat_level, values))
    made = run(page, "cases.map((v) => heatLevel(v, -1, 2))", values)
    assert made == [heat_level(value, -1, 2) for value in values]


def test_what_is_typed_is_read_as_answers_are(page):
    typed = [
        *("1", " 0,5 ", "−.3", "-2", "+4", "1e-3", "1/2", "-1/4", "3.", "007", "−0"),
        *("", " ", "abc", "1.2.3", "1,234.5", "1/0", "1 2", "NaN", "∞", "50%"),
        *("٣", "0x10", "1e400", "1" * 65),
    ]
    assert run(page, "cases.map((t) => readNumber(t))", typed) == [read(text) for text in typed]
    assert run(page, "readNumber('1e9')", []) is None


@pytest.mark.parametrize("text", ["1/2/3", "--1", "exp(0.5)"])
def test_figures_take_numbers_where_answers_take_sums_too(page, text):
    assert run(page, "cases.map((t) => readNumber(t))", [text]) == [None]


def read(text: str) -> float | None:
    try:
        return parse_number(text).value
    except UnreadableNumber:
        return None


@pytest.mark.parametrize(("decimals", "language"), [(None, "en"), (2, "en"), (None, "de")])
def test_a_matrix_that_a_script_fills_is_the_one_that_the_server_draws(page, decimals, language):
    random = Random(11)
    for _ in range(20):
        rows, columns = random.randint(1, 4), random.randint(1, 4)
        values = np.round(matrix(random, rows, columns, random.choice([1, 20])), 3).tolist()
        heat = random.choice([None, (0.0, 1.0), (-2.0, 2.0)])
        with translation.override(language):
            before = number_matrix([[0.25] * columns] * rows, caption="M", heat=heat or False)
            after = number_matrix(values, caption="M", decimals=decimals, heat=heat or False)
            assert filled(page, before, values, decimals, heat) == drawn(page, after)


def test_a_score_that_a_script_strikes_out_looks_as_on_the_server(page):
    before = number_matrix([[1, 2], [3, 4]], caption="M")
    after = Matrix("M", ((Cell("1", 1), STRUCK_OUT), (Cell("3", 3), Cell("4", 4))))
    values = [[1, float("-inf")], [3, 4]]
    assert filled(page, before, values, None, None) == drawn(page, after)
    assert filled(page, after, [[1, 2], [3, 4]], None, None) == drawn(page, before)


DRAW = '{% load design %}<html data-decimal-sign="{% decimal_sign %}">{% matrix m %}'
FILL = "showMatrix(document.querySelector('table'), ...cases)"
CELLS = """() => [...document.querySelectorAll("td.cell")].map((cell) => [
    cell.textContent.trim(), cell.dataset.value ?? "", [...cell.classList].sort().join(" "),
    {...cell.querySelector(".number").dataset},
])"""


def drawn(page: Page, shown: Matrix) -> list:
    """Return the cells of the server's matrix."""
    page.set_content(Template(DRAW).render(Context({"m": shown})))
    return page.evaluate(CELLS)


def filled(page: Page, before: Matrix, values, decimals, heat) -> list:
    """Return the matrix's cells after the script has filled in the values."""
    drawn(page, before)
    run(page, f"[{FILL}]", [values, {"decimals": decimals, "heat": heat}], module="matrix")
    return page.evaluate(CELLS)
