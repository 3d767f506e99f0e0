"""The arrangement of an item's steps on its page, in rows of steps that follow from each other.

The rows, and what lights up beside a cell, follow from the rules that say which givens and earlier
steps make each step (`made_of`, attention_core/structure.py). They hold for every variant
and reveal no numbers.
"""

from collections.abc import Mapping, Sequence
from typing import Any

type Step = Mapping[str, Any]


def arrange_steps(steps: Sequence[Step]) -> list[list[int]]:
    """Return the places of steps, row by row: a step beside the one it follows from.

    A step that combines several rows begins a new one. Consecutive steps that stand alone share a
    row.

    >>> def step(key, *sources):
    ...     return {"key": key, "made_of": dict.fromkeys(sources)}
    >>> one, two = [step("a"), step("b", "a")], [step("c"), step("d", "c")]
    >>> arrange_steps([*one, *two, step("e", "b", "d")])
    [[0, 1], [2, 3], [4]]
    >>> arrange_steps([step("a"), step("b"), step("c", "a", "b")])
    [[0, 1, 2]]
    """
    chains: list[list[int]] = []
    chain_of: dict[str, int] = {}
    for place, step in enumerate(steps):
        before = {chain_of[source] for source in step["made_of"] if source in chain_of}
        if not (chains and before == {len(chains) - 1} and _follows(step, steps[place - 1])):
            chains.append([])
        chains[-1].append(place)
        chain_of[step["key"]] = len(chains) - 1
    rows: list[list[int]] = []
    for chain, previous in zip(chains, [[], *chains], strict=False):
        if len(chain) == 1 and len(previous) == 1:
            rows[-1] += chain
        else:
            rows.append(list(chain))
    return rows


def _follows(step: Step, before: Step) -> bool:
    return before["key"] in step["made_of"]


def describe_sources(wording: Mapping[str, Any]) -> str:
    """Describe for the page's script which cells of which tables make each table or choice.

    Both are numbered in the order of the page, the givens first: `2=0:r:*,1:c:*` says that a cell
    of the third is made of its row of the first and, as a row, its column of the second.
    """
    if not wording.get("to_fill"):
        return ""  # worded before there were rules
    given = [each.get("given", "") for each in wording.get("givens", ()) if each["axes"]]
    steps = wording.get("steps", ())
    places = {key: place for place, key in enumerate([*given, *(each["key"] for each in steps)])}
    lights = []
    for step in steps:
        parts = [
            f"{places[source]}:{rows}:{columns}"
            for source, (rows, columns) in step.get("made_of", {}).items()
            if source in places
        ]
        if parts:
            lights.append(f"{places[step['key']]}={','.join(parts)}")
    return ";".join(lights)
