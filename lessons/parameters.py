"""The parameters of a widget: a few lines of YAML, read strictly and checked one by one."""

from dataclasses import fields
from typing import Any

import yaml

from lessons.errors import AuthorError

MOST_LINES = 24


class _StrictLoader(yaml.SafeLoader):
    """Plain data only: no alias, so that a few lines cannot unfold into millions."""

    def compose_node(self, parent, index):
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark
            raise yaml.MarkedYAMLError(problem="aliases are not allowed", problem_mark=mark)
        return super().compose_node(parent, index)


def read_yaml(text: str) -> Any:
    """What the YAML text says, as plain data.

    Raises:
        AuthorError: it is not YAML; its line counts within the text.
    """
    try:
        return yaml.load(text, _StrictLoader)  # noqa: S506 - a SafeLoader
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise AuthorError(f"this is not YAML: {error.problem}", line=line) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise AuthorError(f"this is not YAML: {error}") from None


def read_parameters[Parameters](kind: type[Parameters], text: str) -> Parameters:
    """The dataclass filled with what the YAML text says; it checks itself in `__post_init__`.

    Raises:
        AuthorError: the YAML is wrong, or a parameter is unknown, missing or not what it must be.
    """
    data = read_yaml(text)
    if not isinstance(data, dict):
        raise AuthorError("a widget's parameters are lines of the form name: value")
    known = [field.name for field in fields(kind)]
    for name in data:
        if name not in known:
            raise AuthorError(f"there is no parameter “{name}”; there are: {', '.join(known)}")
    try:
        return kind(**data)
    except TypeError as error:
        missing = str(error).rpartition(": ")[2].replace("'", "")
        raise AuthorError(f"missing: {missing}") from None


def must_be_text(name: str, value: Any) -> None:
    if not isinstance(value, str) or not value.strip():
        raise AuthorError(f"{name} must be a text")


def must_be_flag(name: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise AuthorError(f"{name} is either true or false")


def must_be_decimals(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value not in range(7):
        raise AuthorError(f"{name} is a whole number from 0 to 6")


def must_be_range(name: str, value: Any) -> None:
    if not _is_list(value) or len(value) != 2 or not all(map(_is_number, value)):
        raise AuthorError(f"{name} is true, false or a range such as [0, 1]")
    if value[0] >= value[1]:
        raise AuthorError(f"{name} begins with its smaller end")


def must_be_labels(name: str, value: Any, count: int) -> None:
    if not _is_list(value) or not all(isinstance(label, str | int | float) for label in value):
        raise AuthorError(f"{name} must be a list of labels")
    if len(value) != count:
        raise AuthorError(f"{name} has {len(value)} labels, and there are {count} to be named")


def must_be_place(name: str, value: Any, count: int) -> None:
    if (
        not _is_list(value)
        or len(value) != 2
        or not all(isinstance(number, int) and 1 <= number <= count for number in value)
    ):
        raise AuthorError(f"{name} is a row and a column, such as [1, 2], from 1 to {count}")


def must_be_matrix(name: str, value: Any) -> None:
    if not _is_list(value) or not value or not all(_is_list(row) and row for row in value):
        raise AuthorError(f"{name} must be rows of numbers: [[1, 2], [3, 4]]")
    if len({len(row) for row in value}) > 1:
        raise AuthorError(f"the rows of {name} must be equally long")
    if len(value) > MOST_LINES or len(value[0]) > MOST_LINES:
        raise AuthorError(f"{name} may have at most {MOST_LINES} rows and columns")
    for row in value:
        for number in row:
            if not _is_number(number):
                raise AuthorError(f"{name} holds “{number}”, which is not a number it can hold")


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e9
