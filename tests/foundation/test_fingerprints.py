"""Fingerprints of what was shown."""

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import StrEnum

import pytest

from foundation.fingerprints import fingerprint


class Kind(StrEnum):
    A = "a"


@dataclass(frozen=True)
class Inner:
    name: str = "Ada"
    at: datetime = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Shown:
    inner: Inner | None = Inner()
    day: date = date(2026, 1, 1)
    points: Decimal = Decimal("1.5")
    kind: Kind = Kind.A
    labels: tuple[str, ...] = ("x",)


def test_it_is_the_same_for_the_same():
    assert fingerprint(Shown(), 1) == fingerprint(Shown(), 1)


@pytest.mark.parametrize(
    "other",
    [
        Shown(inner=replace(Inner(), name="Eve")),
        Shown(inner=replace(Inner(), at=datetime(2026, 1, 2, tzinfo=UTC))),
        Shown(inner=None),
        Shown(day=date(2026, 1, 2)),
        Shown(points=Decimal("1.6")),
        Shown(labels=("x", "")),
        Shown(labels=()),
    ],
)
def test_it_is_another_one_as_soon_as_anything_is(other):
    assert fingerprint(other, 1) != fingerprint(Shown(), 1)
    assert fingerprint([other], 1) != fingerprint([Shown()], 1)


def test_what_cannot_be_compared_has_none():
    with pytest.raises(TypeError):
        fingerprint(object())
