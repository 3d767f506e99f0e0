"""A family reports its author's mistakes when it is built, not when it is used."""

from dataclasses import replace

import numpy as np
import pytest

from attention_core.errors import AuthorError
from attention_core.problems.family import Drawn, Family, Given, Mistake, Step

NOT_DOUBLED = Mistake("not_doubled", lambda way, v: v.x, "Take it twice.")

STEP = Step(
    key="twice",
    label="Twice $x$",
    axes=(),
    compute=lambda way, v: 2 * v.x,
    how="Take it twice.",
    worked=lambda v: "2x",
    mistakes=(NOT_DOUBLED,),
)

CHOICE = replace(STEP, key="word", choices="words", wrong_choice="Read again.", mistakes=())

FAMILY = Family(
    key="doubling",
    title="Doubling",
    summary="Twice a number.",
    options={"width": (2, 3)},
    draw=lambda stream, sizes: Drawn({"x": np.array(1.0)}),
    statement="Double $x$.",
    givens=(Given("x", "$x$"),),
    steps=(STEP, CHOICE),
)


def built_with(**parts):
    return replace(FAMILY, **parts)


def with_step(**parts):
    return replace(FAMILY, steps=(replace(STEP, **parts),))


# Attributes of a dict and of `Values`: `v.items` would never be the drawn numbers.
@pytest.mark.parametrize("key", ["keys", "values", "items", "get", "copy", "pop", "update"])
def test_a_name_that_formulas_would_read_as_a_method_is_refused(key):
    expected = f"family doubling: '{key}' is taken: to a formula v.{key} is a method"
    with pytest.raises(AuthorError, match=expected):
        built_with(givens=(Given(key, "What is given"),))
    with pytest.raises(AuthorError, match=expected):
        with_step(key=key)
    with pytest.raises(AuthorError, match=f"the numbers drawn: '{key}' is taken"):
        Drawn({key: np.array(1.0)})


@pytest.mark.parametrize("key", ["", "2nd", "d-k", "W O", "größe", "x\n"])
def test_a_key_that_is_no_name_is_refused(key):
    with pytest.raises(AuthorError, match=r"family doubling: .* is no name"):
        built_with(givens=(Given(key, "What is given"),))
    with pytest.raises(AuthorError, match=r"family doubling: .* is no name"):
        with_step(key=key)


@pytest.mark.parametrize(
    "parts",
    [
        {"givens": (Given("x", "$x$"), Given("x", "$x$ again"))},
        {"givens": (Given("x", "$x$"),), "steps": (replace(STEP, key="x"),)},
        {"givens": (), "steps": (replace(STEP, key="x"), replace(CHOICE, key="x"))},
    ],
)
def test_two_parts_of_one_name_are_refused(parts):
    with pytest.raises(AuthorError, match="doubling: more than one given or step is called 'x'"):
        built_with(**parts)


def test_two_mistakes_of_one_name_are_refused():
    expected = "doubling: step twice: more than one mistake is called 'not_doubled'"
    with pytest.raises(AuthorError, match=expected):
        with_step(mistakes=(NOT_DOUBLED, NOT_DOUBLED))


def test_a_typed_step_needs_a_mistake():
    with pytest.raises(AuthorError, match="doubling: step twice: a typed step needs"):
        with_step(mistakes=())


def test_a_choice_needs_to_say_what_is_wrong_with_the_others():
    with pytest.raises(AuthorError, match="doubling: step word: a choice needs a wrong_choice"):
        built_with(steps=(replace(CHOICE, wrong_choice=""),))


@pytest.mark.parametrize("feedback", ["", " \n"])
def test_a_mistake_needs_feedback(feedback):
    expected = "doubling: step twice: mistake not_doubled has no feedback"
    with pytest.raises(AuthorError, match=expected):
        with_step(mistakes=(replace(NOT_DOUBLED, feedback=feedback),))


def test_a_family_needs_a_step():
    with pytest.raises(AuthorError, match="family doubling: there is no step"):
        built_with(steps=())


def test_an_option_needs_sizes():
    with pytest.raises(AuthorError, match=r"family doubling: option width offers no size"):
        built_with(options={"width": ()})


@pytest.mark.parametrize("size", [2.0, "2", True, None])
def test_sizes_are_whole_numbers(size):
    with pytest.raises(AuthorError, match=r"family doubling: option width offers .*whole numbers"):
        built_with(options={"width": (2, size)})


def test_everything_that_is_wrong_is_reported_at_once():
    with pytest.raises(AuthorError, match="option width offers no size; there is no step"):
        built_with(options={"width": ()}, steps=())
