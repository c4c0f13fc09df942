"""Documents of Swagger 2.0 as documents of OpenAPI 3.0."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolaccord_codegen.drafts.losses import Effect, Losses
from toolaccord_codegen.loading.references import as_array, as_object

Record = dict[str, Any]
METHODS = ("get", "put", "post", "delete", "options", "head", "patch")
MOVED = {"definitions": "schemas", "parameters": "parameters", "responses": "responses"}
SCHEMA_KEYS = frozenset(
    {"type", "format", "items", "default", "enum", "pattern", "multipleOf", "uniqueItems"}
    | {f"{side}{part}" for side in ("min", "max") for part in ("imum", "Length", "Items")}
    | {"exclusiveMinimum", "exclusiveMaximum"}
)
"""Keys of a parameter or a header that belong to its schema in OpenAPI 3."""
STYLES = {
    "multi": {"style": "form", "explode": True},
    "ssv": {"style": "spaceDelimited", "explode": False},
    "pipes": {"style": "pipeDelimited", "explode": False},
}
FORM = "application/x-www-form-urlencoded"
FLOWS = {"accessCode": "authorizationCode", "application": "clientCredentials"}


def convert_swagger(document: Record, losses: Losses) -> Record:
    """Return a document of OpenAPI 3.0 with the same operations."""
    losses.change("", "swagger", Effect.SAME, "it was read as OpenAPI 3.0; pointers are those of that form")
    components = {new: _move_references(document[old]) for old, new in MOVED.items() if old in document}
    for section, convert in (("parameters", _convert_parameter), ("responses", _convert_response)):
        shared = as_object(components.get(section))
        components[section] = {name: convert(as_object(each), document) for name, each in shared.items()}
    components["securitySchemes"] = {
        name: _convert_scheme(as_object(each)) for name, each in as_object(document.get("securityDefinitions")).items()
    }
    kept = {key: value for key, value in document.items() if key in {"info", "tags", "security", "externalDocs"}}
    paths = {path: _convert_path(as_object(item), document) for path, item in as_object(document.get("paths")).items()}
    return {"openapi": "3.0.3", **kept, **_convert_host(document), "paths": paths, "components": components}


def _convert_host(document: Mapping[str, Any]) -> Record:
    """Return the servers of a document; none without a host."""
    host, base = document.get("host"), document.get("basePath", "")
    schemes = [str(each) for each in as_array(document.get("schemes"))] or ["https"]
    scheme = "https" if "https" in schemes else schemes[0]
    return {"servers": [{"url": f"{scheme}://{host}{base}"}]} if host else {}


def _move_references(value: Any) -> Any:
    """Return a value whose references lead to the places of OpenAPI 3."""
    if isinstance(value, list):
        return [_move_references(each) for each in value]
    if not isinstance(value, dict):
        return value
    moved = {key: _move_references(each) for key, each in value.items()}
    reference = moved.get("$ref")
    if isinstance(reference, str):
        first, _, rest = reference.removeprefix("#/").partition("/")
        if reference.startswith("#/") and first in MOVED:
            moved["$ref"] = f"#/components/{MOVED[first]}/{rest}"
    if moved.get("x-nullable") is True:
        moved["nullable"] = True
    return moved


def _convert_path(item: Record, document: Record) -> Record:
    """Return the operations of a path; parameters of the body that they share become their own."""
    shared = [_find_parameter(each, document) for each in as_array(item.get("parameters"))]
    converted = {
        method: _convert_operation(as_object(item[method]), shared, document) for method in METHODS if method in item
    }
    return {**({"$ref": item["$ref"]} if "$ref" in item else {}), **converted}


def _convert_operation(operation: Record, shared: list[Record], document: Record) -> Record:
    own = [_find_parameter(each, document) for each in as_array(operation.get("parameters"))]
    names = [(each.get("name"), each.get("in")) for each in own]
    parameters = [*own, *(each for each in shared if (each.get("name"), each.get("in")) not in names)]
    produces = operation.get("produces", document.get("produces"))
    body = _convert_body(parameters, as_array(operation.get("consumes", document.get("consumes"))))
    kept = {key: value for key, value in operation.items() if key not in {"consumes", "produces", "schemes"}}
    return {
        **kept,
        "parameters": [_convert_parameter(each, document) for each in parameters if each.get("in") in PLACES],
        **({"requestBody": body} if body else {}),
        "responses": {
            status: _convert_response(as_object(_move_references(each)), {"produces": produces})
            for status, each in as_object(operation.get("responses")).items()
        },
    }


PLACES = ("path", "query", "header")


def _find_parameter(written: Any, document: Mapping[str, Any]) -> Record:
    """Return a parameter, also one behind a reference."""
    parameter = as_object(written)
    reference = parameter.get("$ref")
    if isinstance(reference, str) and reference.startswith("#/parameters/"):
        parameter = as_object(as_object(document.get("parameters")).get(reference.removeprefix("#/parameters/")))
    return as_object(_move_references(parameter))


def _convert_parameter(parameter: Record, _document: Mapping[str, Any]) -> Record:
    """Return a parameter whose type is in a schema."""
    if "$ref" in parameter:
        return parameter
    schema = {key: value for key, value in parameter.items() if key in SCHEMA_KEYS}
    kept = {key: value for key, value in parameter.items() if key in {"name", "in", "description", "required"}}
    style: Record = {}
    if schema.get("type") == "array" and parameter.get("in") == "query":
        style = STYLES.get(str(parameter.get("collectionFormat")), {"style": "form", "explode": False})
    return {**kept, **style, "schema": schema}


def _convert_body(parameters: list[Record], consumes: list[Any]) -> Record | None:
    """Return the body of a request: a schema, or the members of a form; None without one."""
    body = next((each for each in parameters if each.get("in") == "body"), None)
    if body is not None:
        content = {str(media): {"schema": body.get("schema", True)} for media in consumes or ["application/json"]}
        return {**{key: body[key] for key in body.keys() & {"description", "required"}}, "content": content}
    members = [each for each in parameters if each.get("in") == "formData" and isinstance(each.get("name"), str)]
    if not members:
        return None
    has_file = any(each.get("type") == "file" for each in members)
    schema = {
        "type": "object",
        "properties": {each["name"]: _convert_member(each) for each in members},
        "required": [each["name"] for each in members if each.get("required") is True],
    }
    media = "multipart/form-data" if has_file or consumes == ["multipart/form-data"] else FORM
    return {"required": bool(schema["required"]), "content": {media: {"schema": schema}}}


def _convert_member(parameter: Record) -> Record:
    """Return the schema of a member of a form."""
    schema = {key: value for key, value in parameter.items() if key in SCHEMA_KEYS | {"description"}}
    return {**schema, "type": "string", "format": "binary"} if schema.get("type") == "file" else schema


def _convert_response(response: Record, document: Mapping[str, Any]) -> Record:
    """Return a response whose schema belongs to media types."""
    if "schema" not in response:
        return response
    media = [str(each) for each in as_array(document.get("produces"))] or ["application/json"]
    kept = {key: value for key, value in response.items() if key not in {"schema", "examples"}}
    return {**kept, "content": {each: {"schema": response["schema"]} for each in media}}


def _convert_scheme(scheme: Record) -> Record:
    """Return a security scheme."""
    if scheme.get("type") == "basic":
        return {"type": "http", "scheme": "basic"}
    if scheme.get("type") == "oauth2":
        flow = str(scheme.get("flow"))
        return {"type": "oauth2", "flows": {FLOWS.get(flow, flow): {"scopes": scheme.get("scopes", {})}}}
    return scheme
