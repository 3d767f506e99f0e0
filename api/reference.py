"""The OpenAPI schema prepared for the reference page: operations by tag, with their fields."""

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any

# A parameter or a field: its name, type, description, and whether it is required.
type Named = dict[str, Any]


def operations_by_tag(schema: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
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
                "takes": list(_parameters(schema, spec)),
                "tells": list(_fields(schema, ok)),
                "refusals": [str(int(each)) for each in answers if int(each) != HTTPStatus.OK],
            }
            found.setdefault(spec["tags"][0], []).append(operation)
    return found


def _parameters(schema: Mapping[str, Any], described: Mapping[str, Any]) -> Iterator[Named]:
    """Yield the parameters and the fields of the body that an operation takes."""
    for each in described.get("parameters", ()):
        about = each.get("description") or each["schema"].get("description", "")
        yield _field(each["name"], each["schema"], about, each["required"])
    if body := described.get("requestBody"):
        yield from _fields(schema, body["content"]["application/json"]["schema"])


def _fields(schema: Mapping[str, Any], of: Mapping[str, Any]) -> Iterator[Named]:
    """Yield the fields of an object; for a page of a list, those of its items."""
    fields = _resolve(schema, of)
    if fields["properties"].keys() == {"items", "next"}:
        fields = _resolve(schema, fields["properties"]["items"]["items"])
    for name, spec in fields["properties"].items():
        yield _field(name, spec, spec.get("description", ""), name in fields.get("required", ()))


def _field(name: str, described: Mapping[str, Any], about: str, required: bool) -> Named:
    return {"name": name, "kind": _type_name(described), "about": about, "required": required}


def _resolve(schema: Mapping[str, Any], of: Mapping[str, Any]) -> Mapping[str, Any]:
    return schema["components"]["schemas"][of["$ref"].rpartition("/")[2]]


def _type_name(described: Mapping[str, Any]) -> str:
    """Return a value's type in a few words: `integer`, `list of string`, `string or null`."""
    if "$ref" in described:
        return described["$ref"].rpartition("/")[2]
    if "anyOf" in described:
        return " or ".join(dict.fromkeys(_type_name(each) for each in described["anyOf"]))
    if "enum" in described:
        return " or ".join(f"“{each}”" for each in described["enum"] if each)
    if described.get("type") == "array":
        return f"list of {_type_name(described['items'])}"
    return described.get("format") or described.get("type", "any")
