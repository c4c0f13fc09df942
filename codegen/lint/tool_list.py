"""A server's list of tools as hosts get it, for its size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from codegen.emit.envelopes import output_schema
from codegen.ir.build import build_contract, build_dialect
from codegen.ir.contract import Contract, Tool
from codegen.loading.references import as_object
from codegen.loading.schema_nodes import ContractValue


def listed_tools(contract: ContractValue, dialects: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Every tool of a contract as tools/list shows it; none where the compiler could not tell what that is."""
    dialect = str(contract.at("dialect").value)
    standard = as_object(as_object(dialects.get(dialect)).get("codes"))
    known = all("http" in error or error.get("code") in standard for error in declared(contract))
    if dialect not in dialects or not known:
        return {}
    records = {name: build_dialect(name, value) for name, value in dialects.items()}
    record = build_contract(contract.library, contract.place.document, records)
    return {tool.name: listed(record, tool) for tool in record.tools}


def declared(contract: ContractValue) -> Iterator[dict[str, Any]]:
    """The declarations of all codes."""
    for tool in contract.listed("tools"):
        yield from (as_object(error.value) for error in tool.listed("errors"))


def listed(contract: Contract, tool: Tool) -> dict[str, Any]:
    """A tool as tools/list shows it; what `_meta` says of its versions on some day aside, a line or two."""
    title = {"title": tool.title} if tool.title is not None else {}
    kinds = {source.name: source.kind for source in contract.sources}
    hints = {
        "readOnlyHint": not tool.writes,
        "destructiveHint": bool(tool.writes),
        "idempotentHint": not tool.writes,
        "openWorldHint": any(kinds.get(name) == "http" for name in (*tool.reads, *tool.writes)),
    }
    return {
        "name": tool.name,
        **title,
        "description": tool.description,
        "inputSchema": tool.parameters,
        "outputSchema": output_schema(contract.dialect, tool),
        "annotations": title | hints,
    }
