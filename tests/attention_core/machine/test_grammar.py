"""The machine's language: its sentences, their rules, and those kept out of training."""

import re
from itertools import islice
from random import Random

import pytest

from attention_core.machine.grammar import (
    MAX_TOKENS,
    WAYS,
    adding,
    agreeing,
    draw_sentence,
    draw_texts,
    feeling,
    governing,
    is_held_out,
    repeating,
)
from attention_core.machine.words import (
    ANIMALS,
    BE,
    CAPITALS,
    INTRANSITIVE,
    NAMES,
    NUMBERS,
    PEOPLE,
    THINGS,
    VOCABULARY,
)

DRAWN = 200


def drawn_sentences(way):
    random = Random(11)
    return [draw_sentence(random, way) for _ in range(DRAWN)]


@pytest.fixture(params=WAYS, ids=lambda way: way.__name__)
def sentences(request):
    return drawn_sentences(request.param)


def test_the_vocabulary_has_each_word_once_and_is_small():
    assert len(set(VOCABULARY)) == len(VOCABULARY) <= 200


def test_sentences_are_of_known_words_and_not_too_long(sentences):
    for one in sentences:
        assert (one.words[0], one.words[-1]) == ("<start>", ".")
        assert len(one.words) <= MAX_TOKENS
        assert set(one.words) <= set(VOCABULARY)


def test_what_can_be_known_stands_behind_that_from_which_it_follows(sentences):
    for one in sentences:
        assert one.blanks
        for blank in one.blanks:
            assert blank.because < blank.place
            assert one.words[blank.place] not in blank.wrong
            assert blank.wrong


def test_verbs_go_with_their_subjects():
    number = {
        **{noun.one: 0 for noun in (*PEOPLE, *ANIMALS, *THINGS)},
        **{noun.many: 1 for noun in (*PEOPLE, *ANIMALS, *THINGS)},
    }
    forms = {form: n for verb in (BE, *INTRANSITIVE) for n, form in enumerate(verb)}
    for one in drawn_sentences(agreeing):
        verbs = [forms[word] for word in one.words if word in forms]
        many = "and" in one.words or number[next(word for word in one.words if word in number)]
        assert all(verb == many for verb in verbs)


def test_some_verbs_stand_behind_a_noun_of_the_other_number():
    kinds = {blank.kind for one in drawn_sentences(agreeing) for blank in one.blanks}
    assert kinds == {"verb", "verb past another number"}


def test_pronouns_are_those_of_their_nouns():
    for one in drawn_sentences(feeling):
        (blank,) = (blank for blank in one.blanks if blank.kind == "pronoun")
        noun, pronoun = one.words[blank.because], one.words[blank.place]
        known = {n.one: n.pronoun for n in (*PEOPLE, *ANIMALS)} | NAMES
        assert pronoun == known.get(noun, "they")


def test_sums_are_right():
    value = {word: n for n, word in enumerate(NUMBERS)}
    for one in drawn_sentences(adding):
        a, sign, b, _is, c = one.words[1:-1]
        assert value[c] == value[a] + (value[b] if sign == "plus" else -value[b])


def test_what_is_repeated_is_what_was_said():
    for one in drawn_sentences(repeating):
        first, second = re.fullmatch(r"\w+ says (.+) and \w+ says (.+) \.", str(one)).groups()
        assert first == second


def test_capitals_are_those_of_their_countries():
    for one in drawn_sentences(governing):
        assert CAPITALS[next(word for word in one.words if word in CAPITALS)] in one.words


def test_the_same_seed_writes_the_same():
    assert [str(draw_sentence(Random(3))) for _ in range(2)] == [str(draw_sentence(Random(3)))] * 2


def test_training_reads_no_sentence_that_is_kept_from_it():
    read = {
        f"{part} ."
        for text in islice(draw_texts(Random(5)), 5000)
        for part in str(text).removesuffix(" .").split(" . ")
    }
    random = Random(6)
    facts = ("governing", "opposing")
    for way in WAYS:
        if way.__name__ not in facts:
            kept = [draw_sentence(random, way, held_out=True) for _ in range(50)]
            assert all(is_held_out(one) for one in kept)
            assert not read & {str(one) for one in kept}


def test_texts_fill_the_room_there_is():
    lengths = [len(text.words) for text in islice(draw_texts(Random(7)), 2000)]
    assert max(lengths) == MAX_TOKENS


def test_a_text_of_several_sentences_keeps_their_blanks():
    for text in islice(draw_texts(Random(8)), 200):
        wanted = [one for one in text.blanks if one.kind in ("capital", "opposite")]
        assert all(text.words[one.place] not in one.wrong for one in text.blanks)
        assert all(text.words[one.place - 1] in ("is", "of") for one in wanted)
