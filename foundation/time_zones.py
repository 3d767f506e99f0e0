"""Time zones: which there are, how they are chosen, and what a moment in one is called."""

import zoneinfo
from functools import cache

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

# The others are old names, or of no place.
_REGIONS = (
    *("Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia"),
    *("Europe", "Indian", "Pacific"),
)


@cache
def names() -> frozenset[str]:
    """Every zone of the IANA's list that this machine knows."""
    return frozenset(zoneinfo.available_timezones())


def validate_zone(name: str) -> None:
    """Raise ValidationError unless there is such a zone."""
    if name not in names():
        raise ValidationError(_("There is no time zone with this name."), "invalid")


@cache
def choices() -> list[tuple[str, list[tuple[str, str]]]]:
    """The zones of places, by region, as a list to choose from has them; and UTC."""
    found: dict[str, list[tuple[str, str]]] = {}
    for name in sorted(names()):
        region, _slash, place = name.partition("/")
        if place and region in _REGIONS:
            found.setdefault(region, []).append((name, place.replace("_", " ").replace("/", ", ")))
    return [("UTC", [("UTC", "UTC")]), *found.items()]
