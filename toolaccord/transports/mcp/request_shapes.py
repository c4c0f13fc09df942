"""Shapes of requests that hosts usually send. The SDK validates all other requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from toolaccord.json_values import JsonObject
from toolaccord.schema.value_count import has_more_values
from toolaccord.transports.mcp.jsonrpc import MAX_MEMBERS

PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion"
CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
CLIENT_INFO = "io.modelcontextprotocol/clientInfo"
LOG_LEVEL = "io.modelcontextprotocol/logLevel"
STATELESS_VERSION = "2026-07-28"

_LEVELS = {"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
_MAX_DEPTH = 8
"""Deepest nesting of the settings of extensions; hosts send far flatter ones."""

Shape: TypeAlias = "type | Mapping[str, Shape]"
"""A type, or the optional members of an object."""

_EMPTY: Shape = {}
_FORMS: Shape = {"form": _EMPTY, "url": _EMPTY}
_CAPABILITIES: Shape = {
    "roots": {"listChanged": bool},
    "sampling": {"context": _EMPTY, "tools": _EMPTY},
    "elicitation": _FORMS,
    "tasks": {
        "list": _EMPTY,
        "cancel": _EMPTY,
        "requests": {"sampling": {"createMessage": _EMPTY}, "elicitation": {"create": _EMPTY}},
    },
}
_FREE_FORM = ("experimental", "extensions")
"""Capabilities with members of any name and content."""
_CLIENT_INFO: Shape = {"name": str, "version": str, "title": str, "description": str, "websiteUrl": str}
_REFERENCES: tuple[Shape, ...] = ({"type": str, "name": str}, {"type": str, "uri": str})


def is_client_info(value: Any) -> bool:
    """Return whether *value* has the usual shape of `clientInfo`."""
    return _matches(value, _CLIENT_INFO) and "name" in value and "version" in value


def are_capabilities(value: Any) -> bool:
    """Return whether *value* has the usual shape of client capabilities."""
    if not value:
        return type(value) is dict
    if type(value) is not dict:
        return False
    standard = {name: member for name, member in value.items() if name not in _FREE_FORM}
    return _matches(standard, _CAPABILITIES) and all(_is_free_form(value[name]) for name in _FREE_FORM if name in value)


def is_handshake_meta(meta: Any) -> bool:
    """Return whether *meta* is the usual `_meta` of a request of the handshake era."""
    return type(meta) is dict and PROTOCOL_VERSION not in meta and _has_valid_progress_token(meta)


def is_stateless_meta(meta: Any) -> bool:
    """Return whether *meta* is the usual `_meta` of a request of the stateless era."""
    return (
        type(meta) is dict
        and meta.get(PROTOCOL_VERSION) == STATELESS_VERSION
        and are_capabilities(meta.get(CLIENT_CAPABILITIES))
        and (CLIENT_INFO not in meta or is_client_info(meta[CLIENT_INFO]))
        and LOG_LEVEL not in meta
        and _has_valid_progress_token(meta)
    )


def is_set_level(params: JsonObject) -> bool:
    """Return whether *params* are valid for `logging/setLevel`."""
    return params.keys() == {"level"} and type(params["level"]) is str and params["level"] in _LEVELS


def is_completion(params: JsonObject) -> bool:
    """Return whether *params* are valid for `completion/complete`."""
    if params.keys() != {"ref", "argument"}:
        return False
    reference, argument = params["ref"], params["argument"]
    kind = reference.get("type") if type(reference) is dict else None
    shape = {"ref/prompt": _REFERENCES[0], "ref/resource": _REFERENCES[1]}.get(kind) if type(kind) is str else None
    has_argument = _matches(argument, {"name": str, "value": str}) and len(argument) == 2
    return has_argument and shape is not None and len(reference) == 2 and _matches(reference, shape)


def _has_valid_progress_token(meta: JsonObject) -> bool:
    return "progressToken" not in meta or type(meta["progressToken"]) in {str, int}


def _matches(value: Any, shape: Shape) -> bool:
    """Return whether *value* has the shape *shape*; booleans are not integers."""
    if isinstance(shape, type):
        return type(value) is shape
    return type(value) is dict and all(
        name in shape and _matches(member, shape[name]) for name, member in value.items()
    )


def _is_free_form(value: Any) -> bool:
    if type(value) is not dict or has_more_values(value, MAX_MEMBERS):
        return False
    return all(type(member) is dict and _is_shallow(member) for member in value.values())


def _is_shallow(value: Any, depth: int = 1) -> bool:
    if isinstance(value, dict | list):
        members = value.values() if isinstance(value, dict) else value
        return depth < _MAX_DEPTH and all(_is_shallow(member, depth + 1) for member in members)
    return True
