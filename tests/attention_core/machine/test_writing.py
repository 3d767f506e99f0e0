"""The machine writes the same words for the same seed, with and without a cache."""

import numpy as np
import pytest

from attention_core.errors import AuthorError
from attention_core.machine.model import machine
from attention_core.machine.tokens import tokens_of
from attention_core.machine.words import VOCABULARY
from attention_core.machine.writing import write

START = tokens_of("the")


def words(**options):
    return [written.word for written in write(machine(), START, **options)]


def test_the_likeliest_word_each_time_needs_no_seed():
    greedy = words(top_k=1)
    assert greedy == words(top_k=1, seed=9)
    tokens = START
    for word in greedy:
        assert word == VOCABULARY[machine().read(tokens).probabilities().argmax()]
        tokens = (*tokens, word)


def test_a_seed_draws_the_same_words_again_and_another_seed_others():
    assert words(seed=1) == words(seed=1)
    assert len({tuple(words(seed=seed)) for seed in range(8)}) > 4


@pytest.mark.parametrize("seed", range(4))
def test_with_and_without_a_cache_it_writes_the_same(seed):
    with_cache = write(machine(), START, seed=seed)
    without = write(machine(), START, seed=seed, caching=False)
    assert [w.word for w in with_cache] == [w.word for w in without]
    for one, other in zip(with_cache, without, strict=True):
        assert np.allclose(one.probabilities, other.probabilities, atol=1e-12)
    assert {w.cache_bytes for w in without} == {0}
    assert [w.cached for w in with_cache] == [len(START) + n for n in range(len(with_cache))]


def test_it_ends_with_the_full_stop():
    for seed in range(10):
        written = words(seed=seed)
        assert "." not in written[:-1]
        assert written[-1] == "." or len(START) + len(written) > machine().longest


def test_it_stops_where_there_is_no_room():
    long = ("<start>", *["the"] * 23)
    assert len(write(machine(), long, seed=1)) == 1
    assert len(write(machine(), START, most=2, seed=1)) <= 2


def test_what_was_cut_is_never_drawn():
    for seed in range(20):
        for written in write(machine(), START, top_p=0.5, top_k=4, seed=seed):
            assert (written.probabilities > 0).sum() <= 4
            assert written.probabilities[VOCABULARY.index(written.word)] > 0


def test_a_cold_machine_is_surer():
    cold, hot = (write(machine(), START, temperature=t, most=1)[0] for t in (0.3, 3.0))
    assert cold.probabilities.max() > hot.probabilities.max()


def test_no_words_are_not_asked_for():
    with pytest.raises(AuthorError):
        write(machine(), START, most=0)
