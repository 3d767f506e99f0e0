"""Widgets show what the core computes, as tables and formulas, without a script."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from attention_core import attention, attention_weights, softmax
from lessons.errors import ContentError
from lessons.rendering import render_markdown
from tests.world import missing_in

FIGURES = Path(__file__).parents[2] / "attention_core" / "figures.json"
THINKING = json.loads(FIGURES.read_text())["thinking_machines"]
HEAT = "caption: Scores\nvalues: [[1, 2], [3, -4]]\n"


def heat_matrix(text: str) -> str:
    return render_markdown(f"```heat_matrix\n{text}```")


def attention_steps(**changes) -> str:
    given = {name: THINKING[name] for name in ("tokens", "q", "k", "v")} | changes
    lines = "\n".join(f"{name}: {json.dumps(value)}" for name, value in given.items())
    return render_markdown(f"```attention_steps\n{lines}\n```")


def table(html: str, caption: str) -> np.ndarray:
    """Return the numbers of the table with this caption, −∞ for cells without a number."""
    found = re.search(rf"<caption>{caption}</caption>(.*?)</table>", html, re.DOTALL)
    assert found, f"no table {caption}"
    rows = re.findall(r"<tr>(.*?)</tr>", found[1], re.DOTALL)
    cells = [re.findall(r'<td class="cell[^"]*"([^>]*)>', row) for row in rows]
    return np.array([[number(cell) for cell in row] for row in cells if row])


def number(attributes: str) -> float:
    found = re.search(r'data-value="([^"]+)"', attributes)
    return float(found[1]) if found else -np.inf


def test_a_heat_matrix_shows_its_numbers_and_labels():
    html = heat_matrix(HEAT + "rows: [cat, dog]\ncolumns: [a, b]\n")
    assert table(html, "Scores").tolist() == [[1, 2], [3, -4]]
    assert '<th scope="row">dog</th>' in html
    assert re.search(r'<th scope="col">(<span>)?b<', html)
    assert "−4" in html


def test_a_heat_matrix_can_be_the_softmax_of_its_rows():
    html = heat_matrix(HEAT + "apply: softmax\n")
    assert table(html, "Scores") == pytest.approx(softmax([[1, 2], [3, -4]]))


def test_heat_can_be_left_out_or_given_a_range():
    assert "heat-" not in heat_matrix(HEAT + "heat: false\n")
    assert "heat-5" in heat_matrix(HEAT + "heat: [-4, 6]\n")


@pytest.mark.parametrize(("width", "heat", "asked"), [(8, True, 0), (9, True, 1), (9, False, 0)])
def test_the_numbers_of_many_coloured_cells_come_on_demand(width, heat, asked):
    given = {"caption": "Many", "values": [[0.5] * width], "heat": heat}
    html = render_markdown(f"```heat_matrix\n{json.dumps(given)}\n```")
    assert html.count("Show all numbers") == asked
    assert table(html, "Many").tolist() == [[0.5] * width]


@pytest.mark.parametrize(("label", "turned"), [("7", 0), ("cat", 0), ("mouse", 1)])
def test_only_long_labels_of_many_columns_are_turned(label, turned):
    given = {"caption": "Many", "values": [[0] * 9], "columns": [label] * 9}
    html = render_markdown(f"```heat_matrix\n{json.dumps(given)}\n```")
    assert html.count("matrix-turned") == turned


def test_the_steps_are_those_of_the_core():
    html = attention_steps()
    q, k, v = (np.array(THINKING[name]) for name in "qkv")
    assert table(html, "Scores S") == pytest.approx(q @ k.T)
    assert table(html, "Scaled scores").round(4).tolist() == THINKING["scaled_scores"]
    assert table(html, "Attention weights A").round(4).tolist() == THINKING["attention"]
    assert table(html, "Output Z").round(4).tolist() == THINKING["output"]
    assert table(html, "Values V").tolist() == v.tolist()


def test_scaling_can_be_left_out():
    html = attention_steps(scale=False)
    q, k, v = (THINKING[name] for name in "qkv")
    assert re.search(r'data-step="scale" data-when="scaled" hidden', html)
    assert table(html, "Output Z") == pytest.approx(attention(q, k, v, scale=1.0))


def test_one_matrix_can_stand_for_queries_keys_and_values():
    html = attention_steps(q=None, k=None, v=None, x=THINKING["k"])
    k = THINKING["k"]
    assert "X: queries, keys and values alike" in html
    assert table(html, "Output Z") == pytest.approx(attention(k, k, k))


@pytest.mark.parametrize(("scale", "shown"), [(True, "softmax(S/(τdk))"), (False, "softmax(S/τ)")])
def test_a_temperature_flattens_the_weights(scale, shown):
    html = attention_steps(temperature=2, scale=scale)
    q, k, v = (np.array(THINKING[name]) for name in "qkv")
    scores = q @ k.T / (3**0.5 if scale else 1)
    weights = softmax(scores, temperature=2)
    assert table(html, "Attention weights A") == pytest.approx(weights)
    assert table(html, "Output Z") == pytest.approx(weights @ v)
    assert shown in re.sub(r"<[^>]+>", "", html)


def test_the_future_can_be_masked():
    html = attention_steps(causal=True)
    assert table(html, "Masked scores")[0, 1] == -np.inf
    weights = attention_weights(THINKING["q"], THINKING["k"], causal=True)
    assert table(html, "Attention weights A") == pytest.approx(weights)


def test_one_cell_is_written_out_in_real_numbers():
    html = attention_steps(show=[1, 2])
    text = re.sub(r"<[^>]+>", "", html)
    assert missing_in(text, "0.9⋅0.2+0.2⋅0.9+0.5⋅0.3=0.510", "0.572⋅0.5+0.428⋅0.7≈0.586") == []


def test_a_hidden_token_takes_no_part_in_what_is_written_out():
    html = attention_steps(causal=True, show=[1, 1])
    assert "1.000⋅0.5=0.500" in re.sub(r"<[^>]+>", "", html)


def test_negative_numbers_stand_in_brackets():
    html = attention_steps(tokens=["a"], q=[[-1, 2]], k=[[0.5, -0.25]], v=[[1]])
    assert "(-1)⋅0.5+2⋅(-0.25)" in re.sub(r"<[^>]+>", "", html).replace("−", "-")


@pytest.mark.parametrize(
    "text",
    [
        *("", "just words", "- a\n- list", "1: 2\n", "caption: x\nvalues: []\n"),
        *("caption: ''\nvalues: [[1]]\n", HEAT + "heat: [2, 1]\n", HEAT + "rows: [a]\n"),
        *('caption: "\\ud800"\nvalues: [[1]]\n', 'caption: "\\0"\nvalues: [[1]]\n'),
        *(HEAT + "apply: relu\n", HEAT + "decimals: true\n", HEAT + "columns: [[a], [b]]\n"),
    ],
)
def test_whatever_is_typed_the_author_gets_a_sentence(text):
    with pytest.raises(ContentError):
        heat_matrix(text)
