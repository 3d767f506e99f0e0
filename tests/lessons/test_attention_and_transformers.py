"""Every number that lesson 6 states, computed again."""

import re

import numpy as np
import pytest

from attention_core import (
    KeyValueCache,
    attention,
    attention_scores,
    attention_weights,
    band_mask,
    family,
    multi_head_attention,
    softmax,
)
from attention_core.machine.model import Change, machine
from attention_core.machine.tokens import tokens_of
from attention_core.machine.words import VOCABULARY
from lessons import widgets
from lessons.markdown.parameters import read_yaml
from lessons.real_model import encoder
from tests.lessons.shipped import looks, shipped, wrong_numbers

SHIPPED = shipped("attention-and-transformers")
LESSON, PROSE = SHIPPED.lesson, SHIPPED.prose
_BLOCKS = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
BLOCKS = [
    (name, read_yaml(given))
    for name, given in _BLOCKS.findall("\n".join(SHIPPED.bodies.values()))
    if name in widgets.names()
]


def table(caption):
    """Return the numbers of the table with this caption."""
    return np.array(next(given["values"] for _, given in BLOCKS if given.get("caption") == caption))


def steps(tokens, place=0):
    """Return Q, K and V of a worked example."""
    found = [
        given for name, given in BLOCKS if name == "attention_steps" and given["tokens"] == tokens
    ]
    return [np.array(found[place][name]) for name in "qkv"]


def matrices(head):
    """Return W^Q, W^K and W^V of a head."""
    queries_and_keys = table(f"Head {head}, matrices for queries and for keys")
    return [*np.hsplit(queries_and_keys, 2), table(f"Head {head}, matrix for values")]


def last_word_looks(text, layer, head):
    """Return the weights of a text's last word in a head of the machine."""
    reading = machine().read(tokens_of(text))
    return dict(zip(reading.tokens, reading.weights[layer, head, -1], strict=True))


def probability(text, word, silent=()):
    """Return the machine's probability of the next word, with these heads silenced."""
    reading = machine().read(tokens_of(text), change=Change(heads=frozenset(silent)))
    return reading.probabilities()[VOCABULARY.index(word)]


MACHINES = ["Thinking", "Machines"]
Q, K, V = steps(MACHINES)
HELLO = np.array(next(given["embeddings"] for name, given in BLOCKS if name == "text_to_vectors"))
X, W_O = table("X, the two words"), table("The output projection")
HEADS = [attention(*(X @ W for W in matrices(head))) for head in (1, 2)]
KEYS, VALUES = table("Keys, with the new one below"), table("Values, with the new one below")
NEW = np.array([1.0, 1.0])
NEW_ROW = attention_weights(NEW[None], KEYS)[0]
WITHOUT_ITSELF = attention_weights(NEW[None], KEYS[:2])[0]
OF_ALL = [0.9, 1.2, -0.3, 0.4, 1.8]
IN_WINDOW = np.exp(OF_ALL[1:4])
QUEEN = "the queen near the boys is tired so"
SHE = "anna has a ball and tom has a cup so she gives the"
WITH_SHE, WITH_HE = (last_word_looks(SHE.replace("she", who), 2, 3) for who in ("she", "he"))
IT, WIDE = looks("animal_it", 3, 1, "it"), looks("animal_it_wide", 3, 1, "it")

# The text's numbers, and the computed ones.
STATED = [
    ("0.55", HELLO.mean(axis=0)[0]),
    *zip(("0.77", "0.90"), (Q @ K.T)[1], strict=True),
    *zip(("0.445", "0.520"), attention_scores(Q, K)[1], strict=True),
    *zip(("0.481", "0.519"), attention_weights(Q, K)[1], strict=True),
    ("0.604", attention(Q, K, V)[1, 0]),
    ("0.25", -(X @ matrices(1)[1])[0, 1]),
    ("0.922", attention_weights(*steps(["Birds", "sing"])[:2])[0, 1]),
    ("0.743", attention_weights(*steps(["Birds", "sing"], 1)[:2])[0, 0]),
    *zip(("0.078", "1.345", "0.243"), (*HEADS[0][0, :2], HEADS[1][0, 0]), strict=True),
    *zip(("0.0776", "1.3447", "0.2428"), (*HEADS[0][0, :2], HEADS[1][0, 0]), strict=True),
    ("0.199", (np.hstack(HEADS) @ W_O)[0, 0]),
    *zip(("0.653", "0.056", "0.122"), map(IT.get, ("animal", "street", "[CLS]")), strict=True),
    *zip(("0.300", "0.155"), map(WIDE.get, ("animal", "street")), strict=True),
    ("0.593", looks("animal_it", 2, 8, "it")["tired"]),
    ("0.635", looks("animal_it", 5, 11, "it")["animal"]),
    ("0.00003", 0.9**99),
    *zip(("1.061", "0.707"), attention_scores(NEW[None], KEYS)[0, :2], strict=True),
    *zip(("0.488", "0.343", "0.169"), NEW_ROW, strict=True),
    ("0.491", NEW_ROW @ VALUES[:, 0]),
    *zip(("0.587", "0.413"), WITHOUT_ITSELF, strict=True),
    *zip(("3.320", "0.741", "1.492"), IN_WINDOW, strict=True),
    ("5.553", IN_WINDOW.sum()),
    *zip(("0.598", "0.133", "0.269"), softmax(OF_ALL[1:4]), strict=True),
    ("0.983", probability(QUEEN, "she")),
    ("0.019", probability(QUEEN, "she", silent=[(2, 2)])),
    ("0.704", last_word_looks(QUEEN, 2, 2)["queen"]),
    *zip(("0.736", "0.063"), map(WITH_SHE.get, ("ball", "cup")), strict=True),
    *zip(("0.053", "0.818"), map(WITH_HE.get, ("ball", "cup")), strict=True),
    ("0.999", probability(SHE, "ball")),
    ("0.136", probability(SHE, "ball", silent=[(2, 3)])),
]
# Numbers that the text takes from its own tables or makes up for an example.
GIVEN = {f"{tenth / 10}" for tenth in range(1, 20)} | {"0.78"}

