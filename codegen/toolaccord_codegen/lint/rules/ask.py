"""Lint rules for the asks of a contract."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord.contract.prompts import Prompt
from toolaccord.contract.resources import Resource
from toolaccord.contract.server_contracts import ServerContract
from toolaccord.contract.tools import Tool
from toolaccord_codegen.lint.issues import Issue
from toolaccord_codegen.loading.schema_nodes import ContractValue


def check_asks(contract: ContractValue) -> Iterator[Issue]:
    """Yield asks that no tool, resource or prompt uses."""
    server = contract.read(ServerContract)
    askers: list[Tool | Resource | Prompt] = [*server.tools, *server.resources, *server.prompts]
    used = {name for asker in askers for name in asker.asks}
    for name in [ask.name for ask in server.asks if ask.name not in used]:
        message = f'nothing asks {name}; name it in the "asks" of a tool, a resource or a prompt, or remove it'
        yield Issue("ASK_UNUSED", contract.at("asks", name).place.key_place(), message)
