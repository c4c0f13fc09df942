"""Rendering of contracts as `{path: text}`: every generated file, formatted, in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from types import MappingProxyType
from typing import TypeAlias

from toolaccord.contract.prompts import Image
from toolaccord.contract.resources import Static
from toolaccord_codegen.compiler import Contracts
from toolaccord_codegen.emit.agents import build_agent_files, render_agent
from toolaccord_codegen.emit.calls import list_members, list_narrow_calls
from toolaccord_codegen.emit.dashboards.files import build_dashboard_files
from toolaccord_codegen.emit.database_roles import build_role_files
from toolaccord_codegen.emit.declarations.servers import declare_server
from toolaccord_codegen.emit.extras import build_extras_file
from toolaccord_codegen.emit.hosts import build_server_host_files, build_system_host_files
from toolaccord_codegen.emit.kubernetes.files import build_kubernetes_files
from toolaccord_codegen.emit.model_schemas import ModelSchemas
from toolaccord_codegen.emit.models import (
    ModelCache,
    annotate_page_item,
    annotate_payload,
    collect_server_schemas,
    collect_shared_schemas,
    list_shared_documents,
)
from toolaccord_codegen.emit.openapi.document import build_openapi_files
from toolaccord_codegen.emit.output_tree import Tree, compute_digest
from toolaccord_codegen.emit.prometheus_rules import build_rule_files
from toolaccord_codegen.emit.queries import QueryCode, render_queries
from toolaccord_codegen.emit.ruff import format_files
from toolaccord_codegen.emit.schema_modules import render_server_schemas
from toolaccord_codegen.emit.server_cache import ServerCache, digest_surroundings
from toolaccord_codegen.emit.templating import render_template
from toolaccord_codegen.ir.contract import MCP_TRANSPORTS, Contract
from toolaccord_codegen.ir.layout import Layout
from toolaccord_codegen.ir.tool import ErrorCode, Tool
from toolaccord_codegen.loading.json_layout import format_json
from toolaccord_codegen.loading.protobuf import move_imports
from toolaccord_codegen.naming import end_sentence, format_docstring
from toolaccord_codegen.queries.described import NO_QUERIES, DescribedQuery, ServerQueries

SERVER_CLIENT_METHODS = frozenset({"call", "complete", "get_prompt", "http", "pages", "read", "stdio"})
"""Methods of `toolaccord.client.base.ServerClient`.

A tool with such a name gets a method with `_` appended.
"""

NO_SERVERS: Mapping[str, ServerQueries] = MappingProxyType({})
_MYPY_COMMENT = '# mypy: disable-error-code="no-untyped-def, type-arg"'
"""Lets protoc's modules pass `mypy --strict`, without annotations and with bare Mappings."""
CONTENT_CLASSES: Mapping[str, str] = {
    "text": "Text",
    "image": "Image",
    "audio": "Audio",
    "resource": "EmbeddedResource",
    "resource_link": "ResourceLink",
}
"""Classes of `toolaccord.content`, by the kind of content."""

Show: TypeAlias = Callable[[int, int, str], None]
"""Shows how many of all servers are rendered, and the name of the next."""


def render_tree(
    contracts: Contracts,
    layout: Layout,
    models: ModelCache | None = None,
    servers: ServerCache | None = None,
    queries: Mapping[str, ServerQueries] = NO_SERVERS,
    *,
    show: Show | None = None,
) -> Tree:
    """Render every generated file, by path; the same contracts give the same bytes.

    *queries* are those of servers, by contract, and *show* is told of each server.
    """
    models, servers = models or ModelCache(), servers or ServerCache()
    python = _render_shared(contracts, layout, models)
    data: Tree = {"py.typed": "", **build_extras_file(contracts, layout)}
    reused: Tree = {}
    rendered: list[tuple[Contract, str, list[str]]] = []
    surroundings = digest_surroundings(contracts, layout)
    for number, contract in enumerate(contracts.contracts):
        if show:
            show(number, len(contracts.contracts), f"{contract.system}/{contract.module}")
        own = queries.get(contract.document.name, NO_QUERIES)
        around = compute_digest(surroundings + own.digest())
        files = servers.load(contract.document.name, contracts.documents_by_name, around)
        if files is None:
            modules, others = _render_server(contracts, contract, layout, models, own), _build_data(contract, layout)
            python |= modules
            data |= others
            rendered.append((contract, around, [*modules, *others]))
        reused |= files or {}
    for agent in contracts.agents:
        python |= render_agent(contracts, agent, layout, models)
        data |= build_agent_files(agent, layout)
    python |= _render_grpc_stubs(contracts, layout)
    data |= build_system_host_files(contracts.contracts, layout) | build_kubernetes_files(contracts, layout)
    data |= build_dashboard_files(contracts, layout)
    tree = format_files(python, _list_first_party(layout)) | data
    for contract, around, paths in rendered:
        servers.record(contracts, contract, around, {path: tree[path] for path in paths})
    return dict(sorted((tree | reused).items()))


