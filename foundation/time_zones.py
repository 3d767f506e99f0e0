"""Time zones: their names, a validator, the choices for a form, and names as people type them."""

import unicodedata
import zoneinfo
from functools import cache

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

# The others are old names, or name no place.
_REGIONS = (
    *("Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia"),
    *("Europe", "Indian", "Pacific"),
)


@cache
def names() -> frozenset[str]:
    """Return every IANA zone that this machine knows."""
    return frozenset(zoneinfo.available_timezones())


def validate_zone(name: str) -> None:
    """Raise ValidationError unless there is such a zone."""
    if name not in names():
        raise ValidationError(_("There’s no time zone with this name."), "invalid")


@cache
def choices() -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the zones of places by region, as grouped choices, after UTC."""
    found: dict[str, list[tuple[str, str]]] = {}
    for name in sorted(names()):
        region, _slash, place = name.partition("/")
        if place and region in _REGIONS:
            found.setdefault(region, []).append((name, place.replace("_", " ").replace("/", ", ")))
    return [("UTC", [("UTC", "UTC")]), *found.items()]


def find_zone(typed: str) -> str:
    """Return the zone of a name, or of a city however it is written, such as "zürich"; else ""."""
    return typed if typed in names() else _zones_by_city().get(_plain(typed), "")


@cache
def _zones_by_city() -> dict[str, str]:
    zones = (name for _region, places in choices() for name, _place in places)
    return {_plain(name.rpartition("/")[2]): name for name in zones}


def _plain(text: str) -> str:
    """Return a name without case and accents."""
    parts = unicodedata.normalize("NFKD", text.replace("_", " ")).casefold()
    return "".join(each for each in parts if not unicodedata.combining(each)).strip()
