"""Families that a site stores: found by key and version, with what was worked out of them."""

import json

import pytest

from attention_core import catalogue, family, formulas
from attention_core.catalogue import OWN, families, problem_from_json, problem_to_json
from attention_core.errors import UnknownFamily
from attention_core.facts import work_out_facts
from attention_core.problems.facts import Facts, Variety, facts_from_json, facts_to_json
from attention_core.proving import prove
from attention_core.structure import step_dependencies
from attention_core.variety import variety

TEXT = "sizes: d = 2, 3\nq, k: tenths(d)\ns = q @ k"


@pytest.fixture
def stored(monkeypatch):
    """Return two versions of a family that a loader finds, by their numbers."""
    versions = {
        1: formulas.read(TEXT, "own_score", version=1),
        2: formulas.read(TEXT.replace("q @ k", "q @ k / 2"), "own_score", version=2),
    }

    def load(key, version):
        if key != "own_score":
            raise UnknownFamily(key)
        return versions[version or 2]

    monkeypatch.setattr(catalogue, "_loaders", [load])
    return versions


def test_no_shipped_key_is_one_of_the_sites():
    assert [key for key in families() if key.startswith(OWN)] == []


def test_the_newest_version_is_found_unless_one_is_named(stored):
    assert family("own_score") is stored[2]
    assert family("own_score", 1) is stored[1]


def test_an_unknown_key_is_unknown_with_a_loader_and_without_one(stored, monkeypatch):
    with pytest.raises(UnknownFamily):
        family("own_other")
    monkeypatch.setattr(catalogue, "_loaders", [])
    with pytest.raises(UnknownFamily):
        family("own_score")


def test_a_shipped_family_is_found_whichever_version_is_asked_for(stored):
    assert family("cosine", 1) is family("cosine")


def test_a_stored_variant_keeps_the_version_that_it_was_drawn_from(stored):
    """A correction must not reach what was asked before."""
    problem = prove(stored[1], "7", {}).problem
    again = problem_from_json(json.loads(json.dumps(problem_to_json(problem))))
    assert again.family is stored[1]
    assert again.values.s == problem.values.s


def test_facts_that_are_stored_are_not_worked_out_again():
    known = Facts(1, 2.5, Variety(7, True, frozenset("ab")), {"s": {}})
    member = formulas.read(TEXT, "own_score")
    member.facts[(("d", 2),)] = known  # type: ignore[index]
    assert variety(member, {"d": 2}) is known.variety
    assert step_dependencies(member, {"d": 2}) is known.dependencies
    assert variety(member, {"d": 3}).distinct > 7


def test_facts_survive_being_stored():
    facts = work_out_facts(formulas.read(TEXT, "own_score"), {"d": 3})
    assert facts_from_json(json.loads(json.dumps(facts_to_json(facts)))) == facts
