"""What the site knows of people: each app says what it holds, how to hand it out, how to forget it.

An app registers when it is ready. Put together, the parts are a person's file, and the farewell
that leaves marks without a name. A model that refers to a person and that nobody
has registered fails a test.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Holding:
    """What one app holds of people, in fields that refer to a person, as app.Model.field.

    Args:
        tell: a person's rows as plain data, by heading: those of all of these fields.
        forget: deletes or empties what is not kept, in the caller's transaction.
        forgotten: fields whose rows are deleted when the person goes.
        kept: fields whose rows stay, and why: they then refer to somebody without a name.
    """

    tell: Callable[[Any], dict[str, Any]]
    forget: Callable[..., None] = lambda *, student: None
    forgotten: frozenset[str] = frozenset()
    kept: dict[str, str] = field(default_factory=dict)

    @property
    def handed_out(self) -> frozenset[str]:
        """The fields whose rows stand in a person's file: all of them."""
        return self.forgotten | self.kept.keys()


_holdings: list[Holding] = []


def register(holding: Holding) -> None:
    """Make known what an app holds; again changes nothing."""
    if holding not in _holdings:
        _holdings.append(holding)


def holdings() -> Iterator[Holding]:
    """What every app has registered."""
    return iter(_holdings)
