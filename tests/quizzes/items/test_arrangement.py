"""Steps in rows by their dependencies, and the data on cells for the page's script."""

from quizzes import problems
from quizzes.items.presenters.arrangement import arrange_steps, describe_sources


def wording(family):
    kind = problems.kind_of(family, {})
    return problems.variant_wording(problems.draw_variant(kind, "arranged"))


def in_rows(family):
    steps = wording(family)["steps"]
    return [[steps[place]["key"] for place in row] for row in arrange_steps(steps)]


def test_each_head_has_its_row_and_the_output_another():
    assert in_rows("multi_head") == [
        ["scores_one", "weights_one", "head_one"],
        ["scores_two", "weights_two", "head_two"],
        ["output"],
    ]


def test_one_chain_is_one_row():
    assert in_rows("attention") == [["scores", "scaled", "weights", "output"]]


def test_steps_that_stand_alone_share_a_row():
    assert in_rows("parameter_count") == [["attention", "feed_forward", "embedding", "model"]]


def test_what_was_worded_before_there_were_rows_is_one_row():
    steps = [{"key": "a", "made_of": {}}, {"key": "b", "made_of": {}}]
    assert arrange_steps(steps) == [[0, 1]]


def test_tables_are_counted_as_they_stand_on_the_page():
    assert describe_sources(wording("score_matrix")) == "2=0:r:*,1:c:*"


def test_single_numbers_and_choices_have_no_inputs():
    assert describe_sources(wording("parameter_count")).startswith("3=0:")
    assert describe_sources({"kind": "choice"}) == ""


def test_two_variants_of_one_kind_have_the_same_description():
    kind = problems.kind_of("encoder_block", {})
    described = {
        describe_sources(problems.variant_wording(problems.draw_variant(kind, seed)))
        for seed in "abc"
    }
    assert len(described) == 1
