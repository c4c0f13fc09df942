"""Which parts of a request are what every host sends: whatever else may be valid is left to the SDK to judge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from toolpact.json_values import JsonObject

PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion"
CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
CLIENT_INFO = "io.modelcontextprotocol/clientInfo"
STATELESS_VERSION = "2026-07-28"

_LEVELS = {"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
_DEEPEST = 8
"""How deeply settings of extensions may be nested; no host comes near it."""

Shape: TypeAlias = "type | Mapping[str, Shape]"
"""A type, or the members that an object may have; all may be left out."""

_NOTHING: Shape = {}
_FORMS: Shape = {"form": _NOTHING, "url": _NOTHING}
_CAPABILITIES: Shape = {
    "roots": {"listChanged": bool},
    "sampling": {"context": _NOTHING, "tools": _NOTHING},
    "elicitation": _FORMS,
    "tasks": {
        "list": _NOTHING,
        "cancel": _NOTHING,
        "requests": {"sampling": {"createMessage": _NOTHING}, "elicitation": {"create": _NOTHING}},
    },
}
_OPEN = ("experimental", "extensions")
"""Capabilities whose members have names and contents of their own."""
_CLIENT: Shape = {"name": str, "version": str, "title": str, "description": str, "websiteUrl": str}
_REFERENCES: tuple[Shape, ...] = ({"type": str, "name": str}, {"type": str, "uri": str})


def is_client(value: Any) -> bool:
    """Return whether *value* says who a client is, in the usual way."""
    return _fits(value, _CLIENT) and "name" in value and "version" in value


def are_capabilities(value: Any) -> bool:
    """Return whether *value* says what a client can do, in the usual way."""
    if not value:
        return type(value) is dict
    if type(value) is not dict:
        return False
    known = {name: member for name, member in value.items() if name not in _OPEN}
    return _fits(known, _CAPABILITIES) and all(_is_open(value[name]) for name in _OPEN if name in value)


def is_handshake_meta(meta: Any) -> bool:
    """Return whether *meta* is what a request of the handshake era may have."""
    return type(meta) is dict and PROTOCOL_VERSION not in meta and _has_usual_token(meta)


def is_envelope(meta: Any) -> bool:
    """Return whether *meta* is the envelope of a request of the stateless era."""
    return (
        type(meta) is dict
        and meta.get(PROTOCOL_VERSION) == STATELESS_VERSION
        and are_capabilities(meta.get(CLIENT_CAPABILITIES))
        and (CLIENT_INFO not in meta or is_client(meta[CLIENT_INFO]))
        and "io.modelcontextprotocol/logLevel" not in meta
        and _has_usual_token(meta)
    )


def is_level(params: JsonObject) -> bool:
    """Return whether *params* are those of `logging/setLevel`."""
    return params.keys() == {"level"} and type(params["level"]) is str and params["level"] in _LEVELS


def is_completion(params: JsonObject) -> bool:
    """Return whether *params* are those of `completion/complete`."""
    if params.keys() != {"ref", "argument"}:
        return False
    reference, argument = params["ref"], params["argument"]
    kind = reference.get("type") if type(reference) is dict else None
    shape = {"ref/prompt": _REFERENCES[0], "ref/resource": _REFERENCES[1]}.get(kind) if type(kind) is str else None
    named = _fits(argument, {"name": str, "value": str}) and len(argument) == 2
    return named and shape is not None and len(reference) == 2 and _fits(reference, shape)


def _has_usual_token(meta: JsonObject) -> bool:
    return "progressToken" not in meta or type(meta["progressToken"]) in {str, int}


def _fits(value: Any, shape: Shape) -> bool:
    """Return whether *value* is of *shape*; true and false are no integers."""
    if isinstance(shape, type):
        return type(value) is shape
    return type(value) is dict and all(name in shape and _fits(member, shape[name]) for name, member in value.items())


def _is_open(value: Any) -> bool:
    return type(value) is dict and all(type(member) is dict and _is_shallow(member) for member in value.values())


def _is_shallow(value: Any, depth: int = 1) -> bool:
    if isinstance(value, dict | list):
        members = value.values() if isinstance(value, dict) else value
        return depth < _DEEPEST and all(_is_shallow(member, depth + 1) for member in members)
    return True
