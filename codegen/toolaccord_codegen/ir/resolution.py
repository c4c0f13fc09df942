"""Resolution of contracts in which no rule found a fault.

References are inlined, files are read, and the dialect completes error codes.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from toolaccord.contract import agent_contracts, asks, events, operations, prompts, resources, tools
from toolaccord.contract.agent_contracts import AgentContract
from toolaccord.contract.dialects import Dialect
from toolaccord.contract.documents import Ask
from toolaccord.contract.server_contracts import ServerContract
from toolaccord.contract.views import HtmlView
from toolaccord_codegen.ir.agent import Agent, Use, UsedTool
from toolaccord_codegen.ir.contract import (
    DEFAULT_DETAILS,
    MCP_TRANSPORTS,
    Contract,
    Event,
    Form,
)
from toolaccord_codegen.ir.prompts import Prompt
from toolaccord_codegen.ir.published_contracts import list_published_contracts
from toolaccord_codegen.ir.resources import NO_PARAMETERS, Resource, list_completions, without_completions
from toolaccord_codegen.ir.tool import NO_RESULT, ErrorCode, OlderVersion, Schema, Tool
from toolaccord_codegen.ir.views import ViewCopy, ViewedTool, configure_view
from toolaccord_codegen.loading.contracts import AnyContract
from toolaccord_codegen.loading.documents import Document, resolve_path
from toolaccord_codegen.loading.records import extend_record
from toolaccord_codegen.loading.references import SchemaLibrary
from toolaccord_codegen.loading.static_files import StaticFile
from toolaccord_codegen.naming import ClassName


def resolve_contracts(
    library: SchemaLibrary,
    contracts: Iterable[tuple[Document, AnyContract]],
    dialects: Mapping[str, Dialect],
    files: Mapping[str, StaticFile],
) -> tuple[tuple[Contract, ...], tuple[Agent, ...]]:
    """Resolve all contracts of a folder; *files* are its static files by path."""
    servers: dict[str, Contract] = {}
    agents: list[tuple[Resolver, AgentContract]] = []
    for document, declared in contracts:
        resolver = Resolver(library, document, files)
        if isinstance(declared, AgentContract):
            agents.append((resolver, declared))
        else:
            servers[document.name] = resolver.resolve_server(declared, dialects)
    return tuple(servers.values()), tuple(each.resolve_agent(declared, servers) for each, declared in agents)


@dataclass(frozen=True, slots=True)
class Resolver:
    """Resolution of the contract in a document; *files* are the folder's static files by path."""

    library: SchemaLibrary
    document: Document
    files: Mapping[str, StaticFile]

    def resolve_server(self, declared: ServerContract, known: Mapping[str, Dialect]) -> Contract:
        """Resolve the contract of a server."""
        dialect = _complete_dialect(known[declared.dialect])
        carriers = {event.name: event.source for event in declared.events}
        tools = (self._resolve_tool(tool, dialect, carriers) for tool in declared.tools)
        served = tuple(self._add_view(tool, declared.server.name, dialect) for tool in tools)
        read = [self._resolve_resource(each, dialect) for each in declared.resources]
        if declared.contracts_as_resources:
            read += list_published_contracts(self.document, declared, served)
        return Contract(
            document=self.document,
            declared=declared,
            dialect=dialect,
            settings=declared.settings,
            sources=declared.sources,
            events=tuple(map(self._resolve_event, declared.events)),
            asks=tuple(map(self._resolve_ask, declared.asks)),
            tools=served,
            resources=tuple(read),
            prompts=tuple(self._resolve_prompt(each, dialect) for each in declared.prompts),
        )

    def resolve_agent(self, declared: AgentContract, servers: Mapping[str, Contract]) -> Agent:
        """Resolve the contract of an agent; *servers* are the contracts of servers by path."""
        batch = declared.batch
        return Agent(
            document=self.document,
            declared=declared,
            sources=declared.sources,
            uses=tuple(_resolve_use(use, servers[resolve_path(self.document, use.contract)]) for use in declared.uses),
            batch=replace(batch, result=self._inline(batch.result)) if batch else None,
            events=tuple(map(self._resolve_event, declared.events)),
            input=self._inline(declared.input),
            output=self._inline(declared.output),
        )

    def _inline(self, schema: Schema) -> dict[str, Any]:
        return self.library.inline(self.document, schema)

    def _resolve_tool(self, tool: tools.Tool, dialect: Dialect, carriers: Mapping[str, str]) -> Tool:
        """Resolve a tool; *carriers* are the sources of events by name."""
        effects, returns = tool.effects, tool.returns or NO_RESULT
        written = [*effects.writes, *effects.adds, *(carriers[name] for name in effects.publishes)]
        return extend_record(
            tool,
            Tool,
            parameters=self._inline(tool.parameters),
            returns=self._inline(returns),
            raw_parameters=tool.parameters,
            raw_returns=returns,
            writes=tuple(dict.fromkeys(written)),
            errors=_complete_errors(dialect, tool.errors),
            examples=_select_examples(tool, tool.version),
            versions=tuple(
                extend_record(
                    older,
                    OlderVersion,
                    parameters=self._inline(older.parameters),
                    returns=self._inline(older.returns or NO_RESULT),
                    examples=_select_examples(tool, older.version),
                )
                for older in tool.versions
            ),
        )

    def _add_view(self, tool: Tool, server: str, dialect: Dialect) -> Tool:
        """Return a tool with the file of its view, if it has one."""
        if tool.view is None:
            return tool
        if isinstance(tool.view, HtmlView):
            copy = ViewCopy(f"{tool.function}.html", self._read_file(tool.view.file).decode())
            return replace(tool, view_copy=copy)
        viewed = ViewedTool(
            server=server,
            name=tool.name,
            title=tool.title,
            parameters=tool.parameters,
            returns=tool.returns,
            success=dialect.success,
            is_paginated=tool.pagination is not None,
        )
        return replace(tool, view_copy=ViewCopy(f"{tool.function}.json", configure_view(viewed, tool.view)))

    def _resolve_resource(self, resource: resources.Resource, dialect: Dialect) -> Resource:
        inlined = self._inline(resource.parameters or NO_PARAMETERS)
        return extend_record(
            resource,
            Resource,
            parameters=without_completions(inlined),
            raw_parameters=resource.parameters or NO_PARAMETERS,
            raw_returns=resource.returns,
            returns=None if resource.returns is None else self._inline(resource.returns),
            static=self._copy_static(resource, resource.static) if resource.static else None,
            errors=_complete_errors(dialect, resource.errors),
            completions=tuple(list_completions(resource.name, inlined)),
        )

    def _copy_static(self, resource: resources.Resource, static: resources.Static) -> resources.Static:
        """Copy a content that never changes."""
        if static.file is None:
            return static
        content = self._read_file(static.file)
        if resource.content == "binary":
            return replace(static, file=f"{resource.name}.base64", copy=base64.encodebytes(content).decode())
        return replace(static, file=f"{resource.name}{PurePosixPath(static.file).suffix}", copy=content.decode())

    def _read_file(self, path: str) -> bytes:
        """Return the content of a file beside the contract; a file that was not read is empty."""
        name = resolve_path(self.document, path)
        return self.files[name].content if name in self.files else b""

    def _resolve_prompt(self, prompt: prompts.Prompt, dialect: Dialect) -> Prompt:
        inlined = self._inline(prompt.parameters or NO_PARAMETERS)
        return extend_record(
            prompt,
            Prompt,
            parameters=without_completions(inlined),
            raw_parameters=prompt.parameters or NO_PARAMETERS,
            messages=tuple(
                self._resolve_message(message, f"prompt.{prompt.name}.{index}")
                for index, message in enumerate(prompt.messages)
            ),
            errors=_complete_errors(dialect, prompt.errors),
            completions=tuple(list_completions(prompt.name, inlined)),
        )

    def _resolve_message(self, message: prompts.PromptMessage, name: str) -> prompts.PromptMessage:
        """Resolve a message; *name* is that of the copy of its image."""
        if message.image is None:
            return message
        copy = base64.encodebytes(self._read_file(message.image.file)).decode()
        return replace(message, image=replace(message.image, file=f"{name}.base64", copy=copy))

    def _resolve_event(self, event: events.Event) -> Event:
        return extend_record(event, Event, raw_payload=event.payload, payload=self._inline(event.payload))

    def _resolve_ask(self, ask: Ask) -> Ask:
        if isinstance(ask, asks.Elicitation):
            return extend_record(ask, Form, schema=self._inline(ask.schema))
        return ask


