"""Typed text: known words, and sentences that say what to do about others."""

import time

import pytest

from attention_core.errors import LearnerError, NothingToRead, TooManyWords, UnknownWord
from attention_core.machine.model import machine
from attention_core.machine.tokens import MAX_WORDS, tokens_of
from attention_core.machine.words import VOCABULARY
from tests.slowness import slowness


def test_case_spaces_and_a_full_stop_without_one_make_no_difference():
    assert tokens_of("  The KING\n sleeps. ") == ("<start>", "the", "king", "sleeps", ".")


def test_start_may_be_typed_and_is_not_doubled():
    assert tokens_of("<start> the king") == tokens_of("the king")


def test_every_word_can_be_typed(subtests):
    for word in VOCABULARY[1:]:
        with subtests.test(word=word):
            assert tokens_of(word) == ("<start>", word)


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "<start>"])
def test_empty_text_gets_a_sentence(text):
    with pytest.raises(NothingToRead, match="Type one"):
        tokens_of(text)


def test_too_many_words_get_the_number_allowed():
    assert len(tokens_of("the " * MAX_WORDS)) == MAX_WORDS + 1
    with pytest.raises(TooManyWords, match=r"up to 23 words; these are 24\. Leave") as caught:
        tokens_of("the " * (MAX_WORDS + 1))
    assert (caught.value.words, caught.value.most) == (24, 23)


@pytest.mark.parametrize(
    ("text", "word", "near"),
    [("the quen sleeps", "quen", "queen"), ("anna's cat", "anna's", "anna")],
)
def test_an_unknown_word_is_named_with_those_that_look_like_it(text, word, near):
    with pytest.raises(UnknownWord) as caught:
        tokens_of(text)
    assert caught.value.unknown[word][0] == near
    assert set(caught.value.unknown[word]) <= set(VOCABULARY)
    assert f"“{word}” (“{near}”" in str(caught.value)


def test_all_unknown_words_are_named_at_once_without_any_for_what_looks_like_none():
    with pytest.raises(UnknownWord) as caught:
        tokens_of("my unicorn sleeps near my zebra , < !")
    unknown = ["my", "unicorn", "zebra", ",", "<", "!"]
    assert list(caught.value.unknown.items()) == [(word, ()) for word in unknown]


def test_an_endless_word_is_refused_at_once_and_cut():
    start = time.process_time()
    with pytest.raises(UnknownWord) as caught:
        tokens_of("x" * 1_000_000)
    assert time.process_time() - start < slowness()
    assert len(str(caught.value)) < 120


def test_all_of_them_are_for_the_learner():
    assert all(issubclass(e, LearnerError) for e in (NothingToRead, TooManyWords, UnknownWord))


def test_the_machine_itself_checks_what_it_is_handed():
    with pytest.raises(NothingToRead):
        machine().read(())
    with pytest.raises(TooManyWords):
        machine().read(("<start>", *["the"] * 24))
    with pytest.raises(UnknownWord):
        machine().read(("<start>", "elephant"))
