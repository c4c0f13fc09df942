"""Lint rule for the size of a server's tools/list."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from toolaccord_codegen.diagnostics import pluralise
from toolaccord_codegen.lint.issues import Issue
from toolaccord_codegen.lint.tool_list import published_tools
from toolaccord_codegen.loading.schema_nodes import ContractValue

BUDGET_BYTES = 49152
"""Bytes of tools/list if the server declares no budget."""
BYTES_PER_TOKEN = 4
"""Average for JSON in English. An estimate, as models count differently."""


def check_size(contract: ContractValue, dialects: Mapping[str, Any]) -> Iterator[Issue]:
    """Yield a tools/list that exceeds its budget."""
    declared = contract.at("server", "list_budget_bytes")
    budget = declared.value if isinstance(declared.value, int) else BUDGET_BYTES
    tools = {name: _size_bytes(tool) for name, tool in published_tools(contract, dialects).items()}
    total = sum(tools.values())
    if total > budget:
        largest = max(tools, key=lambda name: tools[name])
        message = (
            f"tools/list has {total} bytes, about {total // BYTES_PER_TOKEN} tokens; its budget is {pluralise(budget, 'byte')}; "
            f"shorten {largest}, the largest tool with {tools[largest]} bytes, split the server, or raise list_budget_bytes"
        )
        place = declared.place if declared.value is not None else contract.at("tools").place
        yield Issue("LIST_TOO_LARGE", place.key_place(), message, (str(budget),))


def _size_bytes(tool: Mapping[str, Any]) -> int:
    """Return the size of a tool in tools/list."""
    return len(json.dumps(tool, ensure_ascii=False, separators=(",", ":")).encode())
