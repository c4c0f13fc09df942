"""Contracts of tools as resources, which clients read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolaccord.contract.policies import CacheHint
from toolaccord.contract.resources import Static
from toolaccord.contract.server_contracts import ServerContract
from toolaccord_codegen.ir.resources import NO_PARAMETERS, Resource
from toolaccord_codegen.ir.tool import Tool
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.loading.json_layout import format_json

PUBLISHED_KEYS = (
    "title", "version", "released_on", "description", "errors", "conditions", "cache", "idempotency", "rate_limit",
    "pagination", "deadline", "fresh", "progress", "task", "examples",
)  # fmt: skip
"""Keys of a tool that its contract as a resource has, beside its name and its schemas.

Sources, privileges and stores are the operator's.
"""


def list_published_contracts(
    document: Document, declared: ServerContract, tools: tuple[Tool, ...]
) -> Iterator[Resource]:
    """List a static resource for the contract of each tool, which needs the scopes of the tool."""
    has_scopes = bool(declared.access and declared.access.scopes)
    for tool, written in zip(tools, document.value["tools"], strict=True):
        yield Resource(
            name=f"contract.{tool.name}",
            title=f"Contract of {tool.title or tool.name}",
            description=f"Contract of the tool {tool.name}: its schemas, errors, limits and examples.",
            uri=f"contract://{declared.server.name}/{tool.name}",
            mime_type="application/json",
            content="text",
            static=Static(file=f"contract.{tool.function}.json", copy=format_json(_publish_contract(tool, written))),
            access=tool.access,
            cache=CacheHint(ttl_s=300, scope="private" if has_scopes or tool.access else "public"),
            parameters=NO_PARAMETERS,
            raw_parameters=NO_PARAMETERS,
        )


def _publish_contract(tool: Tool, written: Mapping[str, Any]) -> dict[str, Any]:
    """Return what callers may know of a tool's contract, with every reference inlined."""
    kept = {key: _without_store(written[key]) for key in PUBLISHED_KEYS if key in written}
    older = [
        {
            **{key: each[key] for key in ("version", "released_on", "deprecated_on", "sunset_on") if key in each},
            "parameters": version.parameters,
            "returns": version.returns,
        }
        for version, each in zip(tool.versions, written.get("versions", ()), strict=True)
    ]
    schemas = {"parameters": tool.parameters, "returns": tool.returns}
    return {"name": tool.name, **kept, **schemas, **({"versions": older} if older else {})}


def _without_store(value: Any) -> Any:
    """Return the value of a key without the name of a store."""
    return {key: part for key, part in value.items() if key != "store"} if isinstance(value, dict) else value
