"""Rules for how much a server puts before a model: its list of tools."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from codegen.diagnostics import pluralise
from codegen.lint.issues import Complaint
from codegen.lint.tool_list import listed_tools
from codegen.loading.schema_nodes import ContractValue

BUDGET_BYTES = 49152
"""Bytes of a list of tools, where the server says nothing else."""
BYTES_A_TOKEN = 4
"""Of JSON in English, on average: an estimate, since every model counts otherwise."""


def size_complaints(contract: ContractValue, dialects: Mapping[str, Any]) -> Iterator[Complaint]:
    """A list of tools that is larger than it may be."""
    own = contract.at("server", "list_budget_bytes")
    budget = own.value if isinstance(own.value, int) else BUDGET_BYTES
    tools = {name: size(tool) for name, tool in listed_tools(contract, dialects).items()}
    total = sum(tools.values())
    if total > budget:
        largest = max(tools, key=lambda name: tools[name])
        sentence = (
            f"tools/list has {total} bytes, about {total // BYTES_A_TOKEN} tokens, and {pluralise(budget, 'byte')} are its budget; "
            f"{largest} is the largest with {tools[largest]}: shorten it, split the server, or raise list_budget_bytes"
        )
        place = own.place if own.value is not None else contract.at("tools").place
        yield Complaint("LIST_TOO_LARGE", place.named(), sentence, (str(budget),))


def size(tool: Mapping[str, Any]) -> int:
    """Bytes of a tool in tools/list."""
    return len(json.dumps(tool, ensure_ascii=False, separators=(",", ":")).encode())
