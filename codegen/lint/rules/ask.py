"""Lint rules for the asks of a contract."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.lint.issues import Issue, string_items
from codegen.loading.schema_nodes import ContractValue


def check_asks(contract: ContractValue) -> Iterator[Issue]:
    """Yield asks that no tool uses."""
    used = {name for tool in contract.listed("tools") for name in string_items(tool.at("asks").value)}
    for name, ask in contract.items("asks").items():
        if name not in used:
            message = f'no tool asks {name}; name it in the "asks" of one, or remove it'
            yield Issue("ASK_UNUSED", ask.place.key_place(), message)
