"""Resources of a contract as frozen records, and their building."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from toolaccord.contract.policies import CacheHint
from toolaccord_codegen.ir.tool import DEFAULT_TIMEOUT_MS
from toolaccord_codegen.loading.documents import Document, resolve_path
from toolaccord_codegen.loading.json_layout import format_json
from toolaccord_codegen.loading.references import SchemaLibrary
from toolaccord_codegen.loading.static_files import StaticFile
from toolaccord_codegen.naming import ClassName, ConstantName, Identifier

if TYPE_CHECKING:
    from toolaccord.contract.policies import RateLimit
    from toolaccord_codegen.ir.tool import ErrorCode, Schema, Tool

NO_PARAMETERS: Mapping[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
"""Schema of the parameters of a resource with a fixed URI."""
PUBLISHED_KEYS = (
    "title", "version", "released_on", "description", "errors", "conditions", "cache", "idempotency", "rate_limit",
    "pagination", "deadline", "fresh", "progress", "examples",
)  # fmt: skip
"""Keys of a tool that its contract as a resource has, beside its name and its schemas.

Sources, privileges and stores are the operator's.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """Completion of one value that clients type."""

    member: str
    values: tuple[str, ...] | None
    """The values of the enum; None where a handler finds them."""
    ttl_s: int | None
    """Seconds for which listed values are kept; None if the handler takes the typed text."""
    function: str
    """The name of that handler, and of the client's method."""

    @property
    def constant(self) -> str:
        """Return the name of its declaration for clients."""
        return ConstantName(self.function)


@dataclass(frozen=True, slots=True, kw_only=True)
class Static:
    """Content that never changes: a text in the declaration, or a generated copy of a file."""

    text: str | None = None
    file: str | None = None
    """The name of the copy."""
    copy: str = ""
    """The text of the copy; that of a binary file is base64."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """Content that clients read by its URI; `raw_*` are its schemas as written."""

    name: str
    title: str | None
    description: str
    uri: str | None
    """None where `uri_template` gives the URIs."""
    uri_template: str | None
    mime_type: str
    content: str
    """The kind of the content: `text`, `binary` or `json`."""
    static: Static | None
    """None where a handler reads the content."""
    reads: tuple[str, ...] = ()
    privileges: Mapping[str, Mapping[str, tuple[str, ...]]]
    raw_parameters: Schema
    parameters: Schema
    raw_returns: Schema | None
    """None where the content is no JSON."""
    returns: Schema | None
    errors: tuple[ErrorCode, ...] = ()
    rate_limit: RateLimit | None = None
    timeout_ms: int = DEFAULT_TIMEOUT_MS
    cache: CacheHint | None = None
    subscribe: bool = False
    asks: tuple[str, ...] = ()
    completions: tuple[Completion, ...] = ()

    @property
    def function(self) -> str:
        """Return the name of its handler."""
        return Identifier(f"read_{self.name}")

    @property
    def constant(self) -> str:
        """Return the prefix of its schemas' names."""
        return ConstantName(f"read_{self.name}")

    @property
    def class_name(self) -> str:
        """Return the prefix of its models' names."""
        return ClassName(f"read_{self.name}")

    @property
    def address(self) -> str:
        """Return its URI or template."""
        return self.uri or self.uri_template or ""


def build_resource(
    library: SchemaLibrary,
    document: Document,
    files: Mapping[str, StaticFile],
    resource: Mapping[str, Any],
    *,
    errors: tuple[ErrorCode, ...],
    rate_limit: RateLimit | None,
) -> Resource:
    """Build the record of a resource."""
    effects, parameters = resource.get("effects", {}), resource.get("parameters", NO_PARAMETERS)
    hint = resource.get("cache")
    return Resource(
        name=resource["name"],
        title=resource.get("title"),
        description=resource["description"],
        uri=resource.get("uri"),
        uri_template=resource.get("uri_template"),
        mime_type=resource["mime_type"],
        content=resource["content"],
        static=_build_static(document, files, resource) if "static" in resource else None,
        reads=tuple(effects.get("reads", ())),
        privileges={
            source: {table: tuple(privileges) for table, privileges in tables.items()}
            for source, tables in effects.get("privileges", {}).items()
        },
        raw_parameters=parameters,
        parameters=inline_text_arguments(library, document, parameters),
        raw_returns=resource.get("returns"),
        returns=library.inline(document, resource["returns"]) if "returns" in resource else None,
        errors=errors,
        rate_limit=rate_limit,
        timeout_ms=int(resource.get("deadline", {}).get("timeout_ms", DEFAULT_TIMEOUT_MS)),
        cache=CacheHint(ttl_s=hint["ttl_s"], scope=hint["scope"]) if hint else None,
        subscribe="subscribe" in resource,
        asks=tuple(resource.get("asks", ())),
        completions=tuple(build_completions(library, document, resource["name"], parameters)),
    )


