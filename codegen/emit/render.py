"""Contracts as `{path: text}`: everything that is generated, formatted, in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from codegen.compiler import Contracts
from codegen.emit.client_context import client_values
from codegen.emit.envelopes import output_schema
from codegen.emit.hosts import host_files
from codegen.emit.mcp_registry import registry_files
from codegen.emit.model_schemas import SCALARS, ModelSchemas
from codegen.emit.models import Models, page_item, server_schemas, shared_documents, shared_schemas
from codegen.emit.nullability import nullable_result
from codegen.emit.openapi.document import openapi_files
from codegen.emit.output_tree import Tree
from codegen.emit.prometheus_rules import alert_files
from codegen.emit.ruff import formatted
from codegen.emit.version_literals import day, step_literal, version_values
from codegen.ir.contract import Contract, ErrorCode, Tool
from codegen.ir.layout import Layout
from codegen.loading.json_parser import format_json
from codegen.loading.protobuf import move_imports
from codegen.naming import ClassName, end_sentence, format_docstring, format_literal


def rendered(contracts: Contracts, layout: Layout, models: Models | None = None) -> Tree:
    """Every generated file by its path below the output folder. The same contracts give the same bytes."""
    models = models or Models()
    python: Tree = {}
    data: Tree = {}
    title = "Servers and models generated from the contracts."
    python["__init__.py"] = page("package.py", layout, title=title, names="**/*.json")
    python["dialects.py"] = page("dialects.py", layout, dialects=contracts.dialects, names="dialects.json")
    if shared := shared_schemas(contracts.library).found:
        names = ", ".join(document.name for document in shared_documents(contracts.library))
        title = f"Models that several servers share.\n\n{layout.header(names)}"
        python["shared.py"] = models.text("shared.py", format_docstring(title), shared)
    for system in sorted({contract.system for contract in contracts.contracts}):
        servers = [contract for contract in contracts.contracts if contract.system == system]
        python |= system_files(system, servers, layout)
    for contract in contracts.contracts:
        python |= server_files(contracts, contract, layout, models)
        data |= data_files(contract)
    python |= stub_files(contracts, layout)
    data |= openapi_files(contracts.contracts)
    data |= alert_files(contracts.contracts, layout)
    data |= host_files(contracts.contracts, layout) | registry_files(contracts.contracts, layout)
    data["py.typed"] = ""
    return dict(sorted((formatted(python, first_party(layout)) | data).items()))


def stub_files(contracts: Contracts, layout: Layout) -> Tree:
    """What protoc made, as part of the package."""
    names = {protocol.name for protocol in contracts.protocols}
    files: Tree = {}
    for path, text in contracts.stubs.items():
        source = f"{path.partition('_pb2')[0]}.proto"
        files[path] = f"# {layout.header(source)}\n{move_imports(text, layout.package, names)}"
    return files


def system_files(system: str, servers: Sequence[Contract], layout: Layout) -> Tree:
    """What the servers of a system share."""
    names = ", ".join(contract.document.name for contract in servers)
    title = f"The servers of {system}."
    return {
        f"{system}/__init__.py": page("package.py", layout, title=title, names=names),
        f"{system}/errors.py": errors_file(system, names, error_classes(servers), layout),
    }


def errors_file(system: str, names: str, errors: Sequence[ErrorCode], layout: Layout) -> str:
    """The classes of a system's codes."""
    lists = any(detail["type"] == "array" for error in errors for detail in (error.details or {}).values())
    return page("errors.py", layout, system=system, names=names, errors=errors, lists=lists)


def error_classes(servers: Iterable[Contract]) -> list[ErrorCode]:
    """One error a code, by class name; where servers describe it differently, in all their words."""
    errors: dict[str, ErrorCode] = {}
    described: dict[str, dict[str, None]] = {}
    for contract in servers:
        for tool in contract.tools:
            for error in tool.errors:
                errors.setdefault(error.code, error)
                described.setdefault(error.code, {})[end_sentence(error.description)] = None
    texts = {code: " ".join(parts) for code, parts in described.items()}
    return [
        with_description(errors[code], texts[code]) for code in sorted(errors, key=lambda code: errors[code].class_name)
    ]


def with_description(error: ErrorCode, description: str) -> ErrorCode:
    """The same code, described in other words."""
    return ErrorCode(
        code=error.code,
        class_name=error.class_name,
        description=description,
        http=error.http,
        details=error.details,
        when=None,
    )


