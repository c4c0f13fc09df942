"""The comparison of two MCP servers, or of saved lists of what they have."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from dataclasses import dataclass
from json import dumps
from pathlib import Path
from typing import Any

from toolaccord_codegen.breaking.checker import CheckResult, conclude
from toolaccord_codegen.breaking.findings import Finding, find_changes
from toolaccord_codegen.breaking.rule import Profile
from toolaccord_codegen.cli.options.comparison import BreakingOptions
from toolaccord_codegen.cli.servers.import_server import load_json
from toolaccord_codegen.cli.servers.server_lists import list_server
from toolaccord_codegen.diagnostics import CommandError
from toolaccord_codegen.drafts.contract import Draft, Identity
from toolaccord_codegen.drafts.losses import Effect
from toolaccord_codegen.drafts.server_listing import Listing, draft_listing, read_listing
from toolaccord_codegen.loading.documents import ACCEPTED_SUFFIX
from toolaccord_codegen.loading.references import as_object
from toolaccord_codegen.loading.regular_files import read_utf8
from toolaccord_codegen.snapshots import Snapshot, build_snapshot, require_valid

IDENTITY = Identity(system="servers", name="server")
CONTRACT = "servers/server.json"
SAFE_BOUNDS = (("minimum", 1 - 2**53), ("maximum", 2**53 - 1))
"""The bounds that libraries of JavaScript write for every whole number."""
DRAFTED = ("EXAMPLE_", "TIMEOUT_", "SETTING_", "SOURCE_", "READS_")
"""Beginnings of the rules of what a draft adds to a list.

The server itself is a source of its draft, for example.
"""


@dataclass(frozen=True, slots=True)
class _Side:
    """One of two servers: its drafted contract, and the tools whose result has a schema."""

    snapshot: Snapshot
    draft: Draft
    with_results: frozenset[str]


def compare_servers(options: BreakingOptions) -> CheckResult:
    """Compare two servers, each given as a URL, a command or a file.

    Versions and other promises that only contracts have are not compared. Raises CommandError and ContractProblems.
    """
    accepted = read_utf8(options.accepted).encode() if options.accepted else None
    old, new = (
        _read_side(origin, options.token_env, file)
        for origin, file in zip(options.servers or (), (None, accepted), strict=True)
    )
    profile = Profile(options.comparison.profile)
    found = [each for each in find_changes(old.snapshot, new.snapshot, profile, None) if _is_seen(each, old, new)]
    lost = {
        (each.owner, each.pointer)
        for side in (old, new)
        for each in side.draft.losses
        if each.effect is not Effect.SAME
    }
    return conclude(old.snapshot, new.snapshot, profile, found, not_compared=len(lost))


def _read_side(origin: str, token_env: str | None, accepted: bytes | None) -> _Side:
    """Draft the contract of a server, or of a saved list.

    Raises CommandError and ContractProblems.
    """
    is_file = os.path.isfile(origin)  # noqa: PTH113 - Path raises for a command longer than a file name
    name, document = (origin, _load_list(origin)) if is_file else asyncio.run(list_server(origin, token_env))
    try:
        listing = read_listing(drop_safe_bounds(document))
    except ValueError as error:
        raise CommandError(f"{name}: {error}") from None
    draft = draft_listing(listing, IDENTITY)
    files = {CONTRACT: dumps(draft.contract, indent=2, ensure_ascii=False).encode()}
    if accepted is not None:
        files[CONTRACT.removesuffix(".json") + ACCEPTED_SUFFIX] = accepted
    snapshot = require_valid(build_snapshot(origin, files, lambda path: name if path == CONTRACT else path))
    return _Side(snapshot, draft, frozenset(_list_tools_with_results(listing)))


def _load_list(path: str) -> Any:
    """Return a saved list. Raises CommandError."""
    try:
        return load_json(Path(path))
    except CommandError as error:
        if os.access(path, os.X_OK):
            message = f"{path} is a program and no saved list; to list what it serves, write a command: 'env {path}'"
            raise CommandError(message) from None
        raise error from None


def drop_safe_bounds(value: Any) -> Any:
    """Return JSON without bounds of whole numbers that every number of JavaScript keeps."""
    if isinstance(value, list):
        return [drop_safe_bounds(part) for part in value]
    if not isinstance(value, dict):
        return value
    return {key: drop_safe_bounds(part) for key, part in value.items() if (key, part) not in SAFE_BOUNDS}


def _list_tools_with_results(listing: Listing) -> Iterator[str]:
    """Yield the tools whose result has a schema."""
    for tool in map(as_object, listing.tools):
        if isinstance(tool.get("outputSchema"), dict):
            yield str(tool.get("name"))


def _is_seen(finding: Finding, old: _Side, new: _Side) -> bool:
    """Return True unless a draft made a difference, or a tool only gained an output schema."""
    is_gain = finding.tool in new.with_results - old.with_results
    return not finding.rule.id.startswith(DRAFTED) and not (finding.rule.id == "ANSWER_FORM_CHANGED" and is_gain)
