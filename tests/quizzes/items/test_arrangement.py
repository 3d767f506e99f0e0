"""Steps in rows by their dependencies, and the data on cells for the page's script."""

from quizzes import problems
from quizzes.items.presenters.arrangement import arrange_steps, describe_sources
from tests.each import each


def wording(family, seed="arranged"):
    return problems.variant_wording(problems.draw_variant(problems.kind_of(family, {}), seed))


def in_rows(family):
    steps = wording(family)["steps"]
    return [[steps[place]["key"] for place in row] for row in arrange_steps(steps)]


HEAD = ("scores", "weights", "head")


@each(
    "family, rows",
    [
        ("attention", [["scores", "scaled", "weights", "output"]]),  # one chain
        ("parameter_count", [["attention", "feed_forward", "embedding", "model"]]),  # no chain
        (
            "multi_head",
            [*([f"{step}_{head}" for step in HEAD] for head in ("one", "two")), ["output"]],
        ),
    ],
)
def test_each_chain_of_steps_has_its_row_and_what_joins_them_another(family, rows):
    assert in_rows(family) == rows


def test_what_was_worded_before_there_were_rows_is_one_row():
    assert arrange_steps([{"key": "a", "made_of": {}}, {"key": "b", "made_of": {}}]) == [[0, 1]]


def test_tables_and_choices_are_counted_as_they_stand_on_the_page_and_a_concept_has_none():
    assert describe_sources(wording("score_matrix")) == "2=0:r:*,1:c:*"
    assert describe_sources(wording("parameter_count")).startswith("3=0:")
    # A choice after two tables of steps.
    assert describe_sources(wording("next_token")).endswith(";3=2:*:*;4=3:*:*")
    assert describe_sources({"kind": "choice"}) == ""


def test_two_variants_of_one_kind_have_the_same_description():
    assert len({describe_sources(wording("encoder_block", seed)) for seed in "abc"}) == 1
