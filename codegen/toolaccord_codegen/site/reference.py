"""Pages of servers, tools and agents, and the entries by which readers find them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from toolaccord.semantics.version_steps import ABSENT
from toolaccord_codegen.compiler import Contracts
from toolaccord_codegen.emit.hosts import build_server_host_files
from toolaccord_codegen.emit.openapi.document import fill_result
from toolaccord_codegen.emit.openapi.error_responses import (
    ErrorResponse,
    describe_missing_scope_error,
    list_tool_errors,
)
from toolaccord_codegen.ir.agent import Agent
from toolaccord_codegen.ir.contract import Contract
from toolaccord_codegen.ir.layout import Layout
from toolaccord_codegen.ir.tool import Tool
from toolaccord_codegen.site.pages import REFERENCE, Link, Page, root_of
from toolaccord_codegen.site.policies import describe_when, list_facts
from toolaccord_codegen.site.releases import Release, select_releases
from toolaccord_codegen.site.schema_fields import Field, format_value, list_fields, list_result_fields
from toolaccord_codegen.site.search import Entry
from toolaccord_codegen.site.templating import make_anchor, render, split_paragraphs

LANGUAGES = {"json": "json", "toml": "toml"}
"""Languages of host configurations, by the end of their names."""
CHANGES = "changes.html"
ERRORS = "errors.html"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """One cause of an error."""

    description: str
    origin: str
    details: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolError:
    """One code that a tool may answer."""

    code: str
    status: int
    retryable: bool
    causes: tuple[Cause, ...]
    example: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """The pages of contracts."""

    title: str
    description: str
    contracts: Contracts
    layout: Layout
    releases: Sequence[Release]
    views: Mapping[tuple[str, str], str]
    """The page of a view as HTML, by the path of the contract and the name of the tool."""
    host_script: str
    """JavaScript of a host of views, which the pages with one load."""

    @property
    def page_count(self) -> int:
        """Return the number of pages."""
        servers = sum(1 + len(contract.tools) for contract in self.contracts.contracts)
        return servers + len(self.contracts.agents) + 2 + bool(self.releases)

    def list_pages(self) -> Iterator[Page]:
        """List every page: the index, servers with their tools, agents, errors and changes."""
        yield self._build_index()
        for contract in self.contracts.contracts:
            yield self._build_server(contract)
            yield from (self._build_tool(contract, tool) for tool in contract.tools)
        yield from map(self._build_agent, self.contracts.agents)
        yield self._build_errors()
        if self.releases:
            yield self._build_changes()

    def _build_index(self) -> Page:
        """Build the first page."""
        systems = [
            (
                system,
                [_describe_server(each) for each in self.contracts.contracts if each.system == system],
                [_describe_agent(each) for each in self.contracts.agents if each.system == system],
            )
            for system in self.contracts.systems
        ]
        content = render("index", title=self.title, description=self.description, systems=systems)
        return Page(path="index.html", title=self.title, tab=REFERENCE, content=content)

    def _build_server(self, contract: Contract) -> Page:
        """Build the page of a server."""
        path = server_path(contract)
        tools = {tool.name: root_of(path) + tool_path(contract, tool.name) for tool in contract.tools}
        hosts = [
            (name.rpartition("/")[2], LANGUAGES[name.rpartition(".")[2]], content)
            for name, content in build_server_host_files(contract, self.layout).items()
        ]
        content = render(
            "server",
            root=root_of(path),
            server=contract,
            tools=[(tool, tool_path(contract, tool.name)) for tool in contract.tools],
            resources=contract.client_resources,
            settings=[_describe_setting(each) for each in contract.settings],
            hosts=hosts,
            releases=list(select_releases(self.releases, contract.document.name, None, *tools)),
            urls=tools,
        )
        links = [(tool.name, tool_path(contract, tool.name)) for tool in contract.tools]
        return Page(path=path, title=contract.title, tab=REFERENCE, content=content, parent=path, siblings=links)

    def _build_tool(self, contract: Contract, tool: Tool) -> Page:
        """Build the page of a tool."""
        path = tool_path(contract, tool.name)
        errors = list_errors(contract, tool)
        view = self._describe_view(contract, tool)
        content = render(
            "tool",
            root=root_of(path),
            contract_name=contract.document.name,
            tool=tool,
            errors=errors,
            failures={each.code: each.example for each in errors},
            facts=list(list_facts(contract, tool)),
            releases=list(select_releases(self.releases, contract.document.name, tool.name)),
            view=view,
        )
        parent = server_path(contract)
        links = [(each.name, tool_path(contract, each.name)) for each in contract.tools]
        crumbs = [(contract.system, "index.html"), (contract.title, parent)]
        return Page(
            path=path,
            title=tool.title or tool.name,
            tab=REFERENCE,
            content=content,
            parent=parent,
            siblings=links,
            crumbs=crumbs,
            view=(view["path"], self.views[contract.document.name, tool.name]) if view else None,
        )

    def _describe_view(self, contract: Contract, tool: Tool) -> dict[str, Any] | None:
        """Describe the view of a tool with its example of the longest result; None without both."""
        examples = [each for each in tool.examples if each.error is None and each.returns is not ABSENT]
        example = max(examples, key=lambda each: len(format_value(each.returns)), default=None)
        if example is None or (contract.document.name, tool.name) not in self.views:
            return None
        result = {"content": [], "structuredContent": fill_result(contract, tool, example)}
        return {"path": view_path(contract, tool.name), "data": {"arguments": example.arguments, "result": result}}

    def _build_agent(self, agent: Agent) -> Page:
        """Build the page of an agent."""
        path = agent_path(agent)
        content = render(
            "agent",
            root=root_of(path),
            agent=agent,
            settings=[_describe_setting(each) for each in agent.settings],
            tool_path=tool_path,
            releases=list(select_releases(self.releases, agent.document.name, None)),
        )
        return Page(path=path, title=agent.title, tab=REFERENCE, content=content)

    def _build_errors(self) -> Page:
        """Build the page of all error codes."""
        found: dict[str, tuple[set[int], list[Link]]] = {}
        for contract in self.contracts.contracts:
            for tool in contract.tools:
                for error in list_errors(contract, tool):
                    statuses, tools = found.setdefault(error.code, (set(), []))
                    statuses.add(error.status)
                    tools.append((tool.name, tool_path(contract, tool.name)))
        codes = [(code, sorted(statuses), tools) for code, (statuses, tools) in sorted(found.items())]
        return Page(path=ERRORS, title="Errors", tab=REFERENCE, content=render("errors", codes=codes))

    def _build_changes(self) -> Page:
        """Build the page of all changes."""
        contracts = self.contracts.contracts
        owners: tuple[Contract | Agent, ...] = (*contracts, *self.contracts.agents)
        content = render(
            "changes",
            root="",
            releases=list(reversed(self.releases)),
            titles={each.document.name: each.title for each in owners},
            urls={
                contract.document.name: {tool.name: tool_path(contract, tool.name) for tool in contract.tools}
                for contract in contracts
            },
        )
        return Page(path=CHANGES, title="Changes between releases", tab=REFERENCE, content=content)

    def list_entries(self) -> Iterator[Entry]:
        """List what readers look for in contracts."""
        for contract in self.contracts.contracts:
            path = server_path(contract)
            yield Entry(contract.title, "server", path, contract.name, contract.description)
            for kind, named in (("resource", contract.client_resources), ("prompt", contract.prompts)):
                yield from (Entry(each.name, kind, f"{path}#{kind}-{each.name}", contract.title) for each in named)
            yield from (
                Entry(each.name, "event", f"{path}#event-{each.name}", contract.title) for each in contract.events
            )
            yield from (
                Entry(each.env, "setting", f"{path}#setting-{each.env}", contract.title) for each in contract.settings
            )
            yield from chain.from_iterable(_list_tool_entries(contract, tool) for tool in contract.tools)
        for agent in self.contracts.agents:
            yield Entry(agent.title, "agent", agent_path(agent), agent.name, agent.description)
            yield from _list_field_entries(agent_path(agent), agent.title, "arguments", list(list_fields(agent.input)))
            yield from _list_field_entries(agent_path(agent), agent.title, "result", list_result_fields(agent.output))


def server_path(contract: Contract) -> str:
    """Return the path of a server's page."""
    return f"servers/{contract.system}/{contract.module}.html"


