"""Pasted text as a table: in any printed form, for the target grid, with nothing left out."""

import re
import unicodedata
from itertools import product

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Page

from attention_core.errors import UnreadableNumber
from attention_core.grading import signs
from attention_core.grading.parse import parse_number

SQUARE = [["0.1", "0.2"], ["0.3", "0.4"]]
# Many texts in one call: each call to the browser takes a millisecond or two.
READ = """async ([texts, rows, columns, row, column]) => {
    const { readPasted } = await import("/items/pasted.js");
    const grid = { rows, columns, freeRows: rows - row, freeColumns: columns - column };
    return texts.map((text) => readPasted(text, grid));
}"""
GENERATED = settings(
    max_examples=100, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck)
)


@pytest.fixture(scope="module")
def read(script_page: Page):
    """Return a function that reads a text for a grid by the script, from any cell on."""

    def reading(text: str, rows: int = 2, columns: int = 2, at: tuple[int, int] = (0, 0)):
        return script_page.evaluate(READ, [[text], rows, columns, *at])[0]

    return reading


@pytest.mark.parametrize(
    "text",
    [
        "0.1\t0.2\r\n0.3\t0.4\r\n",
        "[[0.1, 0.2], [0.3, 0.4]]",
        "[[0.1 0.2]\n [0.3 0.4]]",
        "array([[0.1, 0.2],\n       [0.3, 0.4]])",
        "np.array([[0.1, 0.2],\n       [0.3, 0.4]], dtype=float32)",
        "tensor([[0.1, 0.2], [0.3, 0.4]], dtype=torch.float64)",
        "tensor([[0.1, 0.2], [0.3, 0.4]], device='cuda:0', grad_fn=<MulBackward0>)",
        "((0.1, 0.2), (0.3, 0.4))",
        "[[np.float64(0.1), np.float64(0.2)], [np.float64(0.3), np.float64(0.4)]]",
        "[0.1 0.2; 0.3 0.4]",
        "[0.1,0.2;0.3,0.4]",
        "[0.1,0.2;\n 0.3,0.4]",
        "[0.1 0.2\n 0.3 0.4]",
        "[0.1, 0.2]\n[0.3, 0.4]",
        "{{0.1, 0.2}, {0.3, 0.4}}",
        "{{0.1,0.2},{0.3,0.4}};",
        "{\n  {0.1, 0.2},\n  {0.3, 0.4},\n};",
        "0.1,0.2\n0.3,0.4",
        "0.1, 0.2\n0.3, 0.4",
        "0.1;0.2\n0.3;0.4",
        "0.1  0.2\n0.3\u00a00.4",
        "0.1\u202f0.2\n0.3\u20090.4",
        "0.1 0.2; 0.3 0.4",
        "0.1, 0.2; 0.3, 0.4;",
        "0.1,0.2;0.3,0.4",
        "0.1 0.2;\n0.3 0.4;\n",
        '"0.1"\t"0.2"\r\n"0.3"\t"0.4"',
        '"0.1","0.2"\n"0.3","0.4"',
        "[['0.1', '0.2'], ['0.3', '0.4']]",
        "0.1 & 0.2 \\\\\n0.3 & 0.4",
        "\\begin{pmatrix} 0.1 & 0.2 \\\\ 0.3 & 0.4 \\end{pmatrix}",
        "$$\\begin{bmatrix}\n0.1 & 0.2 \\\\[2pt]\n0.3 & 0.4 \\\\\n\\end{bmatrix}$$",
        "\\[\\left(\\begin{array}{cc} 0.1 & 0.2 \\\\ \\hline 0.3 & 0.4 \\end{array}\\right)\\]",
        "|  |  |\n|---|:-:|\n| 0.1 | 0.2 |\n| 0.3 | 0.4 |",
        "| 0.1 | 0.2 |\n| --- | --- |\n| 0.3 | 0.4 |",
        "| 0.1 | 0.2 |\n| 0.3 | 0.4 |",
        "\ufeff0.1\u200b\t0\u2060.2\u200e\n0.3\t0.4\ufe0f",
    ],
)
def test_a_table_is_read_however_it_was_printed(read, text: str) -> None:
    found = read(text)
    assert SQUARE in [each["rows"] for each in found.get("readings", [found])]
    if not text.startswith("| 0.1 | 0.2 |\n| ---"):
        assert found == {"rows": SQUARE}


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("[1,2;3,4]", [["1", "2"], ["3", "4"]]),
        ("[-0.1,-0.2;-0.3,-0.4]", [["-0.1", "-0.2"], ["-0.3", "-0.4"]]),
        ("[0,1;1,0]", [["0", "1"], ["1", "0"]]),
        ("[0,1 0,2; 0,3 0,4]", [["0,1", "0,2"], ["0,3", "0,4"]]),
        ("0,1\t0,2\n0,3\t0,4", [["0,1", "0,2"], ["0,3", "0,4"]]),
        ("0,1;0,2\n0,3;0,4", [["0,1", "0,2"], ["0,3", "0,4"]]),
        ("[[1,2],[3,4]]", [["1", "2"], ["3", "4"]]),
        ("−0.1\t‒0.2\n﹣3\t˗4", [["−0.1", "‒0.2"], ["﹣3", "˗4"]]),
        ("½\t2.5×10⁻³\n1½\t1e–3", [["½", "2.5×10⁻³"], ["1½", "1e–3"]]),
        (
            "\\begin{pmatrix} 0{,}5 & -\\frac{1}{2} \\\\ 1 & 2 \\end{pmatrix}",
            [["0,5", "-1/2"], ["1", "2"]],
        ),
        ('"0,5","3"\n"1","2"', [["0,5", "3"], ["1", "2"]]),
        ("1 , , 2", [["1", "", "2"]]),
    ],
)
def test_the_shape_of_the_grid_says_what_parts_rows_and_cells(read, text: str, rows: list) -> None:
    assert read(text, max(2, len(rows)), max(2, len(rows[0]))) == {"rows": rows}


