"""Stored drafts, and their merges into what authors made of them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from toolaccord_codegen.cli.options.folders import Folders
from toolaccord_codegen.cli.start.handler_merge import HandlerMerge
from toolaccord_codegen.cli.start.stubs import Server
from toolaccord_codegen.diagnostics import CommandError
from toolaccord_codegen.drafts.contract import Draft
from toolaccord_codegen.drafts.three_way import ContractMerge
from toolaccord_codegen.loading.documents import display_path
from toolaccord_codegen.loading.json_layout import format_json
from toolaccord_codegen.loading.references import as_object
from toolaccord_codegen.loading.regular_files import read_utf8


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftedServer:
    """A drafted server with the texts of its files."""

    server: Server
    draft: Draft
    contract: str
    handlers: str
    stored: str
    """The draft for later updates."""
    conflicts: tuple[str, ...] = field(default=())
    """Places that both the author and the original changed."""


def format_stored(contract: Any, handlers: str) -> str:
    """Return the text of a stored draft."""
    return format_json({"contract": contract, "handlers": handlers})


def locate_stored(folders: Folders, server: Server) -> Path:
    """Return the path of a server's stored draft, beside the contracts folder."""
    return folders.contracts.parent / "drafts" / server.contract_name


def merge_update(folders: Folders, drafted: DraftedServer) -> DraftedServer:
    """Return a new draft merged into the edited files; a server without any is drafted.

    Raises CommandError if no draft is stored, or a file cannot be read.
    """
    server, stored = drafted.server, locate_stored(folders, drafted.server)
    needed = (stored, server.contract, server.module)
    missing = next((path for path in needed if not path.exists()), None)
    if not any(path.exists() for path in needed):
        return drafted
    if missing:
        reason = "--update compares with the draft that `import` stored, and merges into its files"
        raise CommandError(f"{display_path(missing)} is missing: {reason}; restore it, or draft anew with --force")
    old, edited = as_object(_load_json(stored)), _load_json(server.contract)
    if not isinstance(old.get("contract"), dict) or not isinstance(old.get("handlers"), str):
        raise CommandError(f"{display_path(stored)} is no stored draft; restore it, or draft anew with --force")
    merge, functions = ContractMerge(), HandlerMerge(server.module)
    contract = merge.merge(old["contract"], edited, drafted.draft.contract)
    handlers = functions.merge(old["handlers"], read_utf8(server.module), drafted.handlers)
    conflicts = [f"{display_path(server.contract)} {place}" for place in merge.conflicts]
    conflicts += [f"{display_path(server.module)} {name}" for name in functions.conflicts]
    return replace(drafted, contract=format_json(contract), handlers=handlers, conflicts=tuple(conflicts))


def _load_json(path: Path) -> Any:
    """Return the value of a JSON file. Raises CommandError."""
    try:
        return json.loads(read_utf8(path))
    except (ValueError, RecursionError) as error:
        raise CommandError(
            f"{display_path(path)} is not JSON: {error}; restore it, or draft anew with --force"
        ) from None
