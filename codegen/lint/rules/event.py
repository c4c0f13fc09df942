"""Lint rule for the events of a contract."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.lint.issues import Issue, string_items
from codegen.loading.schema_nodes import ContractValue


def check_events(contract: ContractValue) -> Iterator[Issue]:
    """Yield events that no tool publishes."""
    published = {
        name for tool in contract.listed("tools") for name in string_items(tool.at("effects", "publishes").value)
    }
    for name, event in contract.items("events").items():
        if name not in published:
            message = f'no tool publishes {name}; name it in the "publishes" of one, or remove it'
            yield Issue("EVENT_UNPUBLISHED", event.place.key_place(), message)
