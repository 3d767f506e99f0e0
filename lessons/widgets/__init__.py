"""The widgets of lessons: each module here defines one `WIDGET`, and is found automatically."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType

from lessons.widget import Widget


def names() -> list[str]:
    """Return the names that a fenced block can have, sorted."""
    return list(_widgets())


def widget(name: str) -> Widget:
    """Return the widget of this name, which is one of `names()`."""
    return _widgets()[name]


def example(name: str) -> str:
    """Return the fenced block that the author's menu inserts."""
    return f"```{name}\n{widget(name).example.strip()}\n```"


@cache
def _widgets() -> Mapping[str, Widget]:
    found = sorted(module.name for module in iter_modules(__path__))
    return MappingProxyType({name: import_module(f"{__name__}.{name}").WIDGET for name in found})