def test_from_a_later_cell_rows_in_brackets_are_as_wide_as_the_grid_all_the_same(read) -> None:
    assert read("[1,2;3,4]", 4, 2, at=(1, 1)) == {"rows": [["1", "2"], ["3", "4"]]}


@pytest.mark.parametrize(
    ("text", "shape", "readings"),
    [
        ("1,2;3,4", (2, 2), [[["1,2", "3,4"]], [["1", "2"], ["3", "4"]]]),
        ("1,2\n3,4", (2, 2), [[["1,2"], ["3,4"]], [["1", "2"], ["3", "4"]]]),
        (
            "1,234.5\n2,345.6",
            (2, 2),
            [[["1,234.5"], ["2,345.6"]], [["1", "234.5"], ["2", "345.6"]]],
        ),
        ("0,5, 0,3", (1, 4), [[["0,5", "0,3"]], [["0", "5", "0", "3"]]]),
        ("[1;2]", (2, 2), [[["1", "2"]], [["1"], ["2"]]]),
        ("[1,2;3,4]", (3, 3), [[["1,2", "3,4"]], [["1", "2"], ["3", "4"]], [["1,2"], ["3,4"]]]),
        ("|1|2|\n|-|-|\n|3|4|", (2, 2), [[["1", "2"], ["3", "4"]], [["3", "4"]]]),
    ],
)
def test_what_fits_in_two_ways_stays_open(read, text: str, shape: tuple, readings: list) -> None:
    assert [each["rows"] for each in read(text, *shape)["readings"]] == readings


@pytest.mark.parametrize(
    ("text", "shape"),
    [("1,2;3,4", (1, 2)), ("[1,2;3,4]", (1, 2)), ("1,2\n3,4", (2, 1)), ("[1,2;3,4]", (2, 1))],
)
def test_of_two_ways_the_one_that_fits_is_meant(read, text: str, shape: tuple) -> None:
    (cells,) = {tuple(each for row in read(text, *shape)["rows"] for each in row)}
    assert cells == ("1,2", "3,4")