COUNTED = {
    "2,097,152": 2 * 512 * 2048,
    "1,048,576": 4 * 512 * 512,
    "2,359,296": 4 * 768**2,
    "333,833,500": sum(t * t for t in range(1, 1001)),
    "500,500": sum(range(1, 1001)),
    "262,144": 2 * 32 * 32 * 128,
    "76,800": 2 * 6 * 64 * 100,
    "25,600": 2 * 2 * 64 * 100,
    "131,072": 32 * 4096,
}


def test_the_lesson_states_the_right_numbers_and_no_others():
    assert wrong_numbers(SHIPPED, STATED, GIVEN, ties=1e-9) == []


def test_what_is_counted_is_counted_right_and_all_of_it_checked():
    large = {text.replace("{,}", ",") for text in re.findall(r"\d+(?:\{,\}\d+)+", PROSE)}
    assert large == set(COUNTED)
    assert [text for text, value in COUNTED.items() if f"{value:,}" != text] == []


@pytest.mark.parametrize("head", [1, 2])
def test_the_queries_keys_and_values_of_each_head_follow_from_its_matrices(head):
    shown = steps(["Birds", "sing"], head - 1)
    for array, matrix in zip(shown, matrices(head), strict=True):
        assert np.allclose(array, X @ matrix)


def test_two_heads_and_their_output_are_what_the_core_computes():
    side_by_side = [np.hstack(pair) for pair in zip(*map(matrices, (1, 2)), strict=True)]
    whole = multi_head_attention(X, *side_by_side, W_O, heads=2)
    assert np.allclose(whole, np.hstack(HEADS) @ W_O)


def test_the_cached_step_is_what_the_core_computes():
    cache = KeyValueCache()
    cache.extend(KEYS[:2], VALUES[:2])
    kept = cache.extend(KEYS[2:], VALUES[2:])
    assert np.allclose(attention(NEW[None], *kept)[0], NEW_ROW @ VALUES)
    drawn = table("The new token’s attention")
    assert np.allclose(drawn, attention_scores(NEW[None], KEYS))


def test_the_window_is_a_band():
    assert (table("Who may look at whom") == band_mask(5, 5, back=2, ahead=0)).all()


def test_the_gigabytes_are_those_of_keys_and_values_in_all_layers():
    given = next(g for _, g in BLOCKS if "Gigabytes" in g.get("caption", ""))
    lengths = [int(column.split()[0].replace(",", "")) for column in given["columns"]]
    for key_heads, window, row in zip(
        (32, 8, 32, 8), (None, None, 4096, 4096), given["rows"], strict=True
    ):
        numbers = [2 * key_heads * 128 * min(T, window or T) * 32 for T in lengths]
        assert [f"{2 * n / 1e9:.1f}" for n in numbers] == row[1:]


def test_most_heads_of_the_encoder_rest_on_markers_or_spread_thinly():
    reading = encoder.read("The animal did not cross the street because it was too tired")
    words = np.concatenate(reading.weights)[:, 1:-1]
    on_markers = words[:, :, [0, -1]].sum(axis=-1).mean(axis=1) > 0.5
    entropy = -(words * np.log(words + 1e-12)).sum(axis=-1).mean(axis=1)
    spread = entropy > 0.8 * np.log(len(reading.tokens))
    assert f"{on_markers.sum()} of them give more than half" in PROSE.replace("\n", " ")
    assert (on_markers | spread).sum() > len(words) / 2


def test_paths_and_costs_are_those_of_the_family():
    rows = next(given["rows"] for _, given in BLOCKS if "Path and cost" in given.get("caption", ""))
    compute = {step.key: step.compute for step in family("path_and_cost").steps}
    for length, *stated in zip((10, 100, 1000), *(row[1:] for row in rows), strict=True):
        keys = ("recurrent_steps", "attention_path", "scores")
        assert [int(text.replace(",", "")) for text in stated] == [
            int(compute[key](None, Lengths(length))) for key in keys
        ]


class Lengths:
    """The given of a family that knows a text by its length only."""

    def __init__(self, length):
        self.T = np.array(length)


def test_the_wide_street_leaves_the_animal_ahead_of_the_street():
    assert WIDE["animal"] > WIDE["street"] > IT["street"]
    assert WIDE["[CLS]"] - IT["[CLS]"] > (IT["animal"] - WIDE["animal"]) / 2


def test_the_heads_look_where_the_text_says():
    for word, before in (("it", "because"), ("was", "it"), ("did", "animal")):
        assert looks("animal_it", 0, 2, word)[before] > 0.99
    for word in ("the", "was", "because"):
        others = looks("animal_it", 5, 11, word)
        assert max(others, key=others.get) == "animal"
    assert looks("animal_it", 1, 10, "it")["[CLS]"] > 0.85


def test_it_has_the_parts_of_a_lesson():
    assert {word["term"] for word in LESSON.words} >= {"attention", "token", "query", "key"}
    assert BLOCKS[-1][0] == "live_sentence"
    assert all(LESSON.fields[name] for name in ("elsewhere", "comparison", "think_first", "uses"))
