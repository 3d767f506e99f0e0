"""Downloads of a widget's numbers: a spreadsheet that goes on as the core would."""

import csv
import io
from pathlib import Path
from random import Random

import formulas
import numpy as np
import openpyxl
import pytest

from attention_core import attention, attention_scores, attention_weights, softmax
from lessons import widgets
from lessons.authoring.services import import_lesson
from lessons.pages import downloads
from lessons.real_model import maps
from lessons.widget_data import Block

LESSON = """\
---
slug: numbers
title: Numbers
published: {published}
---

## One {{#one}}

```comparison
columns: [a, b]
rows: [[x, y, z]]
```

```heat_matrix
caption: =1+1
values: [[1, -2], [0.5, 3]]
rows: ["+a", "@b"]
apply: softmax
```

::: unfold More
```attention_steps
tokens: [cat, sat]
x: [[1, 0], [0.5, 2]]
```
:::

"""
STEPS = {
    "tokens": ["a", "b", "c"],
    "q": [[1, 0.5], [-1, 2], [0.25, 3]],
    "k": [[0.5, 1], [1, -1], [2, 0.5]],
    "v": [[1, 2], [3, -4], [0, 0.5]],
}


@pytest.fixture
def sheeted(db):
    return import_lesson(text=LESSON.format(published="true"))


def of(name: str, **given) -> list[Block]:
    return widgets.widget(name).blocks("\n".join(f"{key}: {value}" for key, value in given.items()))


def whole_row(block: formulas.Ranges, row: int, column: int) -> np.ndarray:
    """Return INDEX(block, row, 0), the whole row; the library returns its first cell."""
    assert column == 0
    return block.value[[row - 1]]


class Sheet:
    """A spreadsheet in which cells are changed, and which is then calculated anew."""

    def __init__(self, blocks: list[Block]):
        self.blocks = {block.name: block for block in blocks}
        self.book = openpyxl.load_workbook(io.BytesIO(downloads.write_blocks(blocks, "xlsx")))
        self.cells = self.book.active
        self.top = {}
        row = 3
        for block in blocks:
            self.top[block.name] = row + 1 + bool(block.columns)
            row = self.top[block.name] + len(block.values) + 1

    def put(self, name: str, values) -> None:
        for i, numbers in enumerate(values):
            for j, number in enumerate(numbers):
                self.cells.cell(self.top[name] + i, 2 + j).value = number

    def calculated(self, folder: Path) -> dict[str, np.ndarray]:
        """Return every block's calculated values; openpyxl has dropped those in the file."""
        self.book.save(folder / "changed.xlsx")
        formulas.get_functions()["INDEX"] = whole_row
        model = formulas.ExcelModel().loads(str(folder / "changed.xlsx")).finish()
        model.calculate()
        [made] = model.write().values()
        cells = made[formulas.BOOK].active
        return {name: self.part(cells, name) for name in self.blocks}

    def part(self, cells, name: str) -> np.ndarray:
        height, width = np.shape(self.blocks[name].values)
        top = self.top[name]
        rows = cells.iter_rows(top, top + height - 1, 2, 1 + width, values_only=True)
        return np.array(list(rows), dtype=float)


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_attention_goes_on_being_that_of_the_core_when_cells_are_changed(tmp_path, seed):
    random = Random(seed)
    q, k, v = ([[round(random.uniform(-2, 2), 2) for _ in "ab"] for _ in "abc"] for _ in "qkv")
    scaled, causal, temperature = seed, 1 - seed, [0.5, 2][seed]
    sheet = Sheet(of("attention_steps", **STEPS))
    changes = {"q": q, "k": k, "v": v, "temperature": [[temperature]]}
    for name, values in (changes | {"scaled": [[scaled]], "causal": [[causal]]}).items():
        sheet.put(name, values)
    made = sheet.calculated(tmp_path)
    scale = 2**-0.5 if scaled else 1.0
    looking = {"scale": scale / temperature, "causal": bool(causal)}
    assert made["raw"] == pytest.approx(attention_scores(q, k, scale=1.0), abs=1e-9)
    assert made["scores"] == pytest.approx(attention_scores(q, k, scale=scale), abs=1e-9)
    assert made["weights"] == pytest.approx(attention_weights(q, k, **looking), abs=1e-9)
    assert made["output"] == pytest.approx(attention(q, k, v, **looking), abs=1e-9)


def test_two_contexts_and_a_heat_matrix_calculate_too(tmp_path):
    contexts = [
        {"tokens": ["cat", "mouse"], "x": [[2, 0, 0], [1, 1, 0]]},
        {"tokens": ["mouse", "key", "pad"], "x": [[1, 1, 0], [0, 2, 0], [0, 0, 1]]},
    ]
    sheet = Sheet(of("two_contexts", word="mouse", contexts=contexts))
    x = [[0, 3, 1], [1, 1, 0]]
    sheet.put("x_a", x)
    made = sheet.calculated(tmp_path)
    first, second = attention([x[1]], x, x), attention([[1, 1, 0]], *[contexts[1]["x"]] * 2)
    assert made["output_a"] == pytest.approx(first, abs=1e-9)
    assert made["output_b"] == pytest.approx(second, abs=1e-9)
    cosine = (first @ second.T) / np.linalg.norm(first) / np.linalg.norm(second)
    assert made["alike"] == pytest.approx(cosine, abs=1e-9)

    heat = Sheet(of("heat_matrix", caption="Scores", values=[[1, 2]], apply="softmax"))
    heat.put("values", [[3, -1]])
    assert heat.calculated(tmp_path)["weights"] == pytest.approx(softmax([[3, -1]]), abs=1e-9)


