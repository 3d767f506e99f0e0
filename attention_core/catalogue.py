"""The catalogue of families, read from families/, and stored variants."""

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

import attention_core.problems.families
from attention_core import formulas
from attention_core.errors import AuthorError, UnknownFamily
from attention_core.maths.arrays import Nested
from attention_core.problems.drawing import open_stream
from attention_core.problems.family import Family, Problem, Words


@cache
def families() -> Mapping[str, Family]:
    """Return all families by key, in the order of their keys.

    >>> families()["softmax_row"].title
    'Softmax of a row'
    """
    found, package = {}, attention_core.problems.families
    for module in sorted(pkgutil.iter_modules(package.__path__), key=lambda module: module.name):
        member: Family = importlib.import_module(f"{package.__name__}.{module.name}").FAMILY
        if member.key != module.name:
            raise AuthorError(f"families/{module.name}.py defines the family {member.key!r}")
        found[member.key] = member
    for file in Path(package.__path__[0]).glob("*.txt"):
        found[file.stem] = formulas.read(file.read_text("utf-8"), file.stem)
    return MappingProxyType(dict(sorted(found.items())))


# Keys of families that a site stores begin so, and those of shipped families never do.
OWN = "own_"

# Returns the family stored under a key, in this version or in the newest one; raises UnknownFamily.
type Loader = Callable[[str, int | None], Family]

_loaders: list[Loader] = []


def register_loader(loader: Loader) -> None:
    r"""Register the loader of the families that a site stores, whose keys begin with `OWN`.

    >>> from attention_core import formulas
    >>> stored = formulas.read("x: tenths(2)\ny = 2 * x", "own_doubled")
    >>> before = _loaders[:]
    >>> register_loader(lambda key, version: stored)
    >>> family("own_doubled", 1).title
    'own doubled'
    >>> _loaders[:] = before
    """
    _loaders[:] = [loader]


def family(key: str, version: int | None = None) -> Family:
    """Return the family under this key.

    Shipped families are there in their present version only, whichever is asked for.

    Args:
        version: which version of a stored family; the newest one unless given.

    Raises:
        UnknownFamily: there is none; the message lists the shipped ones.

    >>> family("dot_score").version
    2
    """
    if key.startswith(OWN):
        for loader in _loaders:
            return loader(key, version)
    try:
        return families()[key]
    except KeyError:
        raise UnknownFamily(f"no family {key!r}; there are {', '.join(families())}") from None


def draw_unproved(member: Family, options: Mapping[str, int], seed: str, draw: int) -> Problem:
    """Return the draw-th try at a variant, not yet proved fit to ask.

    >>> draw_unproved(family("cosine"), {"width": 2}, "7", 0).givens["a"].shape
    (2,)
    """
    stream = open_stream(member.key, member.version, options, seed, draw)
    drawn = member.draw(stream, options)
    return Problem(member, dict(options), seed, drawn.numbers, drawn.words, version=member.version)


def problem_to_json(problem: Problem) -> dict[str, Any]:
    """Return the whole variant as JSON without NaN or ∞.

    >>> from attention_core import draw
    >>> sorted(problem_to_json(draw("cosine", seed=7))["tolerance"])
    ['cosine']
    """
    return {
        "family": problem.family.key,
        "version": problem.version,
        "options": dict(problem.options),
        "seed": problem.seed,
        "words": {name: list(words) for name, words in problem.words.items()},
        "givens": {name: array.tolist() for name, array in problem.givens.items()},
        "solution": {name: array.tolist() for name, array in problem.solution.items()},
        "tolerance": dict(problem.tolerance),
    }


def problem_from_json(stored: Mapping[str, Any]) -> Problem:
    """Return the problem of a stored variant, with the current family.

    Raises:
        UnknownFamily: its family is no longer there.

    >>> from attention_core import draw
    >>> problem = draw("cosine", seed=7)
    >>> problem_from_json(problem_to_json(problem)).statement == problem.statement
    True
    """
    return Problem(
        family(stored["family"], stored["version"]),
        stored["options"],
        stored["seed"],
        {name: np.array(array, dtype=np.float64) for name, array in stored["givens"].items()},
        {name: tuple(words) for name, words in stored["words"].items()},
        stored["tolerance"],
        stored["version"],
    )


class StoredProblem(NamedTuple):
    """The parts of a stored variant that marking needs, as they are stored."""

    family: Family
    givens: Mapping[str, Nested]
    words: Words
    tolerance: Mapping[str, float]


def stored_problem(stored: Mapping[str, Any]) -> StoredProblem:
    """Return a stored variant with its current family. Raise UnknownFamily if that is gone.

    >>> from attention_core import draw, mark_many
    >>> from attention_core.grading.mark import AnsweredItem
    >>> stored = stored_problem(problem_to_json(draw("cosine", seed=7)))
    >>> mark_many([AnsweredItem(stored, {})])[0].verdict
    'blank'
    """
    return StoredProblem(
        family(stored["family"], stored["version"]),
        stored["givens"],
        stored["words"],
        stored["tolerance"],
    )
