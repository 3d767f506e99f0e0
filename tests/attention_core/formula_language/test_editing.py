"""A page sets which mistakes a step keeps and how they're worded; the rest of a text stays."""

import pytest

from attention_core.errors import AuthorError, FormulaError
from attention_core.formulas import edit_mistakes, read
from attention_core.formulas.text import read_lines
from tests.attention_core.formula_language.test_trials_kept import TEXTS
from tests.each import each

TEXT = """sizes: n = 3
x, y: tenths(n)
total = x + y
  label: The sum
# mind the signs
  without: subtracted

  reword no_y:   Add y.
z = total * 2  # not a comment
"""
TEXT = TEXT.replace("  # not a comment", "")
PLAIN = "x, y: tenths(3)\ntotal = x + y\nz = total * 2"


def keys(text, step="total"):
    return {known.key for known in read(text, "own").step(step).mistakes}


def test_what_is_as_it_should_be_stays_byte_for_byte():
    rewordings = {"no_y": "Add y."}
    assert edit_mistakes(TEXT, "total", without={"subtracted"}, rewordings=rewordings) == TEXT
    assert edit_mistakes(TEXT, "z") == TEXT


@each("ending", ["\n", "\r\n"])
@each("last", ["", "\n"])
def test_lines_are_added_changed_and_removed(ending, last):
    text = (PLAIN.rpartition("\n")[0] + last).replace("\n", ending)
    kept = ending.join(["x, y: tenths(3)", "total = x + y"])
    added = edit_mistakes(text, "total", without=["no_y"], rewordings={"no_x": "Add\r\nx \n too."})
    lines = [kept, "    without: no_y", "    reword no_x: Add x too."]
    assert added == ending.join(lines) + last.replace("\n", ending)
    changed = edit_mistakes(added, "total", without=["no_x"], rewordings={"no_y": "And y."})
    lines = [kept, "    without: no_x", "    reword no_y: And y."]
    assert changed == ending.join(lines) + last.replace("\n", ending)
    assert keys(changed) == keys(text) - {"no_x"}
    assert read(changed, "own").steps[0].mistake("no_y").feedback == "And y."
    assert edit_mistakes(changed, "total") == text


@each("key", TEXTS)
def test_each_mistake_can_be_left_out_or_reworded_and_put_back(key):
    text = TEXTS[key]
    for step, entry in zip(read(text, key).steps, read_lines(text).steps, strict=True):
        known = [each.key for each in step.mistakes]
        free = [each for each in known if each not in ("uniform", "hard_max")]
        without = [*(entry.keys("without") or ()), *free[:1]]
        rewordings = {each: f"{each}: no." for each in known if each not in free[:1]}
        edited = edit_mistakes(text, step.key, without=without, rewordings=rewordings)
        again = edit_mistakes(edited, step.key, without=without, rewordings=rewordings)
        assert again == edited
        mistakes = read(edited, key).step(step.key).mistakes
        assert [each.key for each in mistakes] == [each for each in known if each not in free[:1]]
        assert all(each.feedback == rewordings[each.key] for each in mistakes)
        back = read(edit_mistakes(edited, step.key), key).step(step.key)
        assert {*known} <= {each.key for each in back.mistakes}


def test_a_list_of_mistakes_loses_those_left_out_and_takes_them_back():
    text = PLAIN.replace("x + y", "x + y\n  mistakes: no_x, subtracted\n  weight: 2")
    edited = edit_mistakes(text, "total", without=["no_x"])
    assert "\n  mistakes: subtracted\n  weight: 2\n  without: no_x\n" in edited
    assert keys(edited) == {"subtracted"}
    assert keys(edit_mistakes(edited, "total")) == {"subtracted", "no_x"}
    none = edit_mistakes(edited, "total", without=["no_x", "subtracted"])
    assert "\n  mistakes:\n" in none
    assert keys(none) == set()


def test_a_rewording_of_what_is_left_out_or_nothing_is_not_written():
    rewordings = {"no_x": "Add x.", "no_y": " \n"}
    edited = edit_mistakes(PLAIN, "total", without=["no_x"], rewordings=rewordings)
    assert "reword" not in edited
    assert keys(edited) == keys(PLAIN) - {"no_x"}


def test_of_two_rewordings_of_one_mistake_one_is_left():
    text = PLAIN.replace("x + y", "x + y\n  reword no_x: One.\n  reword no_x: Two.")
    edited = edit_mistakes(text, "total", rewordings={"no_x": "Two."})
    assert edited.count("reword") == 1
    assert read(edited, "own").steps[0].mistake("no_x").feedback == "Two."


def test_only_steps_and_keys_are_edited():
    with pytest.raises(FormulaError, match="no step x"):
        edit_mistakes(PLAIN, "x")
    for key in ("a b", "a: b", "a,b", ""):
        with pytest.raises(AuthorError, match="the key"):
            edit_mistakes(PLAIN, "total", rewordings={key: "No."})
        with pytest.raises(AuthorError, match="the key"):
            edit_mistakes(PLAIN, "total", without=[key])
