"""Measuring the machine again gives the figures of docs/machine.md."""

import re
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

from attention_core.machine.grammar import (
    adding,
    draw_sentence,
    giving,
    is_held_out,
    living,
    painting,
)
from attention_core.machine.measures import (
    LOOKS,
    draw_held_out,
    loss,
    measures,
    where_heads_look,
    without_each_head,
)
from attention_core.machine.model import Change, machine

TOLD = (Path(__file__).parents[3] / "docs" / "machine.md").read_text()
SEED, COUNT = 7, 1000


@pytest.fixture(scope="module")
def held_out_sentences():
    return draw_held_out(SEED, COUNT)


def measured_table(title):
    """Return the rows of the table with this first heading."""
    rows = TOLD.split(f"\n| {title} |")[1].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def test_how_often_it_is_right(held_out_sentences):
    found = [
        [one.kind, str(one.asked), f"{one.right:.1%}", f"{one.guessing:.0%}"]
        for one in measures(machine(), held_out_sentences)
    ]
    assert measured_table("what follows") == found


def test_its_loss(held_out_sentences):
    nats, first = loss(machine(), held_out_sentences)
    assert f"{nats:.3f} nats a word" in TOLD
    assert f"{first:.1%} of all words" in TOLD


def test_where_its_heads_look(held_out_sentences):
    found = where_heads_look(machine(), held_out_sentences)
    assert list(found) == list(LOOKS)
    expected = [[name, *(f"{w:.2f}" for w in weights.ravel())] for name, weights in found.items()]
    assert measured_table("mean weight on") == expected


def test_which_sums_it_gets_right():
    random = Random(SEED)
    every = {draw_sentence(random, adding, held_out=True) for _ in range(2000)}
    right = {str(one): measures(machine(), [one])[0].right for one in every}
    known = sum(map(bool, right.values()))
    assert f"Of the {len(right)} sums that it never read in that form it knows {known}" in TOLD
    read = {draw_sentence(random, adding) for _ in range(3000)}
    assert f"all {len(read)} that it did read" in TOLD
    assert all(measures(machine(), [one])[0].right for one in read)


def test_the_first_question_of_who_has_what_is_known():
    random = Random(SEED)
    for way in (giving, living, painting):
        drawn = [draw_sentence(random, way, held_out=True) for _ in range(200)]
        first = [replace(one, blanks=one.blanks[:1]) for one in drawn]
        (one,) = measures(machine(), first)
        assert one.right > 0.99 > one.guessing + 0.3


def test_what_it_is_not_told_is_not_counted(held_out_sentences):
    seen = [one for one in held_out_sentences if not is_held_out(one)]
    assert {one.blanks[0].kind for one in seen} <= {"capital", "opposite"}


def test_a_head_that_is_missed_lowers_what_it_was_for(held_out_sentences):
    few = held_out_sentences[:60]
    whole = {one.kind: one.right for one in measures(machine(), few)}
    without = without_each_head(machine(), few)
    assert any(one.right < whole[one.kind] - 0.2 for found in without.values() for one in found)


def test_with_every_head_silent_nothing_is_known_but_by_guessing(held_out_sentences):
    model = machine()
    places = ((n, head) for n in range(len(model.layers)) for head in range(model.heads))
    found = measures(model, held_out_sentences, change=Change(heads=frozenset(places)))
    assert np.mean([one.right for one in found]) < 0.5


def test_it_has_as_many_numbers_as_are_told():
    stated = re.search(r"([\d,]+) numbers", TOLD)[1]
    assert int(stated.replace(",", "")) == machine().parameters
