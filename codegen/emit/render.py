"""Rendering of contracts as `{path: text}`: every generated file, formatted, in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from codegen.compiler import Contracts
from codegen.emit.client_context import build_client_context
from codegen.emit.envelopes import build_output_schema
from codegen.emit.hosts import build_host_files
from codegen.emit.mcp_registry import build_registry_files
from codegen.emit.model_schemas import SCALARS, ModelSchemas
from codegen.emit.models import (
    ModelCache,
    annotate_page_item,
    collect_server_schemas,
    collect_shared_schemas,
    list_shared_documents,
)
from codegen.emit.nullability import has_nullable_required_member
from codegen.emit.openapi.document import build_openapi_files
from codegen.emit.output_tree import Tree
from codegen.emit.prometheus_rules import build_rule_files
from codegen.emit.ruff import format_files
from codegen.emit.version_literals import build_version_context, format_date, format_step
from codegen.ir.contract import Contract, ErrorCode, Tool
from codegen.ir.layout import Layout
from codegen.loading.json_parser import format_json
from codegen.loading.protobuf import move_imports
from codegen.naming import ClassName, end_sentence, format_docstring, format_literal


def render_tree(contracts: Contracts, layout: Layout, models: ModelCache | None = None) -> Tree:
    """Render every generated file, by path; the same contracts give the same bytes."""
    models = models or ModelCache()
    python: Tree = {}
    data: Tree = {}
    title = "Servers and models generated from the contracts."
    python["__init__.py"] = _render_template("package.py", layout, title=title, names="**/*.json")
    python["dialects.py"] = _render_template("dialects.py", layout, dialects=contracts.dialects, names="dialects.json")
    if shared := collect_shared_schemas(contracts.library).classes:
        names = ", ".join(document.name for document in list_shared_documents(contracts.library))
        title = f"Models that several servers share.\n\n{layout.header(names)}"
        python["shared.py"] = models.render_module("shared.py", format_docstring(title), shared)
    for system in sorted({contract.system for contract in contracts.contracts}):
        servers = [contract for contract in contracts.contracts if contract.system == system]
        python |= _render_system(system, servers, layout)
    for contract in contracts.contracts:
        python |= _render_server(contracts, contract, layout, models)
        data |= _build_tool_files(contract)
    python |= _render_grpc_stubs(contracts, layout)
    data |= build_openapi_files(contracts.contracts)
    data |= build_rule_files(contracts.contracts, layout)
    data |= build_host_files(contracts.contracts, layout) | build_registry_files(contracts.contracts, layout)
    data["py.typed"] = ""
    return dict(sorted((format_files(python, _list_first_party(layout)) | data).items()))


def _render_grpc_stubs(contracts: Contracts, layout: Layout) -> Tree:
    """Make protoc's modules part of the generated package."""
    names = {protocol.name for protocol in contracts.protocols}
    files: Tree = {}
    for path, text in contracts.stubs.items():
        source = f"{path.partition('_pb2')[0]}.proto"
        files[path] = f"# {layout.header(source)}\n{move_imports(text, layout.package, names)}"
    return files


def _render_system(system: str, servers: Sequence[Contract], layout: Layout) -> Tree:
    """Render the modules that the servers of a system share."""
    names = ", ".join(contract.document.name for contract in servers)
    title = f"Servers of the system {system}."
    return {
        f"{system}/__init__.py": _render_template("package.py", layout, title=title, names=names),
        f"{system}/errors.py": _render_errors(system, names, _merge_errors(servers), layout),
    }


def _render_errors(system: str, names: str, errors: Sequence[ErrorCode], layout: Layout) -> str:
    """Render the error classes of a system."""
    has_lists = any(detail["type"] == "array" for error in errors for detail in (error.details or {}).values())
    return _render_template("errors.py", layout, system=system, names=names, errors=errors, has_lists=has_lists)


def _merge_errors(servers: Iterable[Contract]) -> list[ErrorCode]:
    """Merge the errors of servers by code, with joined descriptions, sorted by class name."""
    merged: dict[str, ErrorCode] = {}
    descriptions: dict[str, dict[str, None]] = {}
    for contract in servers:
        for tool in contract.tools:
            for error in tool.errors:
                merged.setdefault(error.code, error)
                descriptions.setdefault(error.code, {})[end_sentence(error.description)] = None
    errors = [replace(error, description=" ".join(descriptions[code]), when=None) for code, error in merged.items()]
    return sorted(errors, key=lambda error: error.class_name)


