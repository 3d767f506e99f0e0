"""Maps of attention: real weights of a real model, and weights given by hand."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from lessons.real_model import encoder, maps
from lessons.rendering import render_markdown
from tests.world import missing_in

FIGURES = Path(__file__).parents[2] / "attention_core" / "figures.json"
ANIMAL = json.loads(FIGURES.read_text())["animal_it"]


def attention_map(text: str) -> str:
    return render_markdown(f"```attention_map\n{text}\n```")


def looks_text(html: str) -> str:
    return re.sub(r"<[^>]+>", "", re.search(r'<p class="map-says"[^>]*>(.*?)</p>', html)[1])


@pytest.mark.parametrize(
    ("name", "weights"),
    [("animal_it", ANIMAL["weights"]), ("animal_it_wide", ANIMAL["with_wide_instead_of_tired"])],
)
def test_the_figures_are_in_the_maps_that_ship(name, weights):
    stored = maps.attention_map(name)
    head = next(head for head in stored.heads if (head.layer, head.head) == (3, 1))
    row = head.weights[stored.tokens.index("it")]
    for token, weight in weights.items():
        assert round(row[stored.tokens.index(token)], 3) == weight


@pytest.mark.parametrize("name", maps.names())
def test_a_map_is_whole_and_says_where_it_comes_from(name):
    stored = maps.attention_map(name)
    assert (stored.model, stored.licence) == ("all-MiniLM-L6-v2", "Apache-2.0")
    for head in stored.heads:
        assert np.array(head.weights).shape == (len(stored.tokens), len(stored.tokens))
        assert np.allclose(np.sum(head.weights, axis=1), 1, atol=1e-3)


@pytest.mark.parametrize("name", maps.names())
def test_the_model_gives_these_weights_when_it_is_asked_again(name):
    stored = maps.attention_map(name)
    reading = encoder.read(stored.sentence)
    assert list(reading.tokens) == stored.tokens
    for head in stored.heads:
        measured = reading.weights[head.layer][head.head]
        assert np.abs(measured - head.weights).max() < 1e-4


def test_a_chosen_word_shows_where_it_looks():
    html = attention_map("source: animal_it\nchoose: it")
    assert (
        looks_text(html) == "“it” looks most at: animal 0.653, [CLS] 0.122, it 0.061, street 0.056."
    )
    assert missing_in(html, "all-MiniLM-L6-v2", "don’t prove") == []


def test_heads_can_be_picked():
    html = attention_map("source: animal_it\nheads: [[0, 2], [3, 1]]")
    assert re.findall(r"<option[^>]*>(.*?)<", html) == ["Layer 0, head 2", "Layer 3, head 1"]
    assert re.search(r"<caption>(.*?)</caption>", html)[1] == "Layer 0, head 2"


def test_the_script_is_given_the_whole_of_every_head():
    stored = maps.attention_map("animal_it")
    given = re.findall(r'data-weights="(.*?)"', attention_map("source: animal_it"))
    assert [json.loads(each) for each in given] == [head.weights for head in stored.heads]


def test_the_chosen_word_is_shown_in_every_head_without_a_script():
    stored = maps.attention_map("animal_it")
    place = stored.tokens.index("it")
    table = attention_map("source: animal_it\nchoose: it").split("<table")[2]
    assert "Where “it” looks, head by head" in table
    weights_shown = [float(value) for value in re.findall(r'data-value="([^"]+)"', table)]
    assert weights_shown == [weight for head in stored.heads for weight in head.weights[place]]


def test_a_page_holds_one_table_of_all_words_however_many_heads_there_are():
    html = attention_map("source: animal_it")
    tokens, heads = 14, 6
    assert html.count("<td class=") == tokens * tokens + heads * tokens


def test_maps_of_one_head_have_names_of_their_own():
    scrolled = [
        re.findall(r'"matrix-scroll"[^>]* aria-label="(.*?)"', attention_map(f"source: {name}"))
        for name in ("animal_it", "animal_it_wide")
    ]
    assert scrolled[0]
    assert not set(scrolled[0]) & set(scrolled[1])


def test_weights_can_be_given_by_hand():
    html = attention_map(
        "tokens: [cat, sat]\nweights: [[0.25, 0.75], [1, 0]]\nchoose: cat\ncaption: By hand.\n"
        "decimals: 2"
    )
    assert looks_text(html) == "“cat” looks most at: sat 0.75, cat 0.25."
    assert re.findall(r'data-value="([^"]+)"', html) == ["0.25", "0.75", "1", "0"]
    assert "By hand." in html
    assert "MiniLM" not in html
