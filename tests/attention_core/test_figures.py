"""The lessons' worked examples, compared with independently recomputed values."""

import json
from pathlib import Path

import numpy as np

from attention_core import attention, attention_scores, attention_weights, softmax

FIGURES = json.loads((Path(__file__).parent / "figures.json").read_text())


def agrees(computed, printed, decimals=4):
    assert np.round(computed, decimals).tolist() == printed


def test_thinking_machines():
    figure = FIGURES["thinking_machines"]
    Q, K, V = figure["q"], figure["k"], figure["v"]
    agrees(attention_scores(Q, K), figure["scaled_scores"])
    agrees(attention_weights(Q, K), figure["attention"])
    agrees(attention(Q, K, V), figure["output"])


def test_the_cat_sat_on_the_mat():
    figure = FIGURES["the_cat_sat"]
    scaled = np.array(figure["scores"]) / np.sqrt(figure["d_k"])
    agrees(scaled, figure["scaled_scores"])
    agrees(np.exp(scaled), figure["exp"])
    agrees(softmax(scaled), figure["weights"])
    agrees(softmax(scaled) @ figure["v"], figure["output"])


def test_one_mouse_in_two_contexts():
    figure = FIGURES["mouse_two_contexts"]
    for sentence, output in zip(figure["sentences"], figure["mouse_output"], strict=True):
        X = np.array([figure["embeddings"][word] for word in sentence], dtype=float)
        mouse = sentence.index("mouse")
        agrees(np.sort(attention_weights(X, X)[mouse]), sorted(figure["mouse_row"]), 3)
        agrees(attention(X, X, X)[mouse], output, 3)
