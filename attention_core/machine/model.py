"""The machine: a decoder of a few layers, all of whose numbers can be inspected.

Shapes: T tokens that are read, S tokens that are looked at (those in the cache, then the T), d the
width of a token, h heads, d_k the width of a head, V words.

Source: Vaswani et al. (2017), "Attention Is All You Need", section 3, without the encoder; Radford
et al. (2019), "Language Models are Unsupervised Multitask Learners", section 2.3, for norms before
each part and one after the last block.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path

import numpy as np

from attention_core.errors import AuthorError, NothingToRead, TooManyWords
from attention_core.machine.grammar import MAX_TOKENS
from attention_core.machine.tokens import MAX_WORDS, NUMBER_OF, check_known
from attention_core.machine.words import VOCABULARY
from attention_core.maths.arrays import Array, real
from attention_core.maths.attention import attention_scores, attention_weights
from attention_core.maths.cache import KeyValueCache
from attention_core.maths.encoder import encoder_block
from attention_core.maths.feed_forward import feed_forward
from attention_core.maths.heads import join_heads, split_heads
from attention_core.maths.linear import linear
from attention_core.maths.norms import layer_norm
from attention_core.maths.positions import sinusoidal_positions
from attention_core.maths.sampling import next_probabilities

WEIGHTS = Path(__file__).parent / "learnt" / "weights.npz"


@dataclass(frozen=True)
class Change:
    """An ablation while the machine reads; layers, heads and places are counted from 0.

    Attributes:
        heads: (layer, head) of heads whose outputs are set to zero.
        values: (place, layer, head) of value vectors that are set to zero, so that a token that
            looks there finds nothing. The weights stay as they are.
    """

    heads: frozenset[tuple[int, int]] = frozenset()
    values: frozenset[tuple[int, int, int]] = frozenset()


UNCHANGED = Change()


@dataclass(frozen=True)
class LayerReading:
    """The intermediate results of one layer.

    Attributes:
        normed: (T, d) the input of the heads.
        Q: (h, T, d_k) queries.
        K, V: (h, S, d_k) keys and values, those of the cache first.
        scores: (h, T, S) QKᵀ/√d_k, before the mask.
        weights: (h, T, S) their softmax; 0 for tokens ahead.
        found: (h, T, d_k) the output of each head: the values, blended by its weights.
        attended: (T, d) the heads' outputs side by side, through W_O: added to the residual
            stream.
        middle: (T, d) the residual stream after that.
        fed: (T, d) the output of the feed-forward part, which is added.
        output: (T, d) the residual stream after the layer.
    """

    normed: Array
    Q: Array
    K: Array
    V: Array
    scores: Array
    weights: Array
    found: Array
    attended: Array
    middle: Array
    fed: Array
    output: Array


@dataclass(frozen=True)
class Reading:
    """The machine's intermediate and final results for T tokens.

    Attributes:
        tokens: the T words.
        embedded: (T, d) the row of each word in the embedding matrix, times √d.
        positions: (T, d) the sines and cosines of each place.
        layers: the results of each layer; the first one's input is the sum of the two.
        normed: (T, d) the residual stream after the last norm.
        logits: (T, V) how well each word would follow each token and those before it.
    """

    tokens: tuple[str, ...]
    embedded: Array
    positions: Array
    layers: tuple[LayerReading, ...]
    normed: Array
    logits: Array

    @property
    def streams(self) -> tuple[Array, ...]:
        """The residual stream before the first layer and after each, (T, d) each."""
        return (self.embedded + self.positions, *(layer.output for layer in self.layers))

    @property
    def weights(self) -> Array:
        """The weights of every head: (layers, h, T, S)."""
        return np.stack([layer.weights for layer in self.layers])

    def probabilities(
        self, *, temperature: float = 1.0, top_k: int | None = None, top_p: float | None = None
    ) -> Array:
        """Return how likely each word is to follow the last token, (V,): `next_probabilities`."""
        return next_probabilities(
            self.logits[-1], temperature=temperature, top_k=top_k, top_p=top_p
        )


@dataclass
class Memory:
    """The keys and values of all tokens read so far: a cache for each layer."""

    layers: tuple[KeyValueCache, ...]

    @property
    def tokens(self) -> int:
        """The number of tokens in the cache."""
        return self.layers[0].tokens

    @property
    def bytes(self) -> int:
        """The memory that all keys and values take, in bytes."""
        return sum(layer.bytes for layer in self.layers)


@dataclass(frozen=True)
class Layer:
    """The parameters of one layer."""

    heads: int
    numbers: Mapping[str, Array]

    def read(
        self, X: Array, *, cache: KeyValueCache, silent: list[int], empty: list[tuple[int, int]]
    ) -> LayerReading:
        """Compute the layer for (T, d) tokens. Return all intermediate results.

        Args:
            X: (T, d) the residual stream.
            cache: keys and values of earlier tokens; those of these tokens are added.
            silent: the heads whose outputs are set to zero.
            empty: (place, head) of the values that are set to zero.
        """
        kept: dict[str, Array] = {}

        def attend(normed: Array) -> Array:
            Q, K, V = (
                split_heads(linear(normed, self.numbers[name], name=name), self.heads)
                for name in ("W_Q", "W_K", "W_V")
            )
            first = cache.tokens
            for place, head in empty:
                if first <= place < first + len(normed):
                    V[head, place - first] = 0
            K, V = cache.extend(K, V)
            scores = attention_scores(Q, K)
            weights = attention_weights(Q, K, causal=True)
            found = weights @ V
            found[silent] = 0
            attended = linear(join_heads(found), self.numbers["W_O"], name="W_O")
            kept.update(normed=normed, Q=Q, K=K, V=V, scores=scores, weights=weights)
            kept.update(found=found, attended=attended)
            return attended

        def feed(normed: Array) -> Array:
            W_1, W_2, b_1, b_2 = (self.numbers[name] for name in ("W_1", "W_2", "b_1", "b_2"))
            kept["fed"] = feed_forward(normed, W_1, W_2, b_1=b_1, b_2=b_2)
            return kept["fed"]

        output = encoder_block(
            X,
            attend,
            feed,
            first_norm=self._norm("first"),
            second_norm=self._norm("second"),
            pre_norm=True,
        )
        return LayerReading(**kept, middle=X + kept["attended"], output=output)

    def _norm(self, which: str) -> "partial[Array]":
        gain, shift = self.numbers[f"{which}_gain"], self.numbers[f"{which}_shift"]
        return partial(layer_norm, gain=gain, shift=shift)


@dataclass(frozen=True)
class Machine:
    """The transformer: its parameters, and the reading of tokens.

    >>> reading = machine().read(("<start>", "the", "capital", "of", "france", "is"))
    >>> machine().vocabulary[reading.probabilities().argmax()]
    'paris'
    """

    embedding: Array
    layers: tuple[Layer, ...]
    norm_gain: Array
    norm_shift: Array
    vocabulary: tuple[str, ...] = field(default=VOCABULARY, repr=False)

    @property
    def heads(self) -> int:
        """The number of heads in each layer."""
        return self.layers[0].heads

    @property
    def width(self) -> int:
        """The width d of a token."""
        return int(self.embedding.shape[1])

    @property
    def longest(self) -> int:
        """The tokens that it reads at most, <start> included: it was trained on no more."""
        return MAX_TOKENS

    @property
    def parameters(self) -> int:
        """The number of parameters."""
        own = (self.embedding, self.norm_gain, self.norm_shift)
        of_layers = (number for layer in self.layers for number in layer.numbers.values())
        return sum(int(number.size) for number in (*own, *of_layers))

    def memory(self) -> Memory:
        """Return an empty memory."""
        return Memory(tuple(KeyValueCache() for _ in self.layers))

    def read(
        self, tokens: Sequence[str], *, memory: Memory | None = None, change: Change = UNCHANGED
    ) -> Reading:
        """Read tokens. Return all intermediate results and the logits.

        Args:
            tokens: words that it knows, the first of a text being <start>; see `tokens_of`.
            memory: keys and values of the tokens before. These are added to it, and only their
                own rows are computed.
            change: the heads and values to ablate.

        Raises:
            NothingToRead, TooManyWords, UnknownWord: the tokens cannot be read.
            AuthorError: the change names a head or a place that is not there.
        """
        memory = self.memory() if memory is None else memory
        first, last = memory.tokens, memory.tokens + len(tokens)
        self._check(tokens, last, change)
        embedded = self.embedding[[NUMBER_OF[token] for token in tokens]] * math.sqrt(self.width)
        positions = sinusoidal_positions(np.arange(first, last), self.width)
        X, layers = embedded + positions, []
        for n, (layer, layer_cache) in enumerate(zip(self.layers, memory.layers, strict=True)):
            reading = layer.read(
                X,
                cache=layer_cache,
                silent=[head for where, head in change.heads if where == n],
                empty=[(place, head) for place, where, head in change.values if where == n],
            )
            layers.append(reading)
            X = reading.output
        normed = layer_norm(X, self.norm_gain, self.norm_shift)
        # Embeddings are tied: a logit is the dot product of the vector with the word's row.
        logits = linear(normed, self.embedding.T, name="the embedding, turned round")
        return Reading(tuple(tokens), embedded, positions, tuple(layers), normed, logits)

    def empty_token(self, place: int) -> Change:
        """Return the change that empties one token's values in all heads of all layers."""
        places = ((place, n, head) for n in range(len(self.layers)) for head in range(self.heads))
        return Change(values=frozenset(places))

    def _check(self, tokens: Sequence[str], last: int, change: Change) -> None:
        if not tokens:
            raise NothingToRead("There is no token to read.")
        if last > self.longest:
            raise TooManyWords(
                f"The machine reads up to {MAX_WORDS} words; these are {last - 1}.",
                last - 1,
                MAX_WORDS,
            )
        check_known(tokens)
        places = [(n, head) for _, n, head in change.values]
        for n, head in (*change.heads, *places):
            if not (0 <= n < len(self.layers) and 0 <= head < self.heads):
                raise AuthorError(f"there is no head {head} in a layer {n}")
        if any(not 0 <= place < last for place, _, _ in change.values):
            raise AuthorError(
                f"a value is taken from a place before {last}; it was {change.values}"
            )


