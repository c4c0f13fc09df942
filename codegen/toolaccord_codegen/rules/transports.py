"""Rules for the transports of a server and its tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolaccord.contract.dialects import Dialect
from toolaccord.contract.server_contracts import ServerContract
from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.diagnostics import Problem, suggest
from toolaccord_codegen.ir.contract import DEFAULT_TRANSPORTS, MCP_TRANSPORTS
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.loading.references import as_object
from toolaccord_codegen.rules.tool_view import Viewer, place_items

CONTENT_LENGTH = "content_length"
HTTP = "http"
MCP_KEYS = ("prompts", "resources", "contracts_as_resources")
"""Keys of what clients of MCP alone can use."""
ERROR_OBJECT: Mapping[str, Any] = {"code": {"$": "jsonrpc_code"}, "message": {"$": "message"}}
"""The members that JSON-RPC 2.0 requires of an error; `data` is the only other one."""


def check_transports(viewer: Viewer) -> Iterator[Problem]:
    """Yield faults of the transports of a contract, and of its access."""
    document, contract = viewer.document, viewer.contract
    known = list_transports(contract)
    yield from _check_tools(document, contract, known)
    for transport in contract.access.by_transport if contract.access else ():
        yield from _check_known(document, join_pointer("/access", transport), transport, known)
    if contract.sessions and HTTP not in known:
        sentence = "only HTTP needs sessions; remove this key"
        yield document.problem("/sessions", "SESSIONS_WITHOUT_HTTP", sentence, key=True)
    for key_of_mcp in (
        [each for each in MCP_KEYS if getattr(contract, each)] if not {*MCP_TRANSPORTS} & {*known} else ()
    ):
        sentence = f'"{key_of_mcp}" is for MCP alone; remove this key, or add "stdio" or "http" to the transports'
        yield document.problem(f"/{key_of_mcp}", "TRANSPORT_WITHOUT_MCP", sentence, key=True)
    if CONTENT_LENGTH in known and (dialect := viewer.dialects.get(contract.dialect)):
        yield from _check_failure(document, _place_of(contract, known.index(CONTENT_LENGTH)), dialect)


def _check_tools(document: Document, contract: ServerContract, known: tuple[str, ...]) -> Iterator[Problem]:
    """Yield transports without a tool, and those of tools that the server does not have."""
    for index, transport in enumerate(known):
        if not any(transport in (tool.transports or known) for tool in contract.tools):
            sentence = f"no tool exists on {transport}; remove it, or give it a tool"
            yield document.problem(_place_of(contract, index), "TRANSPORT_EMPTY", sentence)
    for at, tool in place_items("/tools", contract.tools):
        for place, transport in place_items(f"{at}/transports", tool.transports or ()):
            yield from _check_known(document, place, transport, known)


def list_transports(contract: ServerContract) -> tuple[str, ...]:
    """Return the transports of a server."""
    return contract.transports or DEFAULT_TRANSPORTS


def _place_of(contract: ServerContract, index: int) -> str:
    """Return the pointer to a transport; to the tools where the contract names no transport."""
    return join_pointer("/transports", index) if contract.transports else "/tools"


def _check_known(document: Document, at: str, transport: str, known: tuple[str, ...]) -> Iterator[Problem]:
    """Yield a transport that the server does not have."""
    if transport not in known:
        sentence = f'"{transport}" is not among the server\'s transports; {suggest(transport, known)}'
        yield document.problem(at, "TRANSPORT_UNKNOWN", sentence)


def _check_failure(document: Document, at: str, dialect: Dialect) -> Iterator[Problem]:
    """Yield a dialect whose failure is no error of JSON-RPC."""
    error = {key: part for key, part in as_object(dialect.failure.get("error")).items() if key != "data"}
    if dialect.failure.keys() != {"error"} or error != ERROR_OBJECT:
        sentence = (
            f'over content_length a failure is {{"error": {{"code", "message", "data"}}}} with {{"$": "jsonrpc_code"}} '
            f'and {{"$": "message"}}, and that of the dialect "{dialect.name}" is not; use a dialect that answers so'
        )
        yield document.problem(at, "FAILURE_NOT_JSONRPC", sentence)
