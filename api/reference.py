"""The schema as a page tells it: addresses by their tags, with what they take and tell."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any


@dataclass(frozen=True)
class Named:
    """A parameter or a field: what it is called, what it is, and what is said of it."""

    name: str
    kind: str
    about: str
    required: bool


@dataclass(frozen=True)
class Operation:
    """One address with one method."""

    key: str
    method: str
    path: str
    about: str
    takes: list[Named]
    tells: list[Named]
    refusals: list[str]


def groups(schema: Mapping[str, Any]) -> dict[str, list[Operation]]:
    """All operations, by their tags, in the order of the schema."""
    found: dict[str, list[Operation]] = {}
    for path, methods in schema["paths"].items():
        for method, told in methods.items():
            operation = _operation(schema, path, method.upper(), told)
            found.setdefault(told["tags"][0], []).append(operation)
    return found


def _operation(
    schema: Mapping[str, Any], path: str, method: str, told: Mapping[str, Any]
) -> Operation:
    takes = [
        Named(
            each["name"],
            _kind(each["schema"]),
            each.get("description") or each["schema"].get("description", ""),
            each["required"],
        )
        for each in told.get("parameters", [])
    ]
    if body := told.get("requestBody"):
        takes += _fields(schema, body["content"]["application/json"]["schema"])
    answers = told["responses"]
    ok = answers[HTTPStatus.OK]["content"]["application/json"]["schema"]
    refusals = [str(int(status)) for status in answers if int(status) != HTTPStatus.OK]
    words = told.get("description") or told["summary"]
    return Operation(
        told["operationId"], method, path, words, takes, list(_fields(schema, ok)), refusals
    )


def _fields(schema: Mapping[str, Any], of: Mapping[str, Any]) -> Iterator[Named]:
    """The fields of an object; of a page of a list those of what is listed."""
    fields = _named(schema, of)
    if fields["properties"].keys() == {"items", "next"}:
        fields = _named(schema, fields["properties"]["items"]["items"])
    for name, told in fields["properties"].items():
        required = name in fields.get("required", ())
        yield Named(name, _kind(told), told.get("description", ""), required)


def _named(schema: Mapping[str, Any], of: Mapping[str, Any]) -> Mapping[str, Any]:
    return schema["components"]["schemas"][of["$ref"].rpartition("/")[2]]


def _kind(told: Mapping[str, Any]) -> str:
    """What a value is, in a few words: `integer`, `list of string`, `string or null`."""
    if "$ref" in told:
        return told["$ref"].rpartition("/")[2]
    if "anyOf" in told:
        return " or ".join(dict.fromkeys(_kind(each) for each in told["anyOf"]))
    if "enum" in told:
        return " or ".join(f"“{each}”" for each in told["enum"] if each)
    if told.get("type") == "array":
        return f"list of {_kind(told['items'])}"
    return told.get("format") or told.get("type", "any")