def test_a_heading_row_of_words_is_named(read) -> None:
    text = "| a | b |\n|---|---|\n| 0.1 | 0.2 |\n| 0.3 | 0.4 |"
    assert read(text) == {"rows": SQUARE, "left": "a, b"}


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("\t0.5\r\n", [["", "0.5"]]),
        ("0.5\t\n0.3\t\n", [["0.5", ""], ["0.3", ""]]),
        ("1\t2\n\t\n3\t4\n", [["1", "2"], ["", ""], ["3", "4"]]),
    ],
)
def test_an_empty_cell_of_a_spreadsheet_keeps_its_place(read, text: str, rows: list) -> None:
    assert read(text, 3, 2) == {"rows": rows}


def test_a_list_of_numpys_own_numbers_is_a_row(read) -> None:
    assert read("[np.float64(0.5), np.float64(-0.3)]") == {"rows": [["0.5", "-0.3"]]}


@pytest.mark.parametrize(
    "text", ["0,5\t0,3", "0,5;0,3", "0,5 0,3", "0,5, 0,3", "0,5 ; 0,3", "[0,5; 0,3]", '"0,5","0,3"']
)
def test_a_decimal_comma_stays_one(read, text: str) -> None:
    assert read(text, 1, 2) == {"rows": [["0,5", "0,3"]]}


@pytest.mark.parametrize(
    "text",
    ["0.5", "0,5", " 1/2\n", "−3", "1e-3", "1,234.5", "a word", "", "[]", "0.5\u200b"]
    + ["(1-0.2)^2", "exp(0.5) + 1", "1 + 2", "(0.1)"],
)
def test_a_single_number_a_calculation_and_words_are_pasted_as_usual(read, text: str) -> None:
    assert read(text) is None


@pytest.mark.parametrize(
    ("text", "error", "word"),
    [
        ("1 2\n3", "paste-ragged", None),
        ("cat\t0.5", "paste-no-number", "cat"),
        ("a\tb", "paste-no-number", "a"),
        ("one\ntwo", "paste-no-number", "one"),
        ("\t\n\t", "paste-empty", None),
        ("0.1,0.2;0.3,x", "paste-no-number", "x"),
        ("[[1, 2] und [3, 4]]", "paste-no-number", "und"),
        ("[[1, 2], [3, 4]", "paste-no-table", None),
        ("[[1, 2), [3, 4]]", "paste-no-table", None),
        ("[[[1, 2]]]", "paste-no-table", None),
        ("exp([[1,2],[3,4]])", "paste-no-number", "exp([[1,2],[3,4]])"),
        ("array([[1, 2], [3, 4]]) * 2", "paste-no-table", None),
        ("12'345\t1'5\n1\t2", "paste-no-number", "12'345"),
        ('"1 234" "5"', "paste-no-number", "1 234"),
        ("     [,1] [,2]\n[1,]  0.1  0.2", "paste-no-table", None),
        ("2×2 Matrix{Float64}:\n 0.1  0.2\n 0.3  0.4", "paste-no-number", "2×2"),
        ("\\begin{cases} 1 & 2 \\end{cases}", "paste-no-number", "\\begin{cases} 1"),
        ("|x|1|\n|2|3|", "paste-no-number", "x"),
        ("1\t" * 20_000, "paste-too-large", None),
    ],
)
def test_what_is_no_table_of_numbers_is_refused(read, text: str, error: str, word: str) -> None:
    assert read(text) == {"error": error} | ({"word": word} if word else {})


NUMBERS = st.one_of(
    st.decimals(-99, 99, places=2).map(str),
    st.integers(-99, 99).map(str),
    st.sampled_from(["1/2", "-.5", "2e-3", "5."]),
)
TABLES = st.tuples(st.integers(1, 4), st.integers(1, 4)).flatmap(
    lambda shape: st.lists(
        st.lists(NUMBERS, min_size=shape[1], max_size=shape[1]),
        min_size=shape[0],
        max_size=shape[0],
    )
)


