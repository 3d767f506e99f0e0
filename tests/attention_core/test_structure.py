"""The inputs of a step's cells, by rules that hold for every variant."""

import numpy as np

from attention_core.catalogue import draw_unproved, families
from attention_core.problems.rounding import EXACT
from attention_core.structure import step_dependencies
from tests.attention_core.drawn import every_family
from tests.each import each

EVERY = [(key, options) for key, member in families().items() for options in member.combinations()]


def inputs_of_steps(key, **options):
    found = step_dependencies(families()[key], families()[key].canonical(options))
    return {
        step: {source: tuple(part) for source, part in made.items()} for step, made in found.items()
    }


def test_attention_is_made_of_rows_of_q_and_k_of_rows_of_weights_and_columns_of_v():
    assert inputs_of_steps("attention") == {
        "scores": {"Q": ("r", "*"), "K": ("c", "*")},
        "scaled": {"scores": ("r", "c")},
        "weights": {"scaled": ("r", "*")},
        "output": {"V": ("*", "c"), "weights": ("r", "*")},
    }


def test_a_word_of_self_attention_needs_its_own_row_and_the_other_words():
    assert inputs_of_steps("self_scores") == {"scores": {"X": ("rc", "*")}}


def test_two_heads_know_nothing_of_each_other_and_come_together_at_the_end():
    made = inputs_of_steps("multi_head")
    assert not {"scores_one", "weights_one", "head_one"} & set(made["head_two"])
    assert {"head_one", "head_two"} < set(made["output"])


def test_a_mask_hides_what_comes_later():
    assert inputs_of_steps("causal_attention")["weights"]["scores"] == ("r", "<r")


def test_what_is_appended_makes_the_cells_that_it_adds():
    assert inputs_of_steps("kv_cache", cached=3)["scores"]["K"] == ("c", "*")
    assert inputs_of_steps("kv_cache", cached=3)["scores"]["k"] == ("c-3", "*")
    assert inputs_of_steps("concat_heads", head_width=2)["concatenation"]["Z_2"] == ("r", "c-2")


@each("key, options", EVERY)
def test_only_what_is_shown_is_named_and_only_earlier_steps(key, options):
    shown = {given.key for given in families()[key].givens}
    for step in families()[key].steps:
        assert step_dependencies(families()[key], options)[step.key].keys() <= shown
        shown.add(step.key)


SAYS = {
    "*": lambda at, r, c: True,
    "r": lambda at, r, c: at == r,
    "c": lambda at, r, c: at == c,
    "rc": lambda at, r, c: at in (r, c),
    "<r": lambda at, r, c: at <= r,
}


def rule_covers(rule, at, r, c):
    return SAYS[rule](at, r, c) if rule in SAYS else at == c - int(rule.removeprefix("c-"))


@every_family
def test_in_a_variant_that_was_not_tried_nothing_else_makes_a_cell(key):
    member = families()[key]
    options = member.canonical({})
    problem, other = (draw_unproved(member, options, "another", draw) for draw in (1, 2))
    for step in member.steps:
        made = step_dependencies(families()[key], options)[step.key]
        typed = np.atleast_2d(problem.typed[step.key])
        for source in {given.key for given in member.givens} & problem.givens.keys():
            grid = np.atleast_2d(problem.values[source])
            for i, j in np.ndindex(grid.shape):
                values = problem.values | {source: np.array(problem.values[source])}
                np.atleast_2d(values[source])[i, j] = np.atleast_2d(other.values[source])[i, j]
                with np.errstate(all="ignore"):
                    now = np.atleast_2d(step.compute(EXACT, type(problem.values)(values)))
                changed = np.argwhere((abs(now - problem.values[step.key]) > 1e-9) & typed)
                for r, c in changed.tolist():
                    rows, columns = made[source]
                    assert rule_covers(rows, i, r, c), (step.key, source)
                    assert rule_covers(columns, j, r, c), (step.key, source)
