"""One codec between pages, drafts and marking, without loss in either direction."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import families
from quizzes import problems
from quizzes.items.skills import Skill
from quizzes.problems.answers import cell_fields, fields_of, flatten, is_begun, nest
from tests.each import each

CONCEPT = problems.question_wording(key="k", topic="t", prompt="?", explanation="", choices=[])


def asked_of(family: str) -> dict:
    variant = problems.draw_variant(problems.kind_of(family, {}), "codec")
    return problems.shown(problems.variant_wording(variant), variant=variant)


@pytest.mark.xdist_group("core")
@each("family", ["concept", *families()])
def test_a_draft_that_is_frozen_comes_back_as_it_was_typed(family):
    item = CONCEPT if family == "concept" else asked_of(family)

    @settings(max_examples=20)
    @given(data=st.data())
    def comes_back(data):
        draft = {field: data.draw(st.text(max_size=3)) for field in fields_of(item)}
        assert flatten(item, nest(item, draft)) == draft

    comes_back()
    assert set(flatten(item, nest(item, {})).values()) == {""}


def test_a_cell_that_is_filled_in_takes_nothing():
    causal = asked_of("causal_attention")
    fixed = {(row, column) for row, column, _ in causal["steps"][0]["fixed"]}
    typed = {
        (cell.row, cell.column)
        for cell in cell_fields(causal)
        if cell.step == causal["steps"][0]["key"]
    }
    assert fixed
    assert not fixed & typed


def test_spaces_begin_nothing():
    item = asked_of("cosine")
    (field,) = fields_of(item)
    assert not is_begun(item, {field: " \t"})
    assert is_begun(item, {field: " 1"})


@pytest.mark.parametrize("skill", [Skill("family", "cosine"), Skill("topic", "a:b")])
def test_a_skill_is_read_back_from_its_name_in_rows(skill):
    assert Skill.parse(str(skill)) == skill


def test_an_item_tells_its_skill():
    assert Skill.of_item(CONCEPT) == Skill("topic", "t")
    assert Skill.of_item(asked_of("cosine")) == Skill("family", "cosine")