def _complete_dialect(dialect: Dialect) -> Dialect:
    """Complete a dialect by the details of occasions for which it names none."""
    return replace(dialect, details=DEFAULT_DETAILS | {key: tuple(names) for key, names in dialect.details.items()})


def _complete_errors(dialect: Dialect, errors: tuple[operations.Error, ...]) -> tuple[ErrorCode, ...]:
    """Complete errors by what the dialect declares of standard codes."""
    return tuple(
        extend_record(
            error,
            ErrorCode,
            class_name=error.name or ClassName(error.code),
            http=error.http or dialect.http(error.code),
            jsonrpc=dialect.jsonrpc(error.code) if error.jsonrpc is None else error.jsonrpc,
            retryable=dialect.codes[error.code].retryable if error.code in dialect.codes else error.retryable,
        )
        for error in errors
    )


def _select_examples(tool: tools.Tool, version: str) -> tuple[tools.Example, ...]:
    """Select the examples of one version; an example without a version belongs to the newest."""
    return tuple(example for example in tool.examples if (example.version or tool.version) == version)


def _resolve_use(use: agent_contracts.Use, server: Contract) -> Use:
    """Resolve the use of a server."""
    served = server.on(*MCP_TRANSPORTS)
    known = {tool.name: tool for tool in served.tools}
    used = tuple(extend_record(each, UsedTool, tool=known[each.name]) for each in use.tools)
    return extend_record(use, Use, server=served, tools=used)
