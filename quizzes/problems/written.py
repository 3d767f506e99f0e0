"""Families that the site stores as formulas: how their texts and facts are read."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from attention_core import formulas
from attention_core.errors import AuthorError, UnknownFamily
from attention_core.problems.facts import facts_from_json
from attention_core.problems.family import Family


def read_stored(key: str, version: int, text: str, facts: Mapping[str, Any]) -> Family:
    """Return the family that a stored text describes, with the facts that its proof worked out.

    Nothing is tried again: what the proof found is taken as it is.

    Raises:
        UnknownFamily: today's reader cannot read it.
    """
    try:
        family = formulas.read(text, key, version=version, trials=facts["trials"])
    except AuthorError as trouble:
        raise UnknownFamily(f"{key}, version {version}, cannot be read: {trouble}") from trouble
    return replace(
        family,
        facts={
            tuple((name, at["options"][name]) for name in family.options): facts_from_json(at)
            for at in facts["sizes"]
        },
    )
