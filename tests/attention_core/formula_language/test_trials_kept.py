"""Trials, kept as JSON, give the family that a text has with new ones; a sketch needs none."""

import json
import re

import pytest

from attention_core import formulas
from attention_core.catalogue import draw_unproved
from attention_core.formulas import FormulaError, family, known, read, sketch, try_text
from scripts.bootstrap import ROOT
from tests.each import each

FOLDER = ROOT / "attention_core" / "problems" / "families"
PAGE = (ROOT / "docs" / "formulas.md").read_text()
PROBLEMS = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
TEXTS = {file.stem: file.read_text("utf-8") for file in sorted(FOLDER.glob("*.txt"))}
TEXTS |= {f"problem_{n}": text for n, text in enumerate(PROBLEMS)}
VARIANTS = 4
SUM = "sizes: n = 1, 3, 2\nx: tenths(n)\nkeep max(abs(x)) >= 0.5\nout = sum(x)"
TRIPLED = f'{SUM}\ntripled: out = 3 * mean(x) : "Add them up."'


def facts(member):
    """Return all that a family says and does on some draws at all of its sizes."""
    found = [member.key, member.version, member.title, dict(member.options), member.code]
    for sizes in member.combinations():
        for seed in range(VARIANTS):
            values = draw_unproved(member, sizes, str(seed), 0).values
            found += list(values)
            found += [array.tolist() for array in values.values()]
            for step in member.steps:
                found += [step.formula, step.how, step.nudge, step.worked(values)]
                found += [(each.key, each.feedback, bool(each.when(values)))
                          for each in step.mistakes]  # fmt: skip
    return found


@pytest.fixture
def no_trials(monkeypatch):
    def refuse(*args):
        raise AssertionError("a trial is run")

    for module in (family, known):
        monkeypatch.setattr(module, "try_mistakes", refuse)


@each("key", TEXTS)
def test_kept_trials_give_the_same_family(key):
    kept = json.loads(json.dumps(try_text(TEXTS[key], key)))
    assert facts(read(TEXTS[key], key, trials=kept)) == facts(read(TEXTS[key], key))


def test_no_trial_is_run_where_trials_are_given(no_trials):
    with pytest.raises(AssertionError, match="a trial"):
        read(SUM, "own")
    read(SUM, "own", trials={"off": {}, "own": {}})
    sketch(SUM, "own")


def test_a_version_replaces_that_of_the_text():
    text = f"version: 3\n{SUM}"
    assert read(text, "own").version == sketch(text, "own").version == 3
    kept = try_text(text, "own", version=12)
    for member in (
        read(text, "own", version=12),
        read(text, "own", version=12, trials=kept),
        sketch(text, "own", version=12),
    ):
        assert member.version == 12


def test_the_author_s_own_mistakes_that_are_off_are_named_with_their_sizes():
    # It's right where there are three, and of one number it's three times that.
    assert try_text(TRIPLED, "own")["own"] == {"out": {"tripled": [{"n": 3}]}}


def test_a_mistake_of_another_shape_is_off_there():
    text = (
        "sizes: a = 2, 3; b(width) = 2, 3\nx: tenths(a)\ny: tenths(b)\nout = x + 1\n"
        'other: out = y + 1 : "Take the first one."'
    )
    assert try_text(text, "own")["own"] == {
        "out": {"other": [{"a": 2, "width": 3}, {"a": 3, "width": 2}]}
    }


def test_a_mistake_that_its_author_lists_is_never_off():
    text = TRIPLED.replace("sum(x)\n", "sum(x)\n    mistakes: tripled\n")
    assert try_text(text, "own") == {"off": {}, "own": {}}


def test_a_sketch_has_the_mistakes_that_rules_find():
    assert [each.key for each in sketch(TRIPLED, "own").steps[0].mistakes] == [
        each.key for each in read(TRIPLED, "own").steps[0].mistakes
    ]


@each(
    "line",
    ["out = y", "out = x @ 1", "out = x\n  weight: 99", "out = x\n  without: foo",
     'out = x\noops: out = x[0] : "No."', "out = (x", "keep x > 1\nout = x"],
)  # fmt: skip
def test_a_sketch_is_refused_as_a_text_is(line):
    faults = []
    for reader in (read, sketch):
        with pytest.raises(FormulaError) as refused:
            reader(f"sizes: n = 3, 2\nx: tenths(n)\n{line}", "own")
        faults.append((str(refused.value), refused.value.line, refused.value.column))
    assert faults[0] == faults[1]


def test_faults_that_show_in_numbers_are_left_to_the_trial():
    text = "x: tenths(3)\nout = x / 0"
    sketch(text, "own")
    with pytest.raises(FormulaError, match="never gives a number"):
        try_text(text, "own")


def test_the_language_has_a_version():
    assert formulas.LANGUAGE == 1
