"""Rules for the servers that an agent uses: versions, tools, and what it reads of results."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from toolaccord.semantics.effects import CHANGING_ELSEWHERE, find_elsewhere
from toolaccord.semantics.json_pointers import join_pointer
from toolaccord.semantics.versions import parse_version
from toolaccord_codegen.diagnostics import Problem, suggest
from toolaccord_codegen.ir.contract import DEFAULT_TRANSPORTS, MCP_TRANSPORTS
from toolaccord_codegen.ir.tool import CHANGING, NO_RESULT
from toolaccord_codegen.loading.documents import Document, resolve_path
from toolaccord_codegen.loading.references import SchemaLibrary, as_array, as_object, list_items
from toolaccord_codegen.loading.scalars import is_in_range
from toolaccord_codegen.loading.schema_places import schemas_at
from toolaccord_codegen.rules.metaschema import language_validator
from toolaccord_codegen.rules.tool_view import has_content_alone


@dataclass(frozen=True, slots=True)
class _UsedServer:
    """A server of any shape, and the place where an agent uses it."""

    library: SchemaLibrary
    agent: Document
    at: str
    server: Document

    @property
    def tools(self) -> dict[str, Mapping[str, Any]]:
        """Return the tools over MCP, by name."""
        contract = as_object(self.server.value)
        served = contract.get("transports", [*DEFAULT_TRANSPORTS])
        return {
            tool["name"]: tool
            for _, tool in list_items(contract, "tools")
            if isinstance(tool.get("name"), str)
            and not {*MCP_TRANSPORTS}.isdisjoint(map(str, as_array(tool.get("transports", served))))
        }


def check_uses(library: SchemaLibrary, document: Document, servers: Mapping[str, Document]) -> Iterator[Problem]:
    """Yield the problems of an agent's uses; *servers* are the contracts of servers by path."""
    labels: dict[str, Any] = {}
    for name, use in as_object(as_object(document.value).get("uses")).items():
        at, path = join_pointer("/uses", name), as_object(use).get("contract")
        if isinstance(path, str):
            target = resolve_path(document, path)
            if target in servers:
                yield from _check_use(_UsedServer(library, document, at, servers[target]), use)
            else:
                folder = PurePosixPath(document.name).parent
                known = [posixpath.relpath(name, folder) for name in servers]
                sentence = f'"{path}" is no contract of a server; {suggest(path, known)}'
                yield document.problem(f"{at}/contract", "USE_UNKNOWN", sentence)
        yield from _check_policies(document, at, as_object(use), labels)


def _check_use(used: _UsedServer, use: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield a version out of range, unknown tools, and reads that lead nowhere."""
    version, wanted = as_object(as_object(used.server.value).get("server")).get("version"), use.get("version")
    is_range = language_validator("version_range").is_valid(wanted)
    if is_range and parse_version(version) and not is_in_range(version, str(wanted)):
        sentence = f"{used.server.display_path} has version {version}, which {wanted} excludes; adapt the agent, then the range"
        yield used.agent.problem(f"{used.at}/version", "VERSION_OUT_OF_RANGE", sentence)
    for name, part in as_object(use.get("tools")).items():
        at = join_pointer(used.at, "tools", name)
        if name in used.tools:
            yield from _check_tool(used, at, used.tools[name], as_object(part))
        else:
            sentence = f'{used.server.display_path} has no tool "{name}" over MCP; {suggest(name, used.tools)}'
            yield used.agent.problem(at, "TOOL_UNKNOWN", sentence, key=True)


def _check_tool(used: _UsedServer, at: str, tool: Mapping[str, Any], part: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield reads of what a tool's result does not have, and a cache on a tool that writes."""
    effects = as_object(tool.get("effects"))
    if "cache" in part and (any(map(effects.get, CHANGING)) or find_elsewhere(effects) in CHANGING_ELSEWHERE):
        why = "writes, adds or publishes" if any(effects.values()) else "does not state its effects"
        sentence = f"{tool['name']} {why}, so every call must reach it; remove the cache"
        yield used.agent.problem(f"{at}/cache", "CACHED_WRITE", sentence)
    returns = NO_RESULT if has_content_alone(tool) else tool.get("returns")
    if not used.library.is_resolvable(used.server, returns):
        return
    result = used.library.inline(used.server, returns)
    for index, pointer in enumerate(as_array(part.get("reads"))):
        if isinstance(pointer, str) and not schemas_at(result, pointer):
            sentence = f'the result of {tool["name"]} in {used.server.display_path} has nothing at "{pointer}"; see its "returns"'
            yield used.agent.problem(join_pointer(at, "reads", index), "READ_UNKNOWN", sentence)


def _check_policies(document: Document, at: str, use: Mapping[str, Any], labels: dict[str, Any]) -> Iterator[Problem]:
    """Yield caches that replace no failed call, and one label with two penalties."""
    for name, part in as_object(use.get("tools")).items():
        place = join_pointer(at, "tools", name)
        cache, missing = as_object(as_object(part).get("cache")), as_object(as_object(part).get("if_missing"))
        ttl_s, stale_s = cache.get("ttl_s"), cache.get("stale_if_error_s")
        if isinstance(ttl_s, int | float) and isinstance(stale_s, int | float) and stale_s <= ttl_s:
            sentence = "both times begin with the result, so this one must be above ttl_s"
            yield document.problem(f"{place}/cache/stale_if_error_s", "STALE_TTL", sentence)
        label, penalty = missing.get("label"), missing.get("confidence_penalty")
        if isinstance(label, str) and labels.setdefault(label, penalty) != penalty:
            sentence = f'"{label}" has the penalty {labels[label]} elsewhere; make them equal, or choose another label'
            yield document.problem(f"{place}/if_missing/confidence_penalty", "LABEL_DIFFERS", sentence)
