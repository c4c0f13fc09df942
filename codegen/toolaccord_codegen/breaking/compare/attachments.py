"""Find the files beside contracts, and put their contents in place of their names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Any

from toolaccord_codegen.loading.documents import resolve_path
from toolaccord_codegen.loading.schema_nodes import ContractValue
from toolaccord_codegen.loading.static_files import list_static_files
from toolaccord_codegen.snapshots import PROTO_SUFFIX, Snapshot


def list_attachments(state: Snapshot, contract: str) -> Iterator[str]:
    """Yield the files beside a contract that its meaning depends on."""
    if document := state.contracts.get(contract):
        files = (resolve_path(document, file) for _, _, file in list_static_files(document))
        yield from (name for name in files if name in state.attachments)
        yield from list_protos(state, contract)


def include_contents(state: Snapshot, contract: ContractValue) -> ContractValue:
    """Return a contract with the content of each static file in place of its name."""

    def include(value: Any) -> Any:
        if isinstance(value, list):
            return [include(part) for part in value]
        if not isinstance(value, dict):
            return value
        file = value.get("file")
        name = resolve_path(contract.place.document, file) if isinstance(file, str) else ""
        if name in state.attachments:
            return {**{key: part for key, part in value.items() if key != "file"}, **_content(state.attachments[name])}
        return {key: include(part) for key, part in value.items()}

    parts = {key: include(part) for key, part in contract.value.items() if key in {"resources", "prompts"}}
    tools = [
        {**tool, "view": include(tool["view"])} if "view" in tool else tool for tool in contract.value.get("tools", ())
    ]
    return replace(contract, value={**contract.value, **parts, **({"tools": tools} if tools else {})})


def _content(content: bytes) -> dict[str, str]:
    """Return a content as a contract has it: a text, or else its digest."""
    try:
        return {"text": content.decode()}
    except UnicodeDecodeError:
        return {"sha256": sha256(content).hexdigest()}


def list_protos(state: Snapshot, contract: str) -> list[str]:
    """List the `.proto` files in the folder of a contract."""
    folder = PurePosixPath(contract).parent
    return [name for name in state.attachments if name.endswith(PROTO_SUFFIX) and PurePosixPath(name).parent == folder]