def _render_shared(contracts: Contracts, layout: Layout, models: ModelCache) -> Tree:
    """Render the modules that several servers share."""
    title = "Servers and models generated from the contracts."
    files = {
        "__init__.py": render_template("package.py", layout, title=title, names="**/*.json"),
        "dialects.py": render_template(
            "dialects.py", layout, dialects=contracts.dialects, replace=replace, names="dialects.json"
        ),
    }
    if shared := collect_shared_schemas(contracts.library).classes:
        names = ", ".join(document.name for document in list_shared_documents(contracts.library))
        title = f"Models that several servers share.\n\n{layout.header(names)}"
        files["shared.py"] = models.render_module("shared.py", format_docstring(title), shared)
    for system in contracts.systems:
        files |= _render_system(system, contracts, layout)
    return files


def _build_data(contract: Contract, layout: Layout) -> Tree:
    """Build the files of one server that are no Python."""
    files = _build_schema_files(contract)
    if (mcp := contract.on(*MCP_TRANSPORTS)).tools:
        files |= _build_mcp_files(mcp, layout)
    files |= build_openapi_files([contract]) | build_rule_files([contract], layout)
    return files | build_role_files([contract], layout) | build_server_host_files(contract, layout)


def _render_grpc_stubs(contracts: Contracts, layout: Layout) -> Tree:
    """Make protoc's modules part of the generated package."""
    names = {protocol.name for protocol in contracts.protocols}
    files: Tree = {}
    for path, text in contracts.stubs.items():
        source = f"{path.partition('_pb2')[0]}.proto"
        header = f"# {layout.header(source)}\n{_MYPY_COMMENT}\n"
        files[path] = header + move_imports(text, layout.package, names)
    return files


def _render_system(system: str, contracts: Contracts, layout: Layout) -> Tree:
    """Render the modules that the servers and agents of a system share."""
    servers = [contract for contract in contracts.contracts if contract.system == system]
    agents = [agent for agent in contracts.agents if agent.system == system]
    documents = [*(contract.document for contract in servers), *(agent.document for agent in agents)]
    names = ", ".join(document.name for document in documents)
    nouns = " and ".join(noun for noun, found in (("Servers", servers), ("agents", agents)) if found).capitalize()
    title = f"{nouns} of the system {system}."
    files = {f"{system}/__init__.py": render_template("package.py", layout, title=title, names=names)}
    if servers:
        names, errors = ", ".join(contract.document.name for contract in servers), _merge_errors(servers)
        errors_text = render_template("errors.py", layout, system=system, names=names, errors=errors)
        files[f"{system}/errors.py"] = errors_text
    return files


def _merge_errors(servers: Iterable[Contract]) -> list[ErrorCode]:
    """Merge the errors of servers by code, with joined descriptions, sorted by class name."""
    merged: dict[str, ErrorCode] = {}
    descriptions: dict[str, dict[str, None]] = {}
    for contract in servers:
        for error in chain.from_iterable(each.errors for each in contract.operations):
            merged.setdefault(error.code, error)
            descriptions.setdefault(error.code, {})[end_sentence(error.description)] = None
    errors = [replace(error, description=" ".join(descriptions[code]), when=None) for code, error in merged.items()]
    return sorted(errors, key=lambda error: error.class_name)


def _render_server(
    contracts: Contracts, contract: Contract, layout: Layout, models: ModelCache, queries: ServerQueries
) -> Tree:
    """Render the Python modules of one server."""
    folder, names = f"{contract.system}/{contract.module}", contract.document.name
    schemas = collect_server_schemas(contracts.library, contract, layout.package)
    results = {tool.name: annotate_result(schemas, tool, queries.list_feeding(tool.name)) for tool in contract.tools}
    payloads = {event.name: annotate_payload(schemas, contract.document, event) for event in contract.events}
    models_title = format_docstring(f"Requests and results of {contract.name}.\n\n{layout.header(names)}")
    package_title = f"{contract.name}: {contract.title}."
    handlers, lookups = f"{layout.handlers}.{contract.system}.{contract.module}", _describe_lookups(contract)
    about = {"contract": contract, "names": names}
    mcp, members = contract.on(*MCP_TRANSPORTS), list_members(contract, contracts.kinds, payloads)
    return {
        f"{folder}/__init__.py": render_template("package.py", layout, title=package_title, names=names),
        f"{folder}/models.py": models.render_module(f"{folder}/models.py", models_title, schemas.classes),
        f"{folder}/schemas.py": render_server_schemas(contract, layout),
        f"{folder}/server.py": render_template(
            "server.py",
            layout,
            declaration=declare_server(
                contract, f"{layout.package}.{contract.system}.{contract.module}", contracts.kinds
            ),
            results=results,
            members=members,
            narrow_calls=list_narrow_calls(contract, members),
            handlers=handlers,
            lookups=lookups,
            kinds=contracts.kinds,
            **about,
        ),
        f"{folder}/__main__.py": render_template("main.py", layout, **about),
        **render_queries(contract, queries.queries, layout),
        **(_render_client(mcp, layout) if mcp.tools else {}),
    }


