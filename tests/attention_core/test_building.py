"""A family reports its author's mistakes when it is built, not when it is used."""

from dataclasses import replace

import numpy as np
import pytest

from attention_core.errors import AuthorError
from attention_core.problems.family import Drawn, Family, Given, Mistake, Step
from tests.each import each

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


def only(step, **parts):
    """Return the steps of a family that has this one alone, with changes."""
    return {"steps": (replace(step, **parts),)}


def with_step(**parts):
    return built_with(**only(STEP, **parts))


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


X_TWICE = (Given("x", "$x$"), Given("x", "$x$ again"))
SILENT = [replace(NOT_DOUBLED, feedback=text) for text in ("", " \n")]
BOTH_X = [replace(step, key="x") for step in (STEP, CHOICE)]
NAMED_TWICE = "more than one given or step is called 'x'"
MISTAKEN_TWICE = "step twice: more than one mistake is called 'not_doubled'"
NO_FEEDBACK = "step twice: mistake not_doubled has no feedback"
NO_NUMBER = "option width offers .*whole numbers"


@each(
    "message, parts",
    [
        (NAMED_TWICE, {"givens": X_TWICE}),
        (NAMED_TWICE, only(STEP, key="x")),
        (NAMED_TWICE, {"givens": (), "steps": BOTH_X}),
        (MISTAKEN_TWICE, only(STEP, mistakes=(NOT_DOUBLED, NOT_DOUBLED))),
        ("step word: a choice needs a wrong_choice", only(CHOICE, wrong_choice="")),
        *((NO_FEEDBACK, only(STEP, mistakes=(silent,))) for silent in SILENT),
        ("there is no step", {"steps": ()}),
        ("option width offers no size", {"options": {"width": ()}}),
        *((NO_NUMBER, {"options": {"width": (2, size)}}) for size in (2.0, "2", True, None)),
        ("option width offers no size; there is no step", {"options": {"width": ()}, "steps": ()}),
    ],
)
def test_an_authors_mistakes_are_all_reported(message, parts):
    with pytest.raises(AuthorError, match=f"family doubling: {message}"):
        built_with(**parts)