def tool_path(contract: Contract, tool: str) -> str:
    """Return the path of a tool's page."""
    return f"servers/{contract.system}/{contract.module}/{tool}.html"


def view_path(contract: Contract, tool: str) -> str:
    """Return the path of a view."""
    return f"views/{contract.system}/{contract.module}/{tool}.html"


def agent_path(agent: Agent) -> str:
    """Return the path of an agent's page."""
    return f"agents/{agent.system}/{agent.module}.html"


def _describe_server(contract: Contract) -> dict[str, Any]:
    """Describe a server for the first page."""
    tools = [{"name": tool.name, "path": tool_path(contract, tool.name)} for tool in contract.tools]
    return {**_describe_card(contract, server_path(contract)), "tools": tools}


def _describe_agent(agent: Agent) -> dict[str, Any]:
    """Describe an agent for the first page."""
    return _describe_card(agent, agent_path(agent))


def _describe_card(owner: Contract | Agent, path: str) -> dict[str, Any]:
    """Describe what servers and agents share."""
    return {
        "title": owner.title,
        "name": owner.name,
        "version": owner.version,
        "description": owner.description,
        "path": path,
    }


def _describe_setting(setting: Any) -> tuple[Any, Field]:
    """Return a setting with its value as a field."""
    shown = {} if setting.default is None else {"default": setting.default}
    schema = {**setting.schema, "description": setting.description, **shown}
    (field,) = list_result_fields(schema)
    return setting, field


