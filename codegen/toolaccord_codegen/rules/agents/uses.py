"""Rules for the servers that an agent uses: versions, tools, and what it reads of results."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from toolaccord.contract.agent_contracts import AgentContract, Use, UsedTool
from toolaccord.contract.server_contracts import ServerContract
from toolaccord.contract.tools import Tool
from toolaccord.semantics.json_pointers import join_pointer
from toolaccord.semantics.versions import parse_version
from toolaccord_codegen.diagnostics import Problem, suggest
from toolaccord_codegen.ir.contract import DEFAULT_TRANSPORTS, MCP_TRANSPORTS
from toolaccord_codegen.ir.tool import NO_RESULT, find_effects_elsewhere, may_change
from toolaccord_codegen.loading.documents import Document, resolve_path
from toolaccord_codegen.loading.references import SchemaLibrary
from toolaccord_codegen.loading.scalars import is_in_range
from toolaccord_codegen.loading.schema_places import schemas_at
from toolaccord_codegen.rules.tool_view import place_items


@dataclass(frozen=True, slots=True)
class _UsedServer:
    """A server, and the place where an agent uses it."""

    library: SchemaLibrary
    agent: Document
    at: str
    server: Document
    contract: ServerContract

    @property
    def tools(self) -> dict[str, Tool]:
        """Return the tools over MCP, by name."""
        served = self.contract.transports or DEFAULT_TRANSPORTS
        over_mcp = [tool for tool in self.contract.tools if {*MCP_TRANSPORTS} & {*(tool.transports or served)}]
        return {tool.name: tool for tool in over_mcp}


def check_uses(
    library: SchemaLibrary,
    document: Document,
    contract: AgentContract,
    servers: Mapping[str, tuple[Document, ServerContract] | None],
) -> Iterator[Problem]:
    """Yield the problems of an agent's uses; *servers* are the contracts of servers by path.

    One is None if its shape is wrong.
    """
    labels: dict[str, float] = {}
    for use in contract.uses:
        at, target = join_pointer("/uses", use.name), resolve_path(document, use.contract)
        if target in servers:
            if server := servers[target]:
                yield from _check_use(_UsedServer(library, document, at, *server), use)
        else:
            folder = PurePosixPath(document.name).parent
            known = [posixpath.relpath(name, folder) for name in servers]
            sentence = f'"{use.contract}" is no contract of a server; {suggest(use.contract, known)}'
            yield document.problem(f"{at}/contract", "USE_UNKNOWN", sentence)
        yield from _check_policies(document, at, use, labels)


def _check_use(used: _UsedServer, use: Use) -> Iterator[Problem]:
    """Yield a version out of range, unknown tools, and reads that lead nowhere."""
    version = used.contract.server.version
    if parse_version(version) and not is_in_range(version, use.version):
        sentence = f"{used.server.display_path} has version {version}, which {use.version} excludes; adapt the agent, then the range"
        yield used.agent.problem(f"{used.at}/version", "VERSION_OUT_OF_RANGE", sentence)
    tools = used.tools
    for part in use.tools:
        at = join_pointer(used.at, "tools", part.name)
        if part.name in tools:
            yield from _check_tool(used, at, tools[part.name], part)
        else:
            sentence = f'{used.server.display_path} has no tool "{part.name}" over MCP; {suggest(part.name, tools)}'
            yield used.agent.problem(at, "TOOL_UNKNOWN", sentence, key=True)


def _check_tool(used: _UsedServer, at: str, tool: Tool, part: UsedTool) -> Iterator[Problem]:
    """Yield reads of what a tool's result does not have, and a cache on a tool that writes."""
    if part.cache and (may_change(tool.effects) or find_effects_elsewhere(tool.effects) == "unknown"):
        why = "writes, adds or publishes" if may_change(tool.effects) else "does not state its effects"
        sentence = f"{tool.name} {why}, so every call must reach it; remove the cache"
        yield used.agent.problem(f"{at}/cache", "CACHED_WRITE", sentence)
    returns = tool.returns or NO_RESULT
    if not used.library.is_resolvable(used.server, returns):
        return
    result = used.library.inline(used.server, returns)
    for place, pointer in place_items(f"{at}/reads", part.reads):
        if not schemas_at(result, pointer):
            sentence = (
                f'the result of {tool.name} in {used.server.display_path} has nothing at "{pointer}"; see its "returns"'
            )
            yield used.agent.problem(place, "READ_UNKNOWN", sentence)


def _check_policies(document: Document, at: str, use: Use, labels: dict[str, float]) -> Iterator[Problem]:
    """Yield caches that replace no failed call, and one label with two penalties."""
    for part in use.tools:
        place, cache, missing = join_pointer(at, "tools", part.name), part.cache, part.if_missing
        if cache and cache.stale_if_error_s is not None and cache.stale_if_error_s <= cache.ttl_s:
            sentence = "both times begin with the result, so this one must be above ttl_s"
            yield document.problem(f"{place}/cache/stale_if_error_s", "STALE_TTL", sentence)
        if missing and labels.setdefault(missing.label, missing.confidence_penalty) != missing.confidence_penalty:
            sentence = (
                f'"{missing.label}" has the penalty {labels[missing.label]} elsewhere; make them equal, '
                "or choose another label"
            )
            yield document.problem(f"{place}/if_missing/confidence_penalty", "LABEL_DIFFERS", sentence)
