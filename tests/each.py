"""Run one test for many cases, where a test for each would cost more than its body."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from functools import wraps
from inspect import Parameter, signature
from typing import Any

from django.db import connection, transaction
from django.test import Client

OWN = ("subtests", "request")


def each(names: str, cases: Iterable) -> Callable:
    """Decorate a test to run for one case after another. Failures are named as subtests.

    Cases have the form that `parametrize` takes. Changes to rows and to cookies of the test's
    clients are undone after each case.
    """
    wanted = [name.strip() for name in names.split(",")]
    cases = [case if len(wanted) > 1 else (case,) for case in cases]

    def for_all(test: Callable) -> Callable:
        asked = signature(test).parameters

        @wraps(test)
        def run(subtests, request, **fixtures):
            own = {"subtests": subtests, "request": request}
            fixtures |= {name: own[name] for name in OWN if name in asked}
            for case in cases:
                values = dict(zip(wanted, case, strict=True))
                with subtests.test(**values), undone(fixtures.values()):
                    test(**values, **fixtures)

        others = [fixture for name, fixture in asked.items() if name not in (*wanted, *OWN)]
        own = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in OWN]
        run.__signature__ = signature(test).replace(parameters=[*own, *others])
        return run

    return for_all


@contextmanager
def undone(fixtures: Iterable[Any] = ()) -> Iterator[None]:
    """Undo changes to rows, if the test runs in a transaction, and to cookies of clients."""
    clients = {one: deepcopy(one.cookies) for one in fixtures if isinstance(one, Client)}
    try:
        if connection.in_atomic_block:
            with transaction.atomic():
                yield
                transaction.set_rollback(True)
        else:
            yield
    finally:
        for client, cookies in clients.items():
            client.cookies = cookies
