"""Values of prompts and resources, which MCP sends as texts, and their completions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolaccord_codegen.ir.resources import Completion
from toolaccord_codegen.naming import Identifier


def without_completions(inlined: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of values without the keys of completion."""
    members = {
        name: {key: part for key, part in member.items() if key != "complete"}
        for name, member in inlined["properties"].items()
    }
    return {**inlined, "properties": members}


def list_completions(owner: str, inlined: Mapping[str, Any]) -> Iterator[Completion]:
    """List the completions that the values of *owner* have."""
    for name, member in inlined["properties"].items():
        if "complete" in member:
            values = tuple(map(str, member["enum"])) if "enum" in member else None
            ttl_s = None if member["complete"] is True else member["complete"]["ttl_s"]
            function = Identifier(f"complete_{owner}_{name}")
            yield Completion(member=name, values=values, ttl_s=ttl_s, function=function)