@pytest.mark.parametrize("causal", [True, False])
def test_results_stand_in_the_file_for_programs_that_only_show(causal):
    blocks = of("attention_steps", **STEPS, causal=causal, temperature=0.5)
    file = io.BytesIO(downloads.write_blocks(blocks, "xlsx"))
    book = openpyxl.load_workbook(file, data_only=True)
    looking = {"scale": 2**-0.5 / 0.5, "causal": causal}
    weights = attention_weights(STEPS["q"], STEPS["k"], **looking)
    numbers = [[cell.value for cell in row] for row in book.active.iter_rows()]
    top = [row[0] for row in numbers].index("Attention weights A") + 2
    assert np.array([row[1:4] for row in numbers[top : top + 3]]) == pytest.approx(weights)


def test_inputs_are_coloured_and_the_rest_are_formulas():
    sheet = Sheet(of("attention_steps", **STEPS))
    kinds = {name: sheet.cells.cell(sheet.top[name], 2).fill.fgColor.rgb for name in sheet.blocks}
    inputs = {name for name, colour in kinds.items() if colour == "FFEFEAFB"}
    assert inputs == {"q", "k", "v", "scaled", "causal", "temperature", "place"}
    assert sheet.cells.cell(sheet.top["raw"], 2).value.text.startswith("=MMULT($B$")


def test_the_csv_has_every_step_in_full():
    text = downloads.write_blocks(of("attention_steps", **STEPS), "csv").decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(text)))
    top = rows.index(["Output Z = AV"]) + 1
    output = attention(STEPS["q"], STEPS["k"], STEPS["v"])
    assert [row[0] for row in rows[top : top + 3]] == ["a", "b", "c"]
    read = np.array([row[1:] for row in rows[top : top + 3]], dtype=float)
    assert read == pytest.approx(output, abs=1e-15)
    assert ["b", "-1", "2"] in rows


def test_no_text_becomes_a_formula(client, sheeted):
    text = client.get("/lessons/numbers/one/numbers-1.csv").content.decode("utf-8-sig")
    assert text.startswith("'=1+1\r\n'+a,1,-2\r\n'@b,0.5,3\r\n")
    answer = client.get("/lessons/numbers/one/numbers-1.xlsx")
    cells = openpyxl.load_workbook(io.BytesIO(answer.content)).active
    assert (cells["A3"].value, cells["A3"].data_type) == ("'=1+1", "s")
    assert (cells["A4"].value, cells["C4"].value) == ("'+a", -2)


def test_the_page_links_to_each_widget_s_own_numbers(client, sheeted):
    page = client.get("/lessons/numbers/").text
    for number, name in ((1, "numbers-one-1"), (2, "numbers-one-2")):
        for file_format, content_type in downloads.FORMATS.items():
            url = f"/lessons/numbers/one/numbers-{number}.{file_format}"
            assert f'href="{url}"' in page
            answer = client.get(url)
            assert answer["Content-Type"] == content_type
            assert answer["Content-Disposition"] == f'attachment; filename="{name}.{file_format}"'
    assert "Output Z" in client.get("/lessons/numbers/one/numbers-2.csv").text
    assert page.count("data-downloads") == 0


@pytest.mark.parametrize(
    "rest", ["one/numbers-3.csv", "one/numbers-0.csv", "one/numbers-1.exe", "no/numbers-1.csv"]
)
def test_what_is_not_there_is_not_found(client, sheeted, rest):
    assert client.get(f"/lessons/numbers/{rest}").status_code == 404


def test_a_widget_that_cannot_be_shown_cannot_be_taken_along(client, sheeted):
    sheeted.sections.filter(slug="one").update(body="```attention_steps\ntokens: 3\n```")
    assert client.get("/lessons/numbers/one/numbers-1.csv").status_code == 404


def test_a_draft_s_numbers_are_its_authors(client, author, db):
    import_lesson(text=LESSON.format(published="false"))
    assert client.get("/lessons/numbers/one/numbers-1.csv").status_code == 404
    client.force_login(author)
    assert client.get("/lessons/numbers/one/numbers-1.csv").status_code == 200


def test_measured_weights_can_be_taken_along_head_by_head():
    stored = maps.attention_map("animal_it")
    made = of("attention_map", source="animal_it", heads=[[0, 2], [3, 1]])
    assert [block.title for block in made] == ["Layer 0, head 2", "Layer 3, head 1"]
    weights = {(head.layer, head.head): head.weights for head in stored.heads}
    assert [block.values for block in made] == [weights[0, 2], weights[3, 1]]
    assert list(made[0].rows) == list(made[0].columns) == stored.tokens
