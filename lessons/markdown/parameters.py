"""Parameters of widgets: a few lines of YAML, read strictly and validated one by one."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any

import yaml
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from lessons.errors import ContentError

MAX_LINES = 24
# Characters that a YAML escape can make and nothing can store: NUL and lone surrogates.
_NO_CHARACTER = re.compile(r"[\0\ud800-\udfff]")
_HINT = gettext_lazy(
    "Text that begins with a symbol or contains a colon needs quotation marks around it"
)


class _StrictLoader(yaml.SafeLoader):
    """Plain data only: no name twice, no aliases, which could expand a few lines to millions."""

    def construct_mapping(self, node, deep=False):
        names = set()
        for key, _value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                continue
            if key.value in names:
                mark = key.start_mark
                message = _("“%(name)s” appears twice") % {"name": key.value}
                raise ContentError(message, line=mark.line + 1, column=mark.column + 1)
            names.add(key.value)
        return super().construct_mapping(node, deep=deep)

    def compose_node(self, parent, index):
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark
            raise yaml.MarkedYAMLError(problem=_("aliases aren’t allowed"), problem_mark=mark)
        node = super().compose_node(parent, index)
        if isinstance(node, yaml.ScalarNode) and _NO_CHARACTER.search(node.value):
            problem = _("it contains a character that isn’t allowed")
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)
        return node


def _whole(loader, node):
    """Refuse very long integers, which Python does not print and no database stores."""
    if len(node.value) > 18:
        problem = _("it contains a number that’s too long")
        raise yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)
    return loader.construct_yaml_int(node)


_StrictLoader.add_constructor("tag:yaml.org,2002:int", _whole)

# “on” and “no” are words of sentences here: only true and false are flags.
_StrictLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:bool"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_StrictLoader.add_implicit_resolver(
    "tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$", re.IGNORECASE), list("tTfF")
)


def read_yaml(text: str) -> Any:
    """Return the YAML text as plain data.

    Raises:
        ContentError: it is not YAML; its line and column count within the text.
    """
    try:
        return yaml.load(text, _StrictLoader)  # noqa: S506 - a SafeLoader
    except ContentError:
        raise
    except yaml.MarkedYAMLError as error:
        message = _("this isn’t YAML: %(trouble)s. %(hint)s")
        message, mark = message % {"trouble": error.problem, "hint": _HINT}, error.problem_mark
        if mark is None:
            raise ContentError(message) from None
        raise ContentError(message, line=mark.line + 1, column=mark.column + 1) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ContentError(_("this isn’t YAML: %(trouble)s") % {"trouble": error}) from None


def text_lines(text: str) -> dict[str, int]:
    """Return the line on which each text of the YAML begins, by name; in lists name.0.name."""
    found: dict[str, int] = {}

    def walk(node: yaml.Node, path: str) -> None:
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                walk(value, f"{path}.{key.value}".lstrip("."))
        elif isinstance(node, yaml.SequenceNode):
            for number, value in enumerate(node.value):
                walk(value, f"{path}.{number}")
        else:
            # A block's text begins on the line below its indicator.
            found[path] = node.start_mark.line + 1 + (node.style in ("|", ">"))

    walk(yaml.compose(text, _StrictLoader), "")
    return found


def read_parameters[Parameters](parameters: type[Parameters], text: str) -> Parameters:
    """Return an instance with the YAML's values; its `__post_init__` validates them.

    Raises:
        ContentError: the YAML is wrong, or a parameter is unknown, missing or not valid.
    """
    data = read_yaml(text)
    if not isinstance(data, dict):
        raise ContentError(_("a widget’s parameters must be lines of the form name: value"))
    known = [field.name for field in fields(parameters)]
    for name in data:
        if name not in known:
            message = _("there’s no parameter “%(name)s”; the parameters are: %(names)s")
            names = {"name": name, "names": ", ".join(known)}
            raise ContentError(message % names, **place(text, name))
    try:
        return parameters(**data)
    except TypeError as error:  # the dataclass lacks arguments
        missing = str(error).rpartition(": ")[2].replace("'", "")
        raise ContentError(_("missing: %(names)s") % {"names": missing}) from None
    except ContentError as error:
        # Checks do not know line numbers: the message names the parameter, which is looked up.
        if error.line is None and (named := _first_named(error.message, data)):
            raise ContentError(error.message, **place(text, named)) from None
        raise


def _first_named(message: str, names: Iterable[str]) -> str | None:
    """Return the first word of the message that is one of the names."""
    wanted = set(names)
    return next((word for word in re.findall(r"\w+", message) if word in wanted), None)


def place(text: str, name: Any) -> dict[str, int]:
    """Return the line and column of the text at which a parameter or a field begins."""
    root = yaml.compose(text, _StrictLoader)
    marks = {key.value: key.start_mark for key, _value in root.value}
    mark = marks.get(str(name))
    return {"line": mark.line + 1, "column": mark.column + 1} if mark else {}


def check_text(name: str, value: Any) -> None:
    if not isinstance(value, str) or not value.strip():
        raise ContentError(_("%(name)s must be text") % {"name": name})


def check_caption(value: Any) -> None:
    if not isinstance(value, str):
        raise ContentError(_("caption must be text, in quotation marks if it contains a colon"))


def check_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    if value not in choices:
        message = _("%(name)s must be one of: %(names)s; not “%(value)s”")
        raise ContentError(message % {"name": name, "names": ", ".join(choices), "value": value})


def check_flag(name: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise ContentError(_("%(name)s must be true or false") % {"name": name})


def check_decimals(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value not in range(7):
        raise ContentError(_("%(name)s must be a whole number from 0 to 6") % {"name": name})


def check_temperature(name: str, value: Any) -> None:
    if not _is_number(value) or not 0.01 <= value <= 100:
        raise ContentError(_("%(name)s must be a number from 0.01 to 100") % {"name": name})


def check_range(name: str, value: Any) -> None:
    if not _is_list(value) or len(value) != 2 or not all(map(_is_number, value)):
        raise ContentError(
            _("%(name)s must be true, false or a range such as [0, 1]") % {"name": name}
        )
    if value[0] >= value[1]:
        raise ContentError(_("%(name)s must have its smaller number first") % {"name": name})


def check_labels(name: str, value: Any, count: int) -> None:
    if not _is_list(value) or not all(isinstance(label, str | int | float) for label in value):
        raise ContentError(_("%(name)s must be a list of labels") % {"name": name})
    if len(value) != count:
        message = ngettext(
            "%(name)s must be a list of %(count)s label, not %(labels)s",
            "%(name)s must be a list of %(count)s labels, not %(labels)s",
            count,
        )
        raise ContentError(message % {"name": name, "labels": len(value), "count": count})


def check_words(name: str, value: Any) -> None:
    if not _is_list(value) or not value or not all(_is_word(word) for word in value):
        raise ContentError(_("%(name)s must be a list of words: [the, cat, sat]") % {"name": name})
    if len(value) > MAX_LINES:
        message = _("%(name)s can have at most %(most)s words")
        raise ContentError(message % {"name": name, "most": MAX_LINES})


def check_numbers(name: str, value: Any) -> None:
    if not _is_list(value) or not value:
        raise ContentError(_("%(name)s must be a list of numbers: [2, 1, 0.5]") % {"name": name})
    if len(value) > MAX_LINES:
        message = _("%(name)s can have at most %(most)s numbers")
        raise ContentError(message % {"name": name, "most": MAX_LINES})
    for number in value:
        _must_be_number(name, number)


def check_whole(name: str, value: Any, least: int = 0) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value < 1e9:
        message = _("%(name)s must be a whole number, %(least)s or more, not “%(value)s”")
        raise ContentError(message % {"name": name, "least": least, "value": value})


def check_place(name: str, value: Any, count: int) -> None:
    if (
        not _is_list(value)
        or len(value) != 2
        or not all(isinstance(number, int) and 1 <= number <= count for number in value)
    ):
        message = _("%(name)s must be a row and a column from 1 to %(count)s, such as [1, 2]")
        raise ContentError(message % {"name": name, "count": count})


def check_matrix(name: str, value: Any) -> None:
    if not _is_list(value) or not value or not all(_is_list(row) and row for row in value):
        raise ContentError(_("%(name)s must be rows of numbers: [[1, 2], [3, 4]]") % {"name": name})
    if len({len(row) for row in value}) > 1:
        raise ContentError(_("the rows of %(name)s must all have the same length") % {"name": name})
    if len(value) > MAX_LINES or len(value[0]) > MAX_LINES:
        message = _("%(name)s can have at most %(most)s rows and columns")
        raise ContentError(message % {"name": name, "most": MAX_LINES})
    for row in value:
        for number in row:
            _must_be_number(name, number)


def _must_be_number(name: str, value: Any) -> None:
    if not _is_number(value):
        message = _("%(name)s contains “%(value)s”, which isn’t a valid number here")
        raise ContentError(message % {"name": name, "value": value})


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _is_word(value: Any) -> bool:
    if isinstance(value, bool):
        return False
    return isinstance(value, str | int | float) and bool(str(value).strip())


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e9
