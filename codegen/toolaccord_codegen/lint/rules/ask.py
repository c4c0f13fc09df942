"""Lint rules for the asks of a contract."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord_codegen.lint.issues import Issue, string_items
from toolaccord_codegen.loading.schema_nodes import ContractValue


def check_asks(contract: ContractValue) -> Iterator[Issue]:
    """Yield asks that no tool, resource or prompt uses."""
    askers = [asker for key in ("tools", "resources", "prompts") for asker in contract.listed(key)]
    used = {name for asker in askers for name in string_items(asker.at("asks").value)}
    for name, ask in contract.items("asks").items():
        if name not in used:
            message = f'nothing asks {name}; name it in the "asks" of a tool, a resource or a prompt, or remove it'
            yield Issue("ASK_UNUSED", ask.place.key_place(), message)
