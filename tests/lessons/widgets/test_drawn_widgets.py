"""Drawn widgets: their pictures and numbers are those of the core, without a script."""

import json
import re
from html import unescape

import numpy as np
import pytest

from attention_core import sinusoidal_positions
from design.matrix import format_number, heat_level
from lessons import widgets
from lessons.real_model.maps import attention_map
from lessons.rendering import render_markdown
from tests.lessons.widgets.test_widgets import FIGURES, table
from tests.world import visible_text


def drawing(name: str, **given) -> str:
    return render_markdown(f"```{name}\n{json.dumps(given)}\n```")


# Positions


def test_every_cell_of_the_positions_has_the_shade_of_its_number():
    html = drawing("positions", positions=12, dimensions=6)
    found = {}
    for tone, path in re.findall(r'<path class="tone-(\d)" d="([^"]*)"', html):
        for x, y in re.findall(r"M(\d+) (\d+)h1v1h-1z", path):
            found[int(y), int(x)] = int(tone)
    core = sinusoidal_positions(range(12), 6)
    assert found == {place: heat_level(value, -1, 1) for place, value in np.ndenumerate(core)}


def test_one_position_is_there_in_numbers():
    html = drawing("positions", positions=12, dimensions=6, choose=5, compare=1)
    core = sinusoidal_positions(range(12), 6)
    assert table(html, "Position 5").ravel() == pytest.approx(core[5])
    expected = f"4 apart: the dot product of positions 5 and 1 is {core[5] @ core[1]:.3f}."
    assert expected in visible_text(html)
    assert "With itself, any position gives 3.000." in visible_text(html)


def test_each_bar_is_as_high_as_its_dot_product():
    html = drawing("positions", positions=12, dimensions=6, choose=5, compare=1)
    bars = re.findall(r'class="positions-bar[^"]*"[^>]* height="([\d.]+)"', html)
    core = sinusoidal_positions(range(12), 6)
    assert [float(bar) for bar in bars] == pytest.approx(np.abs(core @ core[5]), abs=5e-4)


# A recurrent network beside attention

SENTENCE = ["The", "cat", "on", "the", "mat"]


def readers(**changes) -> str:
    return drawing("recurrent_beside_attention", **{"tokens": SENTENCE, "path": [2, 5]} | changes)


@pytest.mark.parametrize(
    ("path", "recurrent", "attention"),
    [
        ([2, 5], "3 steps, one after another", "1 step"),
        ([1, 5], "4 steps, one after another", "1 step"),
        ([3, 4], "1 step", "1 step"),
        ([5, 2], "No path: it reads forwards only.", "1 step"),
        ([3, 3], "Nowhere to go: these are the same word.", ""),
    ],
)
def test_the_steps_between_two_words_are_counted(path, recurrent, attention):
    captions = re.findall(r'class="readers-says"[^>]*>([^<]*)<', readers(path=path))
    assert captions == [recurrent, attention or recurrent]


def test_the_steps_of_a_path_are_numbered_along_its_arrows():
    numbered = re.findall(r'<g class="readers-hop( is-lit)?".*?<text[^>]*>(\d*)</text>', readers())
    assert numbered == [("", ""), (" is-lit", "1"), (" is-lit", "2"), (" is-lit", "3")]


def test_attention_draws_every_word_to_every_word():
    (path,) = re.findall(r'class="readers-looks" d="([^"]*)"', readers())
    assert len(set(re.findall(r"M.1 (\d).5L3.7 (\d).5", path))) == 25
    assert "5 steps, each waiting for the one before" in readers()
    assert "1 step, with 25 scores side by side" in readers()


# Heads side by side


def test_each_head_shows_where_the_chosen_word_looks():
    html = drawing("heads", source="animal_it", heads=[[3, 1], [0, 2]], choose="it")
    measured = attention_map("animal_it")
    place = measured.tokens.index("it")
    panels = html.split('<div class="heads-panel"')[1:]
    assert len(panels) == 2
    for panel, (layer, head) in zip(panels, [(3, 1), (0, 2)], strict=True):
        (weights,) = [h.weights for h in measured.heads if (h.layer, h.head) == (layer, head)]
        row = weights[place]
        assert f"<caption>Layer {layer}, head {head}</caption>" in panel
        cells = re.findall(r'<td class="heat-(\d)">([^<]+)</td>', panel)
        assert cells == [(f"{heat_level(w)}", format_number(w, 3)) for w in row]
        thick = [float(each) for each in re.findall(r'stroke-width="([\d.]+)"', panel)]
        assert np.argsort(thick)[-1] == np.argmax(row)
        assert json.loads(unescape(re.search(r'data-weights="([^"]*)"', panel)[1])) == weights
    assert (
        "“it” looks most at: animal (Layer 3, head 1), because (Layer 0, head 2)."
        in visible_text(html)
    )


# The formula in matrices

THINKING = json.loads(FIGURES.read_text())["thinking_machines"]
THREE = {name: THINKING[name] for name in ("tokens", "q", "k", "v")}


def test_every_part_of_the_formula_becomes_its_matrices():
    parts = drawing("formula", **THREE).split('data-part="')[1:]
    assert [part.partition('"')[0] for part in parts] == [
        *("q", "k", "product", "scale", "softmax", "v")
    ]
    q, k, product, scale, softmax, v = parts
    assert table(q, "Queries Q").tolist() == THREE["q"]
    assert table(k, "Keys Kᵀ").T.tolist() == THREE["k"]
    scores = np.array(THREE["q"]) @ np.array(THREE["k"]).T
    assert table(product, "Scores QKᵀ") == pytest.approx(scores)
    assert table(scale, "Scaled scores").round(4).tolist() == THINKING["scaled_scores"]
    assert "3≈1.732" in re.sub(r"<[^>]+>", "", scale)
    four = drawing("formula", tokens=["a"], q=[[1] * 4], k=[[1] * 4], v=[[1]])
    assert "divided by 4=2." in visible_text(re.sub(r"</?(math|m\w+|annotation)[^>]*>", "", four))
    assert table(softmax, "Attention weights").round(4).tolist() == THINKING["attention"]
    assert table(v, "Output").round(4).tolist() == THINKING["output"]


@pytest.mark.parametrize("name", ["positions", "recurrent_beside_attention", "heads", "formula"])
def test_a_drawing_can_be_captioned_in_markdown(name):
    html = render_markdown(f"```{name}\n{widgets.widget(name).example}\ncaption: A *fine* one\n```")
    assert "A <em>fine</em> one" in html
