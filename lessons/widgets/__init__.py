"""The widgets of lessons: parameters in YAML, HTML out. One file each, found by being here.

A file's ABOUT says in the author's menu what the widget shows; its EXAMPLE is what the menu
inserts: the widget's parameters, filled in, in YAML.
Every number that a widget shows beyond its parameters is computed by `attention_core`.
"""

from importlib import import_module
from pkgutil import iter_modules

from lessons.widgets.widget import about, example, names, render

__all__ = ["about", "example", "names", "render"]

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