def printed(rows: list[list[str]]) -> dict[str, str]:
    """Return a table as programs print it, by the programs' names."""

    def by(cells: str, lines: str) -> str:
        return lines.join(cells.join(row) for row in rows)

    return {
        "tabs": by("\t", "\r\n"),
        "list": f"[[{by(', ', '], [')}]]",
        "numpy": f"[[{by(' ', ']' + chr(10) + ' [')}]]",
        "tensor": f"tensor([[{by(', ', '], [')}]], dtype=torch.float64)",
        "matlab": f"[{by(' ', '; ')}]",
        "matlab commas": f"[{by(',', ';')}]",
        "c": f"{{{{{by(', ', '}, {')}}}}};",
        "latex": f"\\begin{{pmatrix}}{by(' & ', ' ' + chr(92) * 2 + chr(10))}\\end{{pmatrix}}",
        "markdown": f"| {by(' | ', ' |' + chr(10) + '| ')} |",
        "csv": by(",", "\n"),
        "semicolons": by(";", "\n"),
        "spaces": by("  ", "\n"),
    }


@GENERATED
@given(rows=TABLES)
def test_whatever_prints_a_table_its_cells_are_found_again(script_page: Page, rows: list) -> None:
    texts = printed(rows)
    if len(rows) * len(rows[0]) == 1:
        return
    found = script_page.evaluate(READ, [list(texts.values()), len(rows), len(rows[0]), 0, 0])
    for name, reading in zip(texts, found, strict=True):
        if name == "csv" and re.fullmatch(r"-?\d+(/\d+)?,\d+(/\d+|e-\d)?", texts[name]):
            assert reading is None  # a single number with a decimal comma
            continue
        readings = [each["rows"] for each in reading.get("readings", [reading])]
        assert rows in readings, (name, texts[name], reading)
        open_where_commas_may_be_decimal = name == "csv" and len(rows[0]) == 2
        assert len(readings) == 1 or open_where_commas_may_be_decimal, (name, texts[name], reading)


PIECES = [
    "1",
    "0.5",
    "-2",
    "3,4",
    "x",
    "é",
    "1,234.5",
    " ",
    "\n",
    "\t",
    ",",
    ";",
    "[",
    "]",
    "(",
    ")",
]
PIECES += [
    "{",
    "}",
    "|",
    "&",
    "\\\\",
    "---",
    '"',
    "'",
    "np.float64(",
    "array(",
    "\u200b",
    "½",
    "⁻³",
]
TEXTS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=14).map("".join)


def figures(text: str) -> list[str]:
    """Return everything in a text that is neither space nor layout."""
    text = re.sub(r"np\.float64|array", "", signs.remove_invisible(text))
    return sorted(re.sub(r"[\s,;\[\](){}|&\\\"'.]|---", "", text))


@pytest.mark.slow
@GENERATED
@given(texts=st.lists(TEXTS, min_size=20, max_size=20), shape=st.sampled_from([(2, 2), (1, 4)]))
@example(texts=["[1] 2", "1\t[2]"], shape=(2, 2))
def test_a_reading_leaves_nothing_out(script_page: Page, texts: list[str], shape: tuple) -> None:
    for text, found in zip(texts, script_page.evaluate(READ, [texts, *shape, 0, 0]), strict=True):
        if found is None:
            assert "\t" not in text
            assert "\n" not in text.strip()
            continue
        for reading in found.get("readings", [found]):
            if "rows" in reading:
                cells = [cell for row in reading["rows"] for cell in row]
                shown = "".join(cells) + reading.get("left", "")
                assert figures(shown) == figures(text), (text, reading)
                assert len({len(row) for row in reading["rows"]}) == 1


TOLD_BY_THE_CELL = ("This has two separators", "This divides by zero")