def _render_client(contract: Contract, layout: Layout) -> Tree:
    """Render the typed client of one server."""
    results = {
        tool.name: annotate_content(tool, f"models.{tool.class_name}Result") for tool in contract.tools if tool.content
    }
    about = {
        "contract": contract,
        "names": contract.document.name,
        "client_methods": SERVER_CLIENT_METHODS,
        "content_results": results,
    }
    return {f"{contract.system}/{contract.module}/client.py": render_template("client.py", layout, **about)}


def annotate_result(schemas: ModelSchemas, tool: Tool, feeding: Sequence[DescribedQuery] = ()) -> str:
    """Annotate the return type of a tool's handler.

    It may also return rows of the queries that are proved to fit.
    """
    rows = [f"queries.{code.row}" for code in map(QueryCode, feeding) if code.fields]
    item = annotate_page_item(schemas, tool) if tool.pagination else f"models.{tool.class_name}Result"
    item = " | ".join([item, *rows])
    result = f"Page[{item}]" if tool.pagination else item
    result = annotate_content(tool, result) if tool.content else result
    is_provisional = tool.cache is not None and tool.cache.provisional_ttl_s is not None
    return f"{result} | Provisional[{result}]" if is_provisional else result


def annotate_content(tool: Tool, result: str) -> str:
    """Annotate what a tool with content returns, with its *result* if it has one."""
    kinds = dict.fromkeys(f"content.{CONTENT_CLASSES[kind.partition('/')[0]]}" for kind in tool.content)
    union = " | ".join(kinds)
    return f"content.WithContent[{result}, {union}]" if tool.has_result else f"Sequence[{union}]"


def _describe_lookups(contract: Contract) -> dict[str, str]:
    """Write the docstrings of the lookup functions, by name."""
    docstrings: dict[str, str] = {}
    for tool in contract.tools:
        for version in tool.versions:
            name = f"{tool.name} {version.version}"
            argument = f"Map an argument's value of {name} to the next version"
            value = f"Map a result's value of the next version to {name}"
            docstrings |= dict.fromkeys(version.request_lookups, argument)
            docstrings |= dict.fromkeys(version.result_lookups, value)
    return docstrings


def _build_schema_files(contract: Contract) -> Tree:
    """Build the schema files of tools, resources and events."""
    folder = f"{contract.system}/{contract.module}/schemas"
    files: Tree = {}
    for tool in contract.tools:
        files[f"{folder}/{tool.function}_input.json"] = format_json(tool.parameters)
        if tool.has_result:
            files[f"{folder}/{tool.function}_output.json"] = format_json(tool.returns)
    for each in contract.read_resources:
        if each.returns is not None:
            files[f"{folder}/{each.function}_output.json"] = format_json(each.returns)
    for event in contract.events:
        files[f"{folder}/events/{event.name}.json"] = format_json(event.payload)
    return files


def _build_mcp_files(contract: Contract, layout: Layout) -> Tree:
    """Build tools.json, which refers to the schema files, and the registry's server.json."""
    folder = f"{contract.system}/{contract.module}"
    tools = [
        {
            "name": tool.name,
            "description": tool.description,
            "input_schema": {"$ref": f"./schemas/{tool.function}_input.json"},
            **({"output_schema": {"$ref": f"./schemas/{tool.function}_output.json"}} if tool.has_result else {}),
        }
        for tool in contract.tools
    ]
    return {
        f"{folder}/tools.json": format_json({"tools": tools}),
        f"{folder}/server.json": render_template("server.json", layout, contract=contract),
        **{f"{folder}/static/{each.file}": each.copy for each in _list_statics(contract) if each.file},
        **{f"{folder}/views/{view.file}": view.copy for tool in contract.tools if (view := tool.view_copy)},
    }


def _list_statics(contract: Contract) -> list[Static | Image]:
    """List the contents that never change."""
    statics: list[Static | Image | None] = [resource.static for resource in contract.resources]
    statics += [message.image for prompt in contract.prompts for message in prompt.messages]
    return [static for static in statics if static]


def _list_first_party(layout: Layout) -> list[str]:
    """List the packages that generated imports sort as first-party."""
    return sorted({name.partition(".")[0] for name in (layout.package, layout.handlers, "toolaccord")})
