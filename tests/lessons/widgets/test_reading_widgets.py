"""Widgets that show how a text is read: each shows everything without a script."""

import json
import re

import numpy as np
import pytest

from attention_core import attention, attention_weights, sinusoidal_positions, softmax
from attention_core.maths.vectors import cosine_similarity
from lessons.errors import ContentError
from lessons.rendering import render_markdown
from lessons.widgets.model_map import PARTS, TAUGHT_IN
from tests.lessons.shipped import shipped
from tests.lessons.widgets.test_widgets import FIGURES, THINKING, table
from tests.world import found_in, missing_in, visible_text

HELLO = {
    "text": "Hello world",
    "ids": [7592, 2088],
    "embeddings": [[0.2, -0.5, 0.8], [0.9, 0.3, -0.2]],
    "positions": [[0.1, 0.1, 0.1], [-0.1, 0.1, 0.1]],
}
FIGURE = json.loads(FIGURES.read_text())["mouse_two_contexts"]
MOUSE = {
    "word": "mouse",
    "contexts": [
        {"tokens": tokens, "x": [FIGURE["embeddings"][token] for token in tokens]}
        for tokens in FIGURE["sentences"]
    ],
}
SLIDER = {"scores": [2, 1, 0.1], "labels": ["cat", "dog", "car"]}
READERS = {
    "columns": ["RNN", "Transformer"],
    "rows": [["Reads", "word by word", "all *at once*"], ["Path", "$O(n)$", "**one** step"]],
}
ENCODER = {"norm": "post"}
WIDGETS = {
    "text_to_vectors": HELLO,
    "two_contexts": MOUSE,
    "softmax_slider": SLIDER,
    "comparison": READERS,
    "encoder_diagram": ENCODER,
    "model_map": {"here": ["scores", "weights"]},
}


def shown(name: str, **changes) -> str:
    given = {key: value for key, value in (WIDGETS[name] | changes).items() if value is not None}
    return render_markdown(f"```{name}\n{json.dumps(given)}\n```")


def context(number: int, **changes) -> list[dict]:
    return [
        context | (changes if i == number else {}) for i, context in enumerate(MOUSE["contexts"])
    ]


@pytest.mark.parametrize("name", WIDGETS)
def test_a_caption_is_markdown(name):
    assert "A <em>fine</em> one" in shown(name, caption="A *fine* one")


# The map of the model


def test_each_level_says_once_in_sight_where_the_reader_is_and_to_readers_of_the_page_everywhere():
    html = shown("model_map", here=["embeddings", "scores", "weights"])
    assert html.count("you are here") == html.count("is-here") == 3
    assert html.count("map-here") == 2
    assert html.index("embeddings") < html.index("map-here") < html.index("block × N")


def test_the_map_begins_at_the_level_that_has_most_of_what_the_lesson_is_about():
    html = shown("model_map", here=["embeddings", "attention", "feed_forward"])
    assert re.findall(r'aria-label="([^"]*)" checked', html) == ["A block"]


def test_each_part_of_the_map_leads_to_a_section_of_the_lessons_that_ship():
    for place in TAUGHT_IN.values():
        slug, section = place.split("#")
        assert section in shipped(slug).bodies, place
    assert set(TAUGHT_IN) == set(PARTS)
    links = re.findall(r'<a\s+href="/lessons/([^/]+)/(#[^"]+)"', shown("model_map"))
    assert {"".join(link) for link in links} == set(TAUGHT_IN.values())


def test_each_level_of_the_map_lies_in_a_part_of_the_one_above():
    html = shown("model_map")
    opened = re.findall(r'(?s)<li class="[^"]*opens"><a\s+href="[^"]*"[^>]*>(.*?)</a>', html)
    assert [visible_text(title).strip() for title in opened[:3]] == [
        "Transformer",
        "block × N",
        "attention",
    ]
    assert "<mi>Q</mi>" in opened[3]
    assert "score" in opened[4]
    assert re.findall(r'class="map-open" for="[^"]*-(\d)"', html) == ["2", "3", "4", "5", "6"]


def test_the_map_ends_in_a_number_of_the_core():
    query, keys = THINKING["q"][:1], THINKING["k"]
    weight = attention_weights(query, keys)[0, 0]
    assert f"weight {weight:.3f}" in visible_text(shown("model_map"))


# Text to vectors


def test_a_text_becomes_tokens_ids_and_vectors_with_their_positions():
    html = shown("text_to_vectors")
    assert "<li>Hello</li><li>world</li>" in html
    assert table(html, "Token IDs").tolist() == [[7592], [2088]]
    assert table(html, "Positions P").tolist() == HELLO["positions"]
    added = table(html, "Into the first layer: X = E [+] P")
    assert added == pytest.approx(np.array([[0.3, -0.4, 0.9], [0.8, 0.4, -0.1]]))


def test_tokens_may_be_parts_of_words():
    html = shown("text_to_vectors", text="Helloworld", tokens=["Hello", "world"])
    assert "<li>Hello</li><li>world</li>" in html


def test_positions_can_be_those_of_the_paper():
    html = shown("text_to_vectors", embeddings=[[0, 0], [1, 1]], positions="sinusoidal")
    assert table(html, "Positions P") == pytest.approx(sinusoidal_positions([0, 1], 2))


def test_words_that_yaml_takes_for_flags_are_words():
    html = render_markdown(
        "```text_to_vectors\ntext: sat on\ntokens: [no, on]\nids: [1, 2]\n"
        "embeddings: [[1], [2]]\npositions: [[0], [0]]\n```"
    )
    assert "<li>no</li><li>on</li>" in html


