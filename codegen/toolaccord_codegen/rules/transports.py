"""Rules for the transports of a server and its tools, and for the keys that callers send."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.diagnostics import Problem, suggest
from toolaccord_codegen.ir.contract import DEFAULT_TRANSPORTS, MCP_TRANSPORTS
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.loading.references import as_array, as_object, list_items
from toolaccord_codegen.rules.contract import source_settings
from toolaccord_codegen.rules.tool_view import ToolView, property_names

CONTENT_LENGTH = "content_length"
HTTP = "http"
MCP_KEYS = ("prompts", "resources", "contracts_as_resources")
"""Keys of what clients of MCP alone can use."""
ERROR_OBJECT: Mapping[str, Any] = {"code": {"$": "jsonrpc_code"}, "message": {"$": "message"}}
"""The members that JSON-RPC 2.0 requires of an error; `data` is the only other one."""


def check_transports(document: Document, dialects: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield faults of the transports of a contract, and of its access."""
    contract = as_object(document.value)
    known = _list_transports(contract)
    tools = [as_array(tool.get("transports", known)) for _, tool in list_items(contract, "tools")]
    for index, transport in enumerate(known):
        if tools and not any(transport in listed for listed in tools):
            sentence = f"no tool exists on {transport}; remove it, or give it a tool"
            yield document.problem(_place_of(contract, index), "TRANSPORT_EMPTY", sentence)
    for at, tool in list_items(contract, "tools"):
        for index, transport in enumerate(as_array(tool.get("transports"))):
            yield from _check_known(document, join_pointer(at, "transports", index), transport, known)
    for transport, key in as_object(contract.get("access")).items():
        at = join_pointer("/access", transport)
        yield from _check_known(document, at, transport, known)
        yield from _check_key(document, f"{at}/setting", as_object(key).get("setting"))
    if "sessions" in contract and HTTP not in known:
        yield document.problem(
            "/sessions", "SESSIONS_WITHOUT_HTTP", "only HTTP needs sessions; remove this key", key=True
        )
    yield from _check_mcp(document, known)
    if CONTENT_LENGTH in known:
        yield from _check_failure(document, _place_of(contract, known.index(CONTENT_LENGTH)), dialects)


def _check_mcp(document: Document, known: list[Any]) -> Iterator[Problem]:
    """Yield prompts and resources of a server without MCP."""
    for key in MCP_KEYS:
        if known and key in as_object(document.value) and not {*MCP_TRANSPORTS} & {*map(str, known)}:
            sentence = f'"{key}" is for MCP alone; remove this key, or add "stdio" or "http" to the transports'
            yield document.problem(f"/{key}", "TRANSPORT_WITHOUT_MCP", sentence, key=True)


def _list_transports(contract: Mapping[str, Any]) -> list[Any]:
    """Return the transports of a server."""
    return as_array(contract.get("transports", list(DEFAULT_TRANSPORTS)))


def _place_of(contract: Mapping[str, Any], index: int) -> str:
    """Return the pointer to a transport; to the tools where the contract names no transport."""
    return join_pointer("/transports", index) if "transports" in contract else "/tools"


def _check_known(document: Document, at: str, transport: Any, known: list[Any]) -> Iterator[Problem]:
    """Yield a transport that the server does not have."""
    if isinstance(transport, str) and transport not in known:
        sentence = f'"{transport}" is not among the server\'s transports; {suggest(transport, map(str, known))}'
        yield document.problem(at, "TRANSPORT_UNKNOWN", sentence)


def _check_key(document: Document, at: str, name: Any) -> Iterator[Problem]:
    """Yield a key whose setting is unknown, may be absent or seen, or has another use."""
    contract = as_object(document.value)
    settings = as_object(contract.get("settings"))
    if not isinstance(name, str):
        return
    if name not in settings:
        sentence = f'"{name}" is not among the settings; {suggest(name, settings)}'
        yield document.problem(at, "SETTING_UNKNOWN", sentence)
        return
    setting = as_object(settings[name])
    expected = {"type": "string", "required": True, "secret": True}
    if {"type": "string"} | {key: setting[key] for key in expected if key in setting} != expected:
        sentence = (
            f'a key is a string with "required": true and "secret": true, and "{name}" is not; change the setting'
        )
        yield document.problem(at, "ACCESS_SETTING", sentence)
    for source in dict.fromkeys(source for _, source, setting in source_settings(contract) if setting == name):
        sentence = f'the source "{source}" uses "{name}" too; give callers a key of their own'
        yield document.problem(at, "ACCESS_SETTING", sentence)


def _check_failure(document: Document, at: str, dialects: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield a dialect whose failure is no error of JSON-RPC."""
    name = as_object(document.value).get("dialect")
    if not isinstance(name, str) or name not in dialects:
        return
    failure = as_object(as_object(dialects[name]).get("failure"))
    error = {key: part for key, part in as_object(failure.get("error")).items() if key != "data"}
    if failure.keys() != {"error"} or error != ERROR_OBJECT:
        sentence = (
            f'over content_length a failure is {{"error": {{"code", "message", "data"}}}} with {{"$": "jsonrpc_code"}} '
            f'and {{"$": "message"}}, and that of the dialect "{name}" is not; use a dialect that answers so'
        )
        yield document.problem(at, "FAILURE_NOT_JSONRPC", sentence)


def check_key_argument(view: ToolView) -> Iterator[Problem]:
    """Yield a tool with a parameter that has the name of the key."""
    name = as_object(as_object(view.contract.get("access")).get(CONTENT_LENGTH)).get("name")
    exists = CONTENT_LENGTH in as_array(view.tool.get("transports", _list_transports(view.contract)))
    for each in (view.newest, *view.older):
        if exists and isinstance(name, str) and name in property_names(each.parameters):
            sentence = f'over content_length "{name}" is the key, which no tool receives; rename one of the two'
            yield view.problem(f"{each.pointer}/parameters", "ACCESS_ARGUMENT", sentence)
