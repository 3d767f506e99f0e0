"""Run one test for many cases, where a test for each would cost more than its body."""

from collections.abc import Callable, Iterable
from functools import wraps
from inspect import Parameter, signature


def each(name: str, cases: Iterable) -> Callable:
    """Decorate a test to run for one case after another. Failures are named as subtests."""
    cases = list(cases)

    def for_all(test: Callable) -> Callable:
        asked = signature(test).parameters

        @wraps(test)
        def run(subtests, **fixtures):
            if "subtests" in asked:
                fixtures["subtests"] = subtests
            for case in cases:
                with subtests.test(**{name: case}):
                    test(**{name: case}, **fixtures)

        others = [fixture for key, fixture in asked.items() if key not in (name, "subtests")]
        own = Parameter("subtests", Parameter.POSITIONAL_OR_KEYWORD)
        run.__signature__ = signature(test).replace(parameters=[own, *others])
        return run

    return for_all
