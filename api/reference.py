"""The OpenAPI schema prepared for the reference page: operations by tag, with their fields."""

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any

# A parameter or a field: its name, type, description, and whether it is required.
type Named = dict[str, Any]


def groups(schema: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return all operations, each one path with one method, by tag in the schema's order."""
    found: dict[str, list[dict[str, Any]]] = {}
    for path, methods in schema["paths"].items():
        for method, spec in methods.items():
            answers = spec["responses"]
            ok = answers[HTTPStatus.OK]["content"]["application/json"]["schema"]
            operation = {
                "key": spec["operationId"],
                "method": method.upper(),
                "path": path,
                "about": spec.get("description") or spec["summary"],
                "takes": list(_taken(schema, spec)),
                "tells": list(_fields(schema, ok)),
                "refusals": [str(int(each)) for each in answers if int(each) != HTTPStatus.OK],
            }
            found.setdefault(spec["tags"][0], []).append(operation)
    return found


def _taken(schema: Mapping[str, Any], told: Mapping[str, Any]) -> Iterator[Named]:
    """Yield the parameters and the fields of the body that an operation takes."""
    for each in told.get("parameters", ()):
        about = each.get("description") or each["schema"].get("description", "")
        yield _field(each["name"], each["schema"], about, each["required"])
    if body := told.get("requestBody"):
        yield from _fields(schema, body["content"]["application/json"]["schema"])


def _fields(schema: Mapping[str, Any], of: Mapping[str, Any]) -> Iterator[Named]:
    """Yield the fields of an object; for a page of a list, those of its items."""
    fields = _named(schema, of)
    if fields["properties"].keys() == {"items", "next"}:
        fields = _named(schema, fields["properties"]["items"]["items"])
    for name, spec in fields["properties"].items():
        yield _field(name, spec, spec.get("description", ""), name in fields.get("required", ()))


def _field(name: str, told: Mapping[str, Any], about: str, required: bool) -> Named:
    return {"name": name, "kind": _kind(told), "about": about, "required": required}


def _named(schema: Mapping[str, Any], of: Mapping[str, Any]) -> Mapping[str, Any]:
    return schema["components"]["schemas"][of["$ref"].rpartition("/")[2]]


def _kind(told: Mapping[str, Any]) -> str:
    """Return a value's type in a few words: `integer`, `list of string`, `string or null`."""
    if "$ref" in told:
        return told["$ref"].rpartition("/")[2]
    if "anyOf" in told:
        return " or ".join(dict.fromkeys(_kind(each) for each in told["anyOf"]))
    if "enum" in told:
        return " or ".join(f"“{each}”" for each in told["enum"] if each)
    if told.get("type") == "array":
        return f"list of {_kind(told['items'])}"
    return told.get("format") or told.get("type", "any")
