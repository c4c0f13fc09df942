"""Build a server's tools/list to measure its size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolaccord.contract.dialects import Dialect
from toolaccord.contract.server_contracts import ServerContract
from toolaccord.semantics.effects import derive_hints
from toolaccord.semantics.envelope_schemas import build_output_schema
from toolaccord.semantics.published_schemas import publish_schema
from toolaccord_codegen.ir.contract import MCP_TRANSPORTS, Contract
from toolaccord_codegen.ir.resolution import Resolver
from toolaccord_codegen.ir.tool import Tool
from toolaccord_codegen.loading.records import read_record
from toolaccord_codegen.loading.references import as_object
from toolaccord_codegen.loading.schema_nodes import ContractValue


def published_tools(contract: ContractValue, dialects: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return every tool as tools/list shows it. Empty if a dialect or a code is unknown."""
    dialect = str(contract.at("dialect").value)
    standard_codes = as_object(as_object(dialects.get(dialect)).get("codes"))
    owners = [each for key in ("tools", "resources", "prompts") for each in contract.listed(key)]
    errors = [as_object(error.value) for owner in owners for error in owner.listed("errors")]
    are_codes_known = all("http" in error or error.get("code") in standard_codes for error in errors)
    if dialect not in dialects or not are_codes_known:
        return {}
    known = {dialect: read_record(Dialect, dialects[dialect], name=dialect)}
    declared = read_record(ServerContract, contract.value)
    record = Resolver(contract.library, contract.place.document, {}).resolve_server(declared, known)
    return {tool.name: _published_tool(record, tool) for tool in record.on(*MCP_TRANSPORTS).tools}


def _published_tool(contract: Contract, tool: Tool) -> dict[str, Any]:
    """Return a tool as tools/list shows it, without its date-dependent `_meta`."""
    title = {"title": tool.title} if tool.title is not None else {}
    kinds = {source.name: source.kind for source in contract.sources}
    return {
        "name": tool.name,
        **title,
        "description": tool.description,
        "inputSchema": publish_schema(tool.parameters),
        "outputSchema": publish_schema(build_output_schema(contract.dialect, tool)),
        "annotations": title | derive_hints(tool, kinds),
    }
