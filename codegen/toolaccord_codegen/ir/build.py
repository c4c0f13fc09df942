"""Building of records from contracts in which no rule found a fault."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from toolaccord.contract.policies import CachePolicy, Idempotency, RateLimit
from toolaccord.contract.settings import Setting
from toolaccord.semantics.effects import find_elsewhere
from toolaccord_codegen.ir.contract import (
    DEFAULT_DETAILS,
    DEFAULT_TRANSPORTS,
    AccessKey,
    Ask,
    Contract,
    Dialect,
    Event,
    Source,
)
from toolaccord_codegen.ir.prompts import Prompt, build_prompt
from toolaccord_codegen.ir.resources import Resource, build_contract_resources, build_resource
from toolaccord_codegen.ir.sessions import has_sessions
from toolaccord_codegen.ir.shared_records import build_condition, build_step
from toolaccord_codegen.ir.tool import DEFAULT_TIMEOUT_MS, NO_RESULT, ErrorCode, Example, OlderVersion, Tool
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.loading.records import read_record
from toolaccord_codegen.loading.references import SchemaLibrary
from toolaccord_codegen.loading.static_files import StaticFile
from toolaccord_codegen.naming import ClassName


def build_contract(
    library: SchemaLibrary, document: Document, dialects: Mapping[str, Dialect], files: Mapping[str, StaticFile]
) -> Contract:
    """Build the record of a contract; *files* are the static files of the folder, by path."""
    value = document.value
    server, dialect = value["server"], dialects[value["dialect"]]
    tools = tuple(_build_tool(library, document, dialect, tool) for tool in value["tools"])
    return Contract(
        document=document,
        name=server["name"],
        title=server["title"],
        version=server["version"],
        description=server["description"],
        instructions=server.get("instructions"),
        dialect=dialect,
        settings=tuple(build_setting(name, setting) for name, setting in value.get("settings", {}).items()),
        sources=tuple(build_source(name, source) for name, source in value.get("sources", {}).items()),
        events=tuple(build_event(library, document, *event) for event in value.get("events", {}).items()),
        tools=tools,
        resources=tuple(_build_resources(library, document, dialect, files, tools)),
        prompts=tuple(_build_prompts(library, document, dialect, files)),
        transports=tuple(value.get("transports", DEFAULT_TRANSPORTS)),
        access={
            transport: AccessKey(setting=key["setting"], argument=key.get("name"))
            for transport, key in value.get("access", {}).items()
        },
        lifespan="lifespan" in value,
        sessions=has_sessions(value),
        asks=tuple(_build_ask(library, document, *ask) for ask in value.get("asks", {}).items()),
    )


def _build_resources(
    library: SchemaLibrary,
    document: Document,
    dialect: Dialect,
    files: Mapping[str, StaticFile],
    tools: tuple[Tool, ...],
) -> Iterator[Resource]:
    """Build the records of a contract's resources; its tools' contracts may be some."""
    for each in document.value.get("resources", ()):
        yield build_resource(
            library,
            document,
            files,
            each,
            errors=tuple(_build_error(dialect, error) for error in each.get("errors", ())),
            rate_limit=read_record(RateLimit, each["rate_limit"]) if "rate_limit" in each else None,
        )
    if "contracts_as_resources" in document.value:
        yield from build_contract_resources(library, document, document.value["server"]["name"], tools)


def _build_prompts(
    library: SchemaLibrary, document: Document, dialect: Dialect, files: Mapping[str, StaticFile]
) -> Iterator[Prompt]:
    """Build the records of a contract's prompts."""
    for each in document.value.get("prompts", ()):
        yield build_prompt(
            library,
            document,
            files,
            each,
            errors=tuple(_build_error(dialect, error) for error in each.get("errors", ())),
            rate_limit=read_record(RateLimit, each["rate_limit"]) if "rate_limit" in each else None,
        )


def build_dialect(name: str, value: Mapping[str, Any]) -> Dialect:
    """Build the record of a dialect."""
    parts = {key: part for key, part in value.items() if not key.startswith("x-")}
    details = {**DEFAULT_DETAILS, **{key: tuple(names) for key, names in value.get("details", {}).items()}}
    return Dialect(name=name, **{**parts, "details": details})


def build_setting(name: str, setting: Mapping[str, Any]) -> Setting:
    """Build the record of a setting."""
    return read_record(Setting, setting, name=name)


def build_source(name: str, source: Mapping[str, Any]) -> Source:
    """Build the record of a source; a key without a setting has a value of its own."""
    parts = {key: part for key, part in source.items() if key != "kind" and not key.startswith("x-")}
    objects = {key: part for key, part in parts.items() if isinstance(part, dict)}
    settings = {key: part["setting"] for key, part in objects.items() if isinstance(part.get("setting"), str)}
    groups = {
        key: {name: each["setting"] for name, each in part.items()}
        for key, part in objects.items()
        if key not in settings and all(isinstance(each, dict) and [*each] == ["setting"] for each in part.values())
    }
    values = {
        key: part if key.endswith(("_s", "_per_second")) or not isinstance(part, float) else int(part)
        for key, part in parts.items()
        if key not in settings and key not in groups
    }
    return Source(name=name, kind=source["kind"], settings=settings, values=values, groups=groups)


