"""The number of distinct givens that a family can draw, and the part kept for exams.

Givens are distinguished by their fingerprints. Where a family at certain sizes has few, all are
found and proved. Where it has many, their number is estimated from how seldom two draws are equal:
n draws from N make about n² / 2N pairs of equals.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import batched, count, islice
from math import sqrt

from attention_core.catalogue import draw_unproved
from attention_core.problems.facts import Sizes, Variety
from attention_core.problems.family import Family, Problem
from attention_core.proving import examine_many

MAX_DISTINCT = 5_000  # The search ends here; every shipped family offers as many at all its sizes.
FEW_DISTINCT = 100  # With fewer, a bit of the fingerprint might leave one half empty.

_SUFFICIENT_PAIRS = 100  # pairs of equals that give the estimate to about a tenth
# A family that may have fewer than _COUNTED is counted, unless there are too many to prove.
_COUNTED_BELOW = 3 * FEW_DISTINCT
_MAX_COUNTED = 1_000
# Proofs are expensive: _FIT fit draws, or one of _PROVED tried, show the share well enough.
_SUFFICIENT_FIT = 4
_PROVED = 10
_MAX_PROVED = 200
_MAX_DRAWN = 5_000


def variety(family: Family, options: Mapping[str, object]) -> Variety:
    """Return the variety of fit givens of a family at these sizes, the same on every machine.

    The first call takes some tens of milliseconds for a family that has enough, and up to a few
    seconds for one that has few; after that the result is cached.

    Raises:
        BadOptions: there is no such size.

    >>> from attention_core import family
    >>> str(variety(family("cosine"), {"width": 2}))
    'at least 5,000'
    """
    sizes = tuple(family.canonical(options).items())
    facts = family.facts.get(sizes)
    return facts.variety if facts else _variety(family, sizes)


def is_kept_for_exams(family: Family, options: Mapping[str, object], fingerprint: str) -> bool:
    """Return whether these numbers are kept for exams, so that practice never shows them.

    A bit of the fingerprint alone decides, whatever the family, its version and its sizes: it never
    changes. If there are fewer than FEW fit givens, every second of them, in the order of their
    fingerprints, belongs to exams, so that neither half is empty where there are two. (A family
    that is widened beyond FEW divides its first givens again.)

    >>> from attention_core import family
    >>> [is_kept_for_exams(family("cosine"), {}, some * 32) for some in ("7f", "8f")]
    [False, True]
    """
    few = variety(family, options).fingerprints
    if fingerprint in few:
        return sorted(few).index(fingerprint) % 2 == 1
    return int(fingerprint[0], 16) >= 8


@lru_cache(maxsize=1000)
def _variety(family: Family, sizes: Sizes) -> Variety:
    share = _share_of_fit(family, sizes)
    times: Counter[str] = Counter()
    pairs = distinct = 0
    for drawn, problem in enumerate(islice(_draws(family, sizes), _MAX_DRAWN), start=1):
        pairs += times[problem.fingerprint]
        times[problem.fingerprint] += 1
        to_draw_from = _minimum_distinct(drawn, pairs)
        distinct = min(int(share * to_draw_from), MAX_DISTINCT)
        if distinct == MAX_DISTINCT or pairs >= _SUFFICIENT_PAIRS:
            break
    if pairs >= _SUFFICIENT_PAIRS and distinct < _COUNTED_BELOW and to_draw_from < _MAX_COUNTED:
        return _enumerate_variety(family, sizes)
    return Variety(distinct, enumerated=False)


def _draws(family: Family, sizes: Sizes) -> Iterator[Problem]:
    """Yield unproved problems without end, always the same ones."""
    return (draw_unproved(family, dict(sizes), "variety", number) for number in count())


def _share_of_fit(family: Family, sizes: Sizes) -> float:
    """Return which share of the draws passes the proof, roughly, and rather too low."""
    fit = tried = 0
    for some in batched(islice(_draws(family, sizes), _MAX_PROVED), _SUFFICIENT_FIT, strict=False):
        for _problem, cause in examine_many(some):
            tried += 1
            fit += not cause
            if fit >= (1 if tried >= _PROVED else _SUFFICIENT_FIT):
                return fit / (tried + 1)
    return fit / (tried + 1)


def _minimum_distinct(drawn: int, pairs: int) -> float:
    """Return how many givens there are at least, from the few pairs of equal draws.

    The term added to the pairs makes up for luck, nineteen times in twenty. If some numbers are
    likelier than others, there are still more.
    """
    return drawn * (drawn - 1) / 2 / (pairs + 2 * sqrt(pairs) + 3)


def _enumerate_variety(family: Family, sizes: Sizes) -> Variety:
    """Draw all givens, prove them, and return the variety of the fit ones."""
    found: dict[str, Problem] = {}
    without_a_new_one = 0
    for problem in _draws(family, sizes):
        if problem.fingerprint in found:
            without_a_new_one += 1
        else:
            found[problem.fingerprint] = problem
            without_a_new_one = 0
        if without_a_new_one > 10 * (len(found) + 10):
            break
    causes = [cause for _problem, cause in examine_many([*found.values()])]
    fit = [mark for mark, cause in zip(found, causes, strict=True) if not cause]
    return Variety(len(fit), True, frozenset(fit) if len(fit) < FEW_DISTINCT else frozenset())
