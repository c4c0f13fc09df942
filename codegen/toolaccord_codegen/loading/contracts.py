"""Records of the contracts and dialects in documents whose shape is right."""

from __future__ import annotations

from typing import Any, TypeAlias

from toolaccord.contract.agent_contracts import AgentContract
from toolaccord.contract.dialects import Dialect
from toolaccord.contract.server_contracts import ServerContract
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.loading.records import read_record

AnyContract: TypeAlias = ServerContract | AgentContract


def read_contract(document: Document) -> AnyContract:
    """Return the record of a contract."""
    if document.is_agent:
        return read_record(AgentContract, document.value)
    return read_record(ServerContract, document.value)


def read_dialects(document: Document) -> dict[str, Dialect]:
    """Return the records of the dialects of a file, by name."""
    return {name: read_record(Dialect, value, name=name) for name, value in list_dialects(document).items()}


def list_dialects(document: Document) -> dict[str, Any]:
    """Return the dialects of a file as written, by name."""
    return {name: part for name, part in document.value.items() if not name.startswith(("$", "x-"))}