def build_machine(numbers: Mapping[str, Array]) -> Machine:
    """Return a machine made of the arrays that training wrote, in float64.

    Raises:
        AuthorError: they were trained on other words than ours.

    >>> build_machine({"vocabulary": np.array(["no", "yes"])})
    Traceback (most recent call last):
    attention_core.errors.AuthorError: these numbers belong to other words than ours: train again
    """
    if tuple(numbers["vocabulary"].tolist()) != VOCABULARY:
        raise AuthorError("these numbers belong to other words than ours: train again")
    depth = 1 + max(int(name.split("_")[1]) for name in numbers if name.startswith("layer_"))
    return Machine(
        embedding=real(numbers["embedding"]),
        layers=tuple(
            Layer(int(numbers["heads"]), _with_prefix(f"layer_{n}_", numbers)) for n in range(depth)
        ),
        norm_gain=real(numbers["norm_gain"]),
        norm_shift=real(numbers["norm_shift"]),
    )


def _with_prefix(prefix: str, numbers: Mapping[str, Array]) -> dict[str, Array]:
    names = [name for name in numbers if name.startswith(prefix)]
    return {name.removeprefix(prefix): real(numbers[name]) for name in names}


@cache
def machine() -> Machine:
    """Return the machine that ships, read from its file at the first call.

    >>> machine() is machine()
    True
    """
    with np.load(WEIGHTS, allow_pickle=False) as numbers:
        return build_machine(numbers)