def server_files(contracts: Contracts, contract: Contract, layout: Layout, models: Models) -> Tree:
    """The Python files of one server."""
    folder, names = f"{contract.system}/{contract.module}", contract.document.name
    schemas = server_schemas(contracts.library, contract, layout.package)
    results = {tool.name: result(schemas, tool) for tool in contract.tools}
    outputs = {tool.name: output_schema(contract.dialect, tool) for tool in contract.tools}
    title = f"The requests and results of {contract.name}.\n\n{layout.header(names)}"
    about = {"contract": contract, "names": names}
    return {
        f"{folder}/__init__.py": page("package.py", layout, title=f"{contract.name}: {contract.title}.", names=names),
        f"{folder}/models.py": models.text(f"{folder}/models.py", format_docstring(title), schemas.found),
        f"{folder}/schemas.py": page("schemas.py", layout, outputs=outputs, **about),
        f"{folder}/server.py": page(
            "server.py",
            layout,
            results=results,
            **about,
            **server_imports(contract, results, layout),
            **version_values(contract),
        ),
        f"{folder}/__main__.py": page("main.py", layout, **about),
        f"{folder}/client.py": page("client.py", layout, **about, **client_values(contract)),
    }


def result(schemas: ModelSchemas, tool: Tool) -> str:
    """What a tool's handler returns, as an annotation."""
    whole = f"Page[{page_item(schemas, tool)}]" if tool.paginated else f"models.{tool.class_name}Result"
    return whole if tool.provisional_ttl_s is None else f"{whole} | Provisional[{whole}]"


def server_imports(contract: Contract, results: Mapping[str, str], layout: Layout) -> dict[str, Any]:
    """What server.py needs to import, so that it imports nothing else."""
    kinds = sorted({source.kind for source in contract.sources})
    conditions = [condition for tool in contract.tools for condition in tool.conditions]
    whens = [error.when for tool in contract.tools for error in tool.errors if error.when]
    used = {
        "At": any("at" in when for when in whens),
        "CachePolicy": any(tool.ttl_s is not None for tool in contract.tools),
        "DeclaredError": any(tool.errors for tool in contract.tools),
        "Idempotency": contract.takes_idempotency_keys,
        "OlderVersion": any(tool.versions for tool in contract.tools),
        "On": any("occasion" in when for when in whens),
        "Ordered": any(condition.at_most_s is None for condition in conditions),
        "Server": True,
        "Span": any(condition.at_most_s is not None for condition in conditions),
        "Tool": True,
    }
    texts = " ".join(results.values())
    return {
        "declarations": ", ".join(name for name, needed in used.items() if needed),
        "handlers": f"{layout.handlers}.{contract.system}.{contract.module}",
        "source_imports": {kind: f"{port(kind)}, {port(kind)}Source" for kind in kinds},
        "uses_any": "Any" in texts or any(tool.lookups for tool in contract.tools),
        "uses_errors": used["DeclaredError"],
        "uses_pages": "Page[" in texts,
        "uses_rows": "| Row" in texts,
        "uses_provisional": "Provisional[" in texts,
        "uses_shared": "shared." in texts,
        "uses_span": used["Span"],
    }


def data_files(contract: Contract) -> Tree:
    """tools.json and the schemas it refers to."""
    folder = f"{contract.system}/{contract.module}"
    files: Tree = {}
    tools = []
    for tool in contract.tools:
        sides = {"input": tool.parameters, "output": tool.returns}
        for side, schema in sides.items():
            files[f"{folder}/schemas/{tool.function}_{side}.json"] = format_json(schema)
        references = {f"{side}_schema": {"$ref": f"./schemas/{tool.function}_{side}.json"} for side in sides}
        tools.append({"name": tool.name, "description": tool.description, **references})
    return files | {f"{folder}/tools.json": format_json({"tools": tools})}


def page(template: str, layout: Layout, **values: Any) -> str:
    """One template filled in."""
    return environment().get_template(f"{template}.jinja").render(layout=layout, **values)


@cache
def environment() -> Environment:
    """The templates, with the filters that are a contract's only ways into code."""
    found = Environment(
        loader=PackageLoader("codegen.emit"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - Python, not HTML: `literal` and `docstring` escape
    )
    found.filters |= {
        "annotation": {**SCALARS, "array": "list[dict[str, Any]]"}.__getitem__,
        "day": day,
        "docstring": format_docstring,
        "literal": format_literal,
        "nullable": nullable_result,
        "port": port,
        "step": step_literal,
        "when": when,
    }
    return found


def port(kind: str) -> str:
    """The class of an open source of a kind; its declaration's name is that with Source behind it."""
    return ClassName(kind)


def when(binding: Mapping[str, Any] | None) -> str:
    """The rest of a DeclaredError's arguments."""
    if binding is None:
        return ""
    if "occasion" in binding:
        return f", when=On({format_literal(binding['occasion'])})"
    keyword = f", keyword={format_literal(binding['keyword'])}" if "keyword" in binding else ""
    return f", when=At({format_literal(tuple(binding['at']))}{keyword})"


def first_party(layout: Layout) -> list[str]:
    """The packages that generated imports sort as their own."""
    return sorted({name.partition(".")[0] for name in (layout.package, layout.handlers, "toolpact")})
