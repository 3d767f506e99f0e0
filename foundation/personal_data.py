"""Personal data: each app registers what it stores about people, how to export and erase it.

Apps register when they are ready. Together the parts make up a person's data export and the
deletion of an account, which leaves marks without a name. A test fails if a model refers to a
person and nobody has registered it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class PersonalData:
    """One app's personal data: the fields that refer to a person, as app.Model.field.

    Args:
        export: returns a person's rows in all of these fields as plain data, by heading.
        forget: deletes or empties the rows that are not kept, in the caller's transaction.
        forgotten: fields whose rows are deleted with the person.
        kept: fields whose rows stay, and why. They then refer to a person without a name.
    """

    export: Callable[[Any], dict[str, Any]]
    forget: Callable[..., None] = lambda *, student: None
    forgotten: frozenset[str] = frozenset()
    kept: dict[str, str] = field(default_factory=dict)

    @property
    def handed_out(self) -> frozenset[str]:
        """The fields whose rows are exported: all of them."""
        return self.forgotten | self.kept.keys()


_holdings: list[PersonalData] = []


def register(holding: PersonalData) -> None:
    """Register an app's personal data. Do nothing if it is registered already."""
    if holding not in _holdings:
        _holdings.append(holding)


def registered_personal_data() -> Iterator[PersonalData]:
    """Return an iterator over all that the apps have registered."""
    return iter(_holdings)
