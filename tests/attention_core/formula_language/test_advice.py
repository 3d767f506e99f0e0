"""Authors read why draws aren't fit, and what to do: for all causes that the proof gives."""

import re
from pathlib import Path

import pytest

from attention_core import proving
from attention_core.errors import NoFitVariant
from attention_core.formulas import advise, read
from attention_core.proving import prove_many
from tests.each import each


def advice(text):
    """Return the advice on a text whose draws are refused."""
    try:
        [proof] = prove_many(read(text, "own"), [1], {}, most_draws=40)
    except NoFitVariant as refused:
        counts = re.search(r"rejected for (\{.*\})", str(refused))[1]
        rejects = {cause: int(times) for cause, times in
                   re.findall(r"""['"](.*?)['"]: (\d+)""", counts)}  # fmt: skip
        return advise(rejects, 40)
    return advise(proof.rejects, proof.draws)


@each(
    "cause, part",
    [
        ("outside the family’s bounds", "“keep” lines aren’t met: widen them"),
        ("rounding strays too far", "rounding alone exceeds the tolerance: draw smaller numbers"),
        ("z: right is not finite", "z isn’t a number: don’t divide by 0"),
        ("z: added is not finite", "the mistake added of z isn’t a number: leave it out"),
        ("z: right looks like added", "the mistake added gives the right z: leave it out"),
        ("z: no_x looks like added", "the mistakes no_x and added give the same z: leave one"),
        ("z: added leaves only zeros", "nothing but zeros is left after the mistake added of z"),
        ("z: plain softmax is marked wrong", "careful work on z isn’t marked right"),
        ("z: largest subtracted, variance by shortcut is marked near", "careful work on z"),
        ("z: added by exact is marked wrong", "rounding hides the mistake added"),
        ("not wanted", "the numbers are those of an earlier variant"),
        ("z: the moon is full", "another reason, “z: the moon is full”."),
    ],
)
def test_each_cause_has_its_sentence(cause, part):
    [sentence] = advise({cause: 31}, 200)
    assert sentence.startswith("In 31 of 200 draws ")
    assert part in sentence
    assert sentence.endswith(".")


def test_no_cause_of_the_proof_is_unknown():
    """The proof's own texts, with words in their braces."""
    written = Path(proving.__file__).read_text()
    causes = re.findall(r'return (f?"[^"]* [^"]*")', written)
    causes = [eval(re.sub(r"\{[^{}]*\}", "z", cause)) for cause in causes]  # noqa: S307 - ours
    assert len(causes) >= 6
    for cause in causes:
        assert "another reason" not in advise({cause: 1}, 1)[0], cause


def test_rare_causes_are_left_out_and_the_worst_comes_first():
    rejects = {"z: right is not finite": 29, "rounding strays too far": 30, "not wanted": 60}
    assert [sentence[:9] for sentence in advise(rejects, 200)] == ["In 60 of ", "In 30 of "]
    assert advise({}, 0) == []


def test_a_mistake_that_several_ways_of_computing_hide_counts_once():
    rejects = {"z: added by plain softmax is marked wrong": 10,
               "z: added by reciprocals is marked near": 12}  # fmt: skip
    [sentence] = advise(rejects, 100)
    assert sentence.startswith("In 22 of 100 draws ")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("x: tenths(3)\nkeep max(x) > 3\nz = x + 1", "“keep” lines"),
        ("x: tenths(3)\nz = exp(30 + 400 * x * x)", "rounding alone"),
    ],
)
def test_a_text_whose_draws_are_refused_gets_advice(text, part):
    assert part in advice(text)[0]