# Two contexts


def test_a_word_looks_and_changes_as_the_core_computes():
    html = shown("two_contexts")
    first, second = html.split('<div class="context"')[1:]
    outputs = []
    for part, given in zip((first, second), MOUSE["contexts"], strict=True):
        looks = table(part, "Where “mouse” looks")
        x = np.array(given["x"])
        assert looks[:, 1] == pytest.approx(attention_weights(x, x)[2])
        assert looks[:, 1].round(3).tolist() == FIGURE["mouse_row"]
        outputs.append(table(part, "“mouse” after attention")[0])
        assert outputs[-1] == pytest.approx(attention(x, x, x)[2])
    assert np.round(outputs, 3).tolist() == FIGURE["mouse_output"]
    assert table(html, "“mouse” before attention, in both sentences").tolist() == [[1, 1, 0]]
    assert f"1.000 before attention, {cosine_similarity(*outputs):.3f} after it" in visible_text(
        html
    )


def test_what_can_be_scrolled_in_two_contexts_is_named_for_its_sentence():
    scrolled = re.findall(r'"matrix-scroll"[^>]* aria-label="(.*?)"', shown("two_contexts"))
    assert len(set(scrolled)) == len(scrolled) >= 2


def test_two_contexts_can_do_without_scaling():
    first = shown("two_contexts", scale=False).split('<div class="context"')[1]
    assert table(first, "Where “mouse” looks")[:, 0].tolist() == [2, 0, 2, 0, 0.5]


# Softmax slider


@pytest.mark.parametrize(
    ("control", "temperatures"),
    [
        ("temperature", lambda value: value),
        ("d_k", lambda value: value**0.5),
        ("factor", lambda value: 1 / value),
    ],
)
def test_every_position_of_a_slider_has_its_row_of_weights(control, temperatures):
    values = [0.5, 1, 4, 100]
    html = shown("softmax_slider", control=control, values=values)
    expected = [softmax(SLIDER["scores"], temperature=temperatures(value)) for value in values]
    assert table(html, "Weights, one row for each [a-z ]+") == pytest.approx(np.array(expected))
    assert '<th scope="row">0.5</th>' in html
    assert table(html, "Scores s").tolist() == [SLIDER["scores"]]


def test_a_slider_has_positions_and_labels_of_its_own():
    html = shown("softmax_slider", labels=None, control="factor")
    weights = table(html, "Weights, one row for each factor")
    assert weights[0] == pytest.approx([1 / 3] * 3)
    assert weights[-1, 0] > 0.999


# Encoder diagram


def boxes(html: str) -> list[str]:
    return re.findall(r'<input type="radio" [^>]*value="(\w+)"', html)


def test_the_norms_stand_after_the_sums_or_before_the_parts():
    post = ["attention", "add_1", "norm_1", "feed_forward", "add_2", "norm_2"]
    assert boxes(shown("encoder_diagram")) == ["input", *post, "output"]
    pre = ["norm_1", "attention", "add_1", "norm_2", "feed_forward", "add_2"]
    assert boxes(shown("encoder_diagram", norm="pre")) == ["input", *pre, "output"]


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_every_part_explains_itself(norm):
    html = shown("encoder_diagram", norm=norm, activation="GELU")
    explained = re.findall(r'<dd id="[\w-]+-(\w+)">(.*?)</dd>', html)
    assert [part for part, _ in explained] == boxes(html)
    assert all(len(text) > 60 for _, text in explained)
    described = re.findall(r'aria-describedby="([\w-]+)"', html)
    assert described == re.findall(r'<dd id="([\w-]+)">', html)
    assert "with GELU between them" in visible_text(html)


def test_an_author_can_explain_a_part_in_other_words():
    html = shown("encoder_diagram", parts={"attention": "*Here* tokens meet, in $h$ heads."})
    assert "<em>Here</em> tokens meet" in html
    assert "The one place where tokens meet" not in html


def test_a_stack_of_blocks_says_how_many():
    assert "12 such blocks, each with weights of its own" in shown("encoder_diagram", layers=12)


# Comparison


def test_a_comparison_names_its_rows_and_columns():
    html = shown("comparison")
    assert re.search(r'<th scope="col"[^>]*>Transformer</th>', html)
    assert re.search(r'<th scope="row"[^>]*>Reads</th>', html)
    assert missing_in(html, "all <em>at once</em>", "<math") == []


# Authors' errors


def test_invalid_yaml_is_reported_by_line_and_column():
    with pytest.raises(ContentError, match=r"^Line 2, column 10: .* needs quotation marks"):
        render_markdown("```comparison\ncaption: *none\n```")


EVIL = """<script>alert(1)</script>"'><img src=x onerror=alert(1)>"""


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("text_to_vectors", {"text": EVIL, "tokens": [EVIL, EVIL], "caption": EVIL}),
        (
            "two_contexts",
            {
                "word": EVIL,
                "contexts": [{"tokens": [EVIL], "x": [[1]], "name": EVIL}] * 2,
                "caption": EVIL,
            },
        ),
        ("softmax_slider", {"labels": [EVIL] * 3, "caption": EVIL}),
        ("comparison", {"columns": [EVIL] * 2, "rows": [[EVIL] * 3], "caption": EVIL}),
        ("encoder_diagram", {"activation": EVIL, "parts": {"input": EVIL}, "caption": EVIL}),
    ],
)
def test_nothing_an_author_writes_becomes_html(name, changes):
    html = shown(name, **changes)
    assert "&lt;script" in html
    assert found_in(html, "<script", "<img") == []