def _build_static(document: Document, files: Mapping[str, StaticFile], resource: Mapping[str, Any]) -> Static:
    """Build the record of a content that never changes; a file that was not read is empty."""
    if "text" in resource["static"]:
        return Static(text=resource["static"]["text"])
    name = resolve_path(document, resource["static"]["file"])
    content = files[name].content if name in files else b""
    if resource["content"] == "binary":
        return Static(file=f"{resource['name']}.base64", copy=base64.encodebytes(content).decode())
    suffix = PurePosixPath(resource["static"]["file"]).suffix
    return Static(file=f"{resource['name']}{suffix}", copy=content.decode())


def inline_text_arguments(library: SchemaLibrary, document: Document, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of values that MCP sends as texts, without the keys of completion."""
    inlined = library.inline(document, schema)
    members = {
        name: {key: part for key, part in member.items() if key != "complete"}
        for name, member in inlined["properties"].items()
    }
    return {**inlined, "properties": members}


def build_completions(
    library: SchemaLibrary, document: Document, owner: str, schema: Mapping[str, Any]
) -> Iterator[Completion]:
    """Build the records of the completions that the values of *owner* have."""
    for name, member in library.inline(document, schema)["properties"].items():
        if "complete" in member:
            values = tuple(map(str, member["enum"])) if "enum" in member else None
            ttl_s = None if member["complete"] is True else member["complete"]["ttl_s"]
            function = Identifier(f"complete_{owner}_{name}")
            yield Completion(member=name, values=values, ttl_s=ttl_s, function=function)


def build_contract_resources(
    library: SchemaLibrary, document: Document, server: str, tools: tuple[Tool, ...]
) -> Iterator[Resource]:
    """Build a static resource for the contract of each tool."""
    for tool, written in zip(tools, document.value["tools"], strict=True):
        copy = format_json(_publish_contract(library, document, tool, written))
        yield Resource(
            name=f"contract.{tool.name}",
            title=f"Contract of {tool.title or tool.name}",
            description=f"Contract of the tool {tool.name}: its schemas, errors, limits and examples.",
            uri=f"contract://{server}/{tool.name}",
            uri_template=None,
            mime_type="application/json",
            content="text",
            static=Static(file=f"contract.{tool.function}.json", copy=copy),
            cache=CacheHint(ttl_s=300, scope="public"),
            privileges={},
            raw_parameters=NO_PARAMETERS,
            parameters=NO_PARAMETERS,
            raw_returns=None,
            returns=None,
        )


def _publish_contract(
    library: SchemaLibrary, document: Document, tool: Tool, written: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what callers may know of a tool's contract, with every reference inlined."""
    kept = {key: _without_store(written[key]) for key in PUBLISHED_KEYS if key in written}
    older = [
        {
            **{key: each[key] for key in ("version", "released_on", "deprecated_on", "sunset_on") if key in each},
            **{key: library.inline(document, each[key]) for key in ("parameters", "returns")},
        }
        for each in written.get("versions", ())
    ]
    schemas = {"parameters": tool.parameters, "returns": tool.returns}
    return {"name": tool.name, **kept, **schemas, **({"versions": older} if older else {})}


def _without_store(value: Any) -> Any:
    """Return the value of a key without the name of a store."""
    return {key: part for key, part in value.items() if key != "store"} if isinstance(value, dict) else value
