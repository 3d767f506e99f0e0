"""Advice to authors: why draws of their problem aren't fit to ask, and what to do instead."""

import re
from collections import Counter
from collections.abc import Mapping

LEAST_SHARE = 0.15

# The causes that the proof gives; what each says of the draws, and what helps.
_CAUSES = (
    (
        r"outside the family’s bounds",
        "the “keep” lines aren’t met: widen them, or draw numbers that meet them more often.",
    ),
    (
        r"rounding strays too far",
        "rounding alone exceeds the tolerance: draw smaller numbers, or divide earlier.",
    ),
    (
        r"(?P<step>\w+): right is not finite",
        "{step} isn’t a number: don’t divide by 0 or by almost 0, and take roots and logarithms "
        "only of numbers above 0.",
    ),
    (
        r"(?P<step>\w+): (?P<one>\w+) is not finite",
        "the mistake {one} of {step} isn’t a number: leave it out, or draw numbers so that it "
        "doesn’t divide by 0.",
    ),
    (
        r"(?P<step>\w+): right looks like (?P<one>\w+)",
        "the mistake {one} gives the right {step}: leave it out, or draw numbers that tell the "
        "two apart.",
    ),
    (
        r"(?P<step>\w+): (?P<one>\w+) looks like (?P<other>\w+)",
        "the mistakes {one} and {other} give the same {step}: leave one of them out, or draw "
        "numbers that tell them apart.",
    ),
    (
        r"(?P<step>\w+): (?P<one>\w+) leaves only zeros",
        "nothing but zeros is left after the mistake {one} of {step}, and later steps can’t be "
        "marked from those: leave it out.",
    ),
    (
        r"(?P<step>\w+): (?P<one>\w+) by .+ is marked \w+",
        "rounding hides the mistake {one}, so that marking doesn’t name it at {step}: leave it "
        "out, or draw smaller numbers.",
    ),
    (
        r"(?P<step>\w+): .+ is marked \w+",
        "careful work on {step} isn’t marked right: draw smaller numbers, or make two steps of it.",
    ),
    (
        r"not wanted",
        "the numbers are those of an earlier variant: draw more numbers, or from a wider range.",
    ),
)


def advise(rejects: Mapping[str, int], drawn: int) -> list[str]:
    """Return sentences on the causes that reject at least 15 % of the draws, the worst first.

    Args:
        rejects: the draws that each cause rejects, by the texts of `attention_core.proving`.
        drawn: the number of all draws.

    >>> advise({"not wanted": 31, "s: right looks like no_b": 2}, 200)[0].partition(":")[0]
    'In 31 of 200 draws the numbers are those of an earlier variant'
    """
    counts: Counter[str] = Counter()
    for cause, times in rejects.items():
        counts[_advice(cause)] += times
    return [
        f"In {times} of {drawn} draws {advice}"
        for advice, times in counts.most_common()
        if times and times >= LEAST_SHARE * drawn
    ]


def _advice(cause: str) -> str:
    for pattern, advice in _CAUSES:
        if match := re.fullmatch(pattern, cause):
            return advice.format(**match.groupdict())
    return f"the proof fails for another reason, “{cause}”."