def build_event(library: SchemaLibrary, document: Document, name: str, event: Mapping[str, Any]) -> Event:
    """Build the record of an event."""
    return Event(
        name=name,
        description=event["description"],
        source=event["source"],
        subject=event.get("subject"),
        channel=event.get("channel"),
        duplicate_window_s=int(event["duplicate_window_s"]) if "duplicate_window_s" in event else None,
        encoding=event["encoding"],
        symbols=tuple(event.get("symbols", ())),
        raw_payload=event["payload"],
        payload=library.inline(document, event["payload"]),
    )


def _build_ask(library: SchemaLibrary, document: Document, name: str, ask: Mapping[str, Any]) -> Ask:
    """Build the record of an ask."""
    return Ask(
        name=name,
        kind=ask["kind"],
        description=ask["description"],
        message=ask.get("message"),
        parameters=ask.get("parameters", {}),
        raw_schema=ask.get("schema"),
        schema=library.inline(document, ask["schema"]) if "schema" in ask else None,
        max_tokens=int(ask["max_tokens"]) if "max_tokens" in ask else None,
        system_prompt=ask.get("system_prompt"),
        optional=ask.get("optional", False),
    )


def _list_written(document: Document, effects: Mapping[str, Any]) -> tuple[str, ...]:
    """List the sources that a tool changes: it writes, it adds, or an event does."""
    carriers = [document.value["events"][name]["source"] for name in effects.get("publishes", ())]
    return tuple(dict.fromkeys([*effects.get("writes", ()), *effects.get("adds", ()), *carriers]))


def _build_tool(library: SchemaLibrary, document: Document, dialect: Dialect, tool: Mapping[str, Any]) -> Tool:
    """Build the record of a tool."""
    effects, deadline = tool["effects"], tool.get("deadline", {})
    return Tool(
        name=tool["name"],
        title=tool.get("title"),
        version=tool["version"],
        description=tool["description"],
        reads=tuple(effects.get("reads", ())),
        writes=_list_written(document, effects),
        adds=tuple(effects.get("adds", ())),
        publishes=tuple(effects.get("publishes", ())),
        elsewhere=find_elsewhere(effects),
        privileges={
            source: {table: tuple(privileges) for table, privileges in tables.items()}
            for source, tables in effects.get("privileges", {}).items()
        },
        raw_parameters=tool["parameters"],
        raw_returns=tool.get("returns", NO_RESULT),
        parameters=library.inline(document, tool["parameters"]),
        returns=library.inline(document, tool.get("returns", NO_RESULT)),
        content=tuple(tool.get("content", ())),
        has_result="returns" in tool,
        errors=tuple(_build_error(dialect, error) for error in tool.get("errors", ())),
        conditions=tuple(map(build_condition, tool.get("conditions", ()))),
        cache=read_record(CachePolicy, tool["cache"]) if "cache" in tool else None,
        idempotency=read_record(Idempotency, tool["idempotency"]) if "idempotency" in tool else None,
        rate_limit=read_record(RateLimit, tool["rate_limit"]) if "rate_limit" in tool else None,
        paginated="pagination" in tool,
        timeout_ms=int(deadline.get("timeout_ms", DEFAULT_TIMEOUT_MS)),
        p95_ms=int(deadline["p95_ms"]) if "p95_ms" in deadline else None,
        progress="progress" in tool,
        logging="logging" in tool,
        asks=tuple(tool.get("asks", ())),
        examples=_build_examples(tool, tool["version"]),
        released_on=_parse_day(tool, "released_on"),
        versions=tuple(_build_older_version(library, document, tool, older) for older in tool.get("versions", ())),
        transports=tuple(tool["transports"]) if "transports" in tool else None,
    )


def _build_older_version(
    library: SchemaLibrary, document: Document, tool: Mapping[str, Any], older: Mapping[str, Any]
) -> OlderVersion:
    """Build the record of an older version of a tool."""
    return OlderVersion(
        version=older["version"],
        released_on=_parse_day(older, "released_on"),
        deprecated_on=_parse_day(older, "deprecated_on"),
        sunset_on=_parse_day(older, "sunset_on"),
        parameters=library.inline(document, older["parameters"]),
        returns=library.inline(document, older.get("returns", NO_RESULT)),
        parameter_steps=tuple(map(build_step, older["to_next"]["parameters"])),
        result_steps=tuple(map(build_step, older["to_next"].get("returns", ()))),
        examples=_build_examples(tool, older["version"]),
    )


def _parse_day(version: Mapping[str, Any], key: str) -> date | None:
    """Return the date under a key; None where the key is missing."""
    return date.fromisoformat(version[key]) if key in version else None


def _build_error(dialect: Dialect, error: Mapping[str, Any]) -> ErrorCode:
    """Build the record of an error code; the dialect completes a standard code."""
    standard = dialect.codes.get(error["code"], {})
    number = error.get("jsonrpc", standard.get("jsonrpc"))
    return ErrorCode(
        code=error["code"],
        class_name=error.get("name") or ClassName(error["code"]),
        description=error["description"],
        http=int(error["http"] if "http" in error else standard["http"]),
        jsonrpc=None if number is None else int(number),
        retryable=standard["retryable"] if standard else error.get("retryable", False),
        details=error.get("details"),
        when=error.get("when"),
    )


def _build_examples(tool: Mapping[str, Any], version: str) -> tuple[Example, ...]:
    """Build the examples of one version; an example without a version belongs to the newest."""
    return tuple(
        Example(arguments=example["arguments"], returns=example.get("returns"), error=example.get("error"))
        for example in tool.get("examples", ())
        if example.get("version", tool["version"]) == version
    )