def list_errors(contract: Contract, tool: Tool) -> list[ToolError]:
    """List the codes of a tool, its own first, each with all of its causes."""
    responses = list(list_tool_errors(contract.dialect, tool))
    own = [
        _describe_error(
            response, Cause(description=error.description, origin=describe_when(error.when), details=error.details)
        )
        for error, response in zip(tool.errors, responses, strict=False)
    ]
    others = [
        *responses[len(own) :],
        *([describe_missing_scope_error(contract.dialect)] if contract.demand(tool) else []),
    ]
    listed = [*own, *(_describe_error(each, Cause(description=each.reason, origin="", details={})) for each in others)]
    merged: dict[str, ToolError] = {}
    for each in listed:
        known = merged.setdefault(each.code, each)
        if known is not each:
            more = [cause for cause in each.causes if cause not in known.causes]
            merged[each.code] = replace(known, causes=(*known.causes, *more))
    return list(merged.values())


def _describe_error(response: ErrorResponse, cause: Cause) -> ToolError:
    """Describe an error with one cause."""
    return ToolError(
        code=response.code,
        status=response.status,
        retryable=response.retryable,
        causes=(cause,),
        example=response.example,
    )


def _list_tool_entries(contract: Contract, tool: Tool) -> Iterator[Entry]:
    """List a tool, its errors and its fields."""
    path, place = tool_path(contract, tool.name), f"{contract.title} · {tool.name}"
    title = f"{tool.name} · {tool.title}" if tool.title else tool.name
    yield Entry(title, "tool", path, contract.title, split_paragraphs(tool.description)[0])
    for error in list_errors(contract, tool):
        yield Entry(error.code, "error", f"{path}#error-{error.code}", place, error.causes[0].description)
    yield from _list_field_entries(path, place, "arguments", list(list_fields(tool.parameters)))
    yield from _list_field_entries(path, place, "result", list_result_fields(tool.returns) if tool.has_result else [])


def _list_field_entries(path: str, place: str, prefix: str, fields: Sequence[Field]) -> Iterator[Entry]:
    """List the fields that have a name."""
    kind = "argument" if prefix == "arguments" else "field"
    for field in fields:
        if field.pointer and not field.pointer.endswith("/*"):
            yield Entry(field.name, kind, f"{path}#{make_anchor(prefix, field)}", place)