def why_not(cell: str) -> str:
    try:
        parse_number(cell)
    except UnreadableNumber as message:
        return str(message).partition(".")[0]
    return ""


@GENERATED
@given(texts=st.lists(TEXTS, min_size=20, max_size=20))
def test_the_core_reads_every_cell_that_is_filled(script_page: Page, texts: list[str]) -> None:
    for found in script_page.evaluate(READ, [texts, 4, 4, 0, 0]):
        for reading in (found or {}).get("readings", [found or {}]):
            for cell in (cell for row in reading.get("rows", []) for cell in row if cell):
                assert why_not(cell) in ("", *TOLD_BY_THE_CELL), cell


def test_page_and_core_use_one_table_of_signs(script_page: Page) -> None:
    plain = """async (texts) => {
        const { inPlainSigns } = await import("/items/signs.js");
        return texts.map(inPlainSigns);
    }"""
    # A million signs are too much to send: the page returns only those that it changes.
    changed = """async () => {
        const { inPlainSigns } = await import("/items/signs.js");
        const found = [];
        for (let code = 0; code < 0x110000; code++) {
            if (code >= 0xd800 && code < 0xe000) continue;
            const sign = String.fromCodePoint(code);
            const plain = inPlainSigns(sign);
            if (plain !== sign) found.push([sign, plain]);
        }
        return found;
    }"""
    every = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    by_core = ((sign, signs.normalize_signs(sign)) for sign in every)
    assert script_page.evaluate(changed) == [[sign, to] for sign, to in by_core if to != sign]
    some = [
        "1",
        "9",
        ".",
        ",",
        " ",
        "\u202f",
        "½",
        "⅞",
        "²",
        "⁻³",
        "⁺¹",
        "e",
        "π",
        ")",
        "_",
        "–",
        "⁄",
    ]
    texts = ["".join(three) for three in product([*some, ""], repeat=3)]
    assert script_page.evaluate(plain, texts) == [signs.normalize_signs(text) for text in texts]
    unseen = [sign for sign in every if unicodedata.category(sign) == "Cf"]
    assert all(signs.normalize_signs(sign) == "" for sign in unseen)


UNITS = ["[", "]", "[1", "(", "{", "'", "'\"", ",", ";", "1,", "1;", "1 ", "1\n", "\t", "-", "–"]
UNITS += [
    "|",
    "|1",
    "1&",
    "\\\\",
    "\\begin{pmatrix}",
    "9",
    "½",
    "²",
    "1½ ",
    "np.float64(",
    "array(",
]
UNITS += ["a.", "{,}", "\u200b", " ", "\n", "1 , ", "a=1,", "$", "\\hline"]
WRAPS = [("", ""), ("[", "]"), ("array([1]", "")]
SIZES = (4_900, 19_600)  # longer texts are refused


@pytest.mark.slow
def test_reading_takes_time_in_proportion_to_the_text(script_page: Page) -> None:
    measured = """async (texts) => {
        const { readPasted } = await import("/items/pasted.js");
        const grid = { rows: 4, columns: 4, freeRows: 4, freeColumns: 4 };
        const took = (text) => {
            const began = performance.now();
            for (let i = 0; i < 3; i++) readPasted(text, grid);
            return performance.now() - began;
        };
        return texts.map((text) => Math.min(...Array.from({ length: 3 }, () => took(text))));
    }"""
    left = [(unit, *wrap) for unit in UNITS for wrap in WRAPS]
    # A page's clock has no processor time, but superlinear growth shows up in every round.
    for _attempt in range(8):
        texts = [
            f"{start}{unit * (size // len(unit))}{end}"
            for unit, start, end in left
            for size in SIZES
        ]
        taken = script_page.evaluate(measured, texts)
        grew = [
            four_times > 2.5**2 * once + 10
            for once, four_times in zip(taken[::2], taken[1::2], strict=True)
        ]
        left = [each for each, is_much in zip(left, grew, strict=True) if is_much]
        if not left:
            return
    assert left == []