def _render_server(contracts: Contracts, contract: Contract, layout: Layout, models: ModelCache) -> Tree:
    """Render the Python modules of one server."""
    folder, names = f"{contract.system}/{contract.module}", contract.document.name
    schemas = collect_server_schemas(contracts.library, contract, layout.package)
    results = {tool.name: annotate_result(schemas, tool) for tool in contract.tools}
    outputs = {tool.name: build_output_schema(contract.dialect, tool) for tool in contract.tools}
    models_title = format_docstring(f"Requests and results of {contract.name}.\n\n{layout.header(names)}")
    package_title = f"{contract.name}: {contract.title}."
    about = {"contract": contract, "names": names}
    imports = _list_imports(contract, results, layout)
    versions = build_version_context(contract)
    return {
        f"{folder}/__init__.py": _render_template("package.py", layout, title=package_title, names=names),
        f"{folder}/models.py": models.render_module(f"{folder}/models.py", models_title, schemas.classes),
        f"{folder}/schemas.py": _render_template("schemas.py", layout, outputs=outputs, **about),
        f"{folder}/server.py": _render_template("server.py", layout, results=results, **about, **imports, **versions),
        f"{folder}/__main__.py": _render_template("main.py", layout, **about),
        f"{folder}/client.py": _render_template("client.py", layout, **about, **build_client_context(contract)),
    }


def annotate_result(schemas: ModelSchemas, tool: Tool) -> str:
    """Annotate the return type of a tool's handler."""
    result = f"Page[{annotate_page_item(schemas, tool)}]" if tool.paginated else f"models.{tool.class_name}Result"
    return result if tool.provisional_ttl_s is None else f"{result} | Provisional[{result}]"


def _list_imports(contract: Contract, results: Mapping[str, str], layout: Layout) -> dict[str, Any]:
    """List the imports that server.py needs, so that it imports nothing else."""
    kinds = sorted({source.kind for source in contract.sources})
    conditions = {type(condition).__name__ for tool in contract.tools for condition in tool.conditions}
    bindings = [error.when for tool in contract.tools for error in tool.errors if error.when]
    used = {
        "At": any("at" in binding for binding in bindings),
        "CachePolicy": any(tool.ttl_s is not None for tool in contract.tools),
        "DeclaredError": any(tool.errors for tool in contract.tools),
        "Idempotency": contract.takes_idempotency_keys,
        "OlderVersion": any(tool.versions for tool in contract.tools),
        "On": any("occasion" in binding for binding in bindings),
        "Server": True,
        "Tool": True,
    }
    annotations = " ".join(results.values())
    return {
        "condition_imports": ", ".join(sorted(conditions)),
        "declarations": ", ".join(name for name, is_used in used.items() if is_used),
        "handlers": f"{layout.handlers}.{contract.system}.{contract.module}",
        "source_imports": {kind: f"{_name_source_class(kind)}, {_name_source_class(kind)}Source" for kind in kinds},
        "uses_any": "Any" in annotations or any(tool.lookups for tool in contract.tools),
        "uses_errors": used["DeclaredError"],
        "uses_pages": "Page[" in annotations,
        "uses_rows": "| Row" in annotations,
        "uses_provisional": "Provisional[" in annotations,
        "uses_shared": "shared." in annotations,
        "uses_span": "Span" in conditions,
    }


def _build_tool_files(contract: Contract) -> Tree:
    """Build tools.json and the schema files that it refers to."""
    folder = f"{contract.system}/{contract.module}"
    files: Tree = {}
    tools = []
    for tool in contract.tools:
        schemas = {"input": tool.parameters, "output": tool.returns}
        for side, schema in schemas.items():
            files[f"{folder}/schemas/{tool.function}_{side}.json"] = format_json(schema)
        references = {f"{side}_schema": {"$ref": f"./schemas/{tool.function}_{side}.json"} for side in schemas}
        tools.append({"name": tool.name, "description": tool.description, **references})
    return files | {f"{folder}/tools.json": format_json({"tools": tools})}


def _render_template(name: str, layout: Layout, **values: Any) -> str:
    """Render one template."""
    return _load_templates().get_template(f"{name}.jinja").render(layout=layout, **values)


@cache
def _load_templates() -> Environment:
    """Load the templates with their filters, through which all text of a contract enters code."""
    environment = Environment(
        loader=PackageLoader("codegen.emit"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - Python, not HTML: `literal` and `docstring` escape
    )
    environment.filters |= {
        "annotation": {**SCALARS, "array": "list[dict[str, Any]]"}.__getitem__,
        "binding": _format_binding,
        "date": format_date,
        "docstring": format_docstring,
        "literal": format_literal,
        "has_nullable_required_member": has_nullable_required_member,
        "source_class": _name_source_class,
        "step": format_step,
    }
    return environment


def _name_source_class(kind: str) -> str:
    """Name the class of a source kind's client; the class of its declaration appends `Source`."""
    return ClassName(kind)


def _format_binding(when: Mapping[str, Any] | None) -> str:
    """Format an error's `when` as an argument of DeclaredError; empty if it has none."""
    if when is None:
        return ""
    if "occasion" in when:
        return f", when=On({format_literal(when['occasion'])})"
    keyword = f", keyword={format_literal(when['keyword'])}" if "keyword" in when else ""
    return f", when=At({format_literal(tuple(when['at']))}{keyword})"


def _list_first_party(layout: Layout) -> list[str]:
    """List the packages that generated imports sort as first-party."""
    return sorted({name.partition(".")[0] for name in (layout.package, layout.handlers, "toolpact")})
