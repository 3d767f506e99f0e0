"""What the site knows of people: each app says what it holds, how to hand it out, how to forget it.

An app registers when it is ready. Put together, the parts are a person's file, and the farewell
that leaves marks without a name. A model that refers to a person and that nobody
has registered fails a test.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Holding:
    """What one app holds of people.

    Args:
        handed_out: fields that refer to a person and whose rows stand in the person's file, as
            app.Model.field.
        forgotten: such fields whose rows are deleted when the person goes.
        kept: such fields whose rows stay, and why: they then refer to somebody without a name.
        tell: a person's rows as plain data, by heading.
        forget: deletes or empties what is not kept, in the caller's transaction.
    """

    handed_out: frozenset[str]
    forgotten: frozenset[str]
    kept: dict[str, str]
    tell: Callable[[Any], dict[str, Any]]
    forget: Callable[..., None]


_holdings: list[Holding] = []


def register(holding: Holding) -> None:
    """Make known what an app holds; again changes nothing."""
    if holding not in _holdings:
        _holdings.append(holding)


def holdings() -> Iterator[Holding]:
    """What every app has registered."""
    return iter(_holdings)
