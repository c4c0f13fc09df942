"""The output folder: written from, or compared with, the generated texts."""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, TypeVar

from toolaccord_codegen.diagnostics import CommandError, escape_unprintable
from toolaccord_codegen.emit.locked_folder import BlockedPathError, LockedFolder, lock_folder
from toolaccord_codegen.loading.documents import Document, display_path
from toolaccord_codegen.loading.protobuf import ProtoFile
from toolaccord_codegen.loading.regular_files import read_regular_file
from toolaccord_codegen.loading.static_files import StaticFile

Tree = dict[str, str]
"""Texts by path below the output folder."""
Content: TypeAlias = str | bytes
AnyContent = TypeVar("AnyContent", bound=Content)
MANIFEST = "manifest.json"
"""File with the digests of the contracts and of each generated file; it explains a drift."""


class _ForeignFileError(CommandError):
    """Refusal to overwrite files that the compiler did not generate; the message lists them."""


@dataclass(frozen=True, slots=True)
class Drift:
    """Difference between a file and what the contracts generate."""

    path: str
    reason: str
    diff: str


@dataclass(frozen=True, slots=True)
class _Manifest:
    """Digests of a folder's contracts and of its generated files, by name."""

    contracts: Mapping[str, str]
    files: Mapping[str, str]

    def to_json(self) -> str:
        """Serialise the manifest as JSON."""
        return json.dumps({"contracts": self.contracts, "files": self.files}, indent=2, sort_keys=True) + "\n"


def add_manifest(
    tree: Mapping[str, AnyContent], documents: Sequence[Document | ProtoFile | StaticFile], contracts: str
) -> dict[str, AnyContent | str]:
    """Add the manifest to a tree."""
    # dialects.json may occur twice, toolaccord's own and the folder's. The last one counts, as it does in a contract.
    names = {f"{contracts}/{document.name}": document.digest() for document in documents}
    files = {path: compute_digest(content) for path, content in tree.items()}
    return {**tree, MANIFEST: _Manifest(names, files).to_json()}


def compute_digest(content: Content) -> str:
    """Compute the SHA-256 of a content, in hexadecimal."""
    return hashlib.sha256(_encode(content)).hexdigest()


def read_contract_digests(folder: Path) -> Mapping[str, str]:
    """Return the digests of the contracts that a folder was generated from, by path."""
    return _read_manifest(folder).contracts


def _read_manifest(folder: Path) -> _Manifest:
    """Read a folder's manifest; an empty one if it is missing or invalid."""
    return _parse_manifest(_read(folder / MANIFEST) or b"") or _Manifest({}, {})


def _parse_manifest(content: bytes) -> _Manifest | None:
    """Parse a manifest; None if the content is not one."""
    try:
        value = json.loads(content)
        files = {path: recorded for path, recorded in dict(value["files"]).items() if _is_inside(path)}
        return _Manifest(dict(value["contracts"]), files)
    except (ValueError, LookupError, TypeError, RecursionError):
        return None


def _is_inside(path: str) -> bool:
    """Tell if a path of a manifest stays below the folder; anybody may have edited the manifest."""
    is_relative = all(part not in {"", ".", ".."} for part in path.split("/"))
    return is_relative and path.isprintable() and not set(path) & set("\\:")


def _encode(content: Content) -> bytes:
    """Return a content as a file has it."""
    return content.encode() if isinstance(content, str) else content


def _show(content: bytes) -> str:
    """Return a content as text, with escapes where it is not UTF-8."""
    return content.decode(errors="backslashreplace")


def write_tree(folder: Path, tree: Mapping[str, Content], protected: str | None = None) -> tuple[list[str], list[str]]:
    """Make a folder hold a tree; return the written and the removed paths.

    Unchanged files stay untouched. Of several processes each waits for the others. Raises CommandError, before anything
    is written, if it would replace a symbolic link, a file that was not generated, or one below the path *protected*.
    """
    with lock_folder(folder) as output:
        recorded = (_parse_manifest(output.read(MANIFEST) or b"") or _Manifest({}, {})).files
        found = {path: output.read(path) for path in tree}
        written = [path for path, content in tree.items() if found[path] != _encode(content)]
        foreign = [path for path in written if path not in recorded and _is_foreign(path, found[path] or b"")]
        stale = ((path, digest) for path, digest in recorded.items() if path not in tree)
        removed = [path for path, digest in stale if _is_as_generated(output, path, digest)]
        foreign += [path for path in (*written, *removed) if protected and Path(path).is_relative_to(protected)]
        if foreign:
            names = ", ".join(display_path(folder / path) for path in foreign)
            raise _ForeignFileError(f"not generated: {names}; move it away, or choose another --out")
        for path in removed:
            output.remove(path)
        # The manifest is first: the run after one that was killed then knows which files are generated.
        for path in sorted(written, key=MANIFEST.__ne__):
            output.replace(path, tree[path])
    return written, removed


def _is_as_generated(output: LockedFolder, path: str, digest: str) -> bool:
    """Tell if a file of the manifest is in the folder, behind no link, as it was generated."""
    try:
        content = output.read(path)
    except BlockedPathError:
        return False
    return content is not None and compute_digest(content) == digest


def _is_foreign(path: str, content: bytes) -> bool:
    """Tell if a content outside the manifest is foreign: not blank, and without our header."""
    words = " ".join(_show(content).split())
    if path == MANIFEST:
        return words != "" and _parse_manifest(content) is None
    return words != "" and not (path.endswith(".py") and "; do not edit. Regenerate" in words)


def read_text(path: Path) -> str | None:
    """Read a file's text, with escapes where it is not UTF-8; None without a file.

    Raises OSError.
    """
    content = _read(path)
    return None if content is None else _show(content)


def _read(path: Path) -> bytes | None:
    """Read a file; None without one."""
    try:
        return read_regular_file(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def find_drifts(folder: Path, tree: Mapping[str, str]) -> Iterator[Drift]:
    """Find every file that differs from the tree, is missing, or is not part of it."""
    recorded, contracts = _read_manifest(folder), json.loads(tree[MANIFEST])["contracts"]
    names = sorted({*recorded.contracts, *contracts})
    changed = [name for name in names if recorded.contracts.get(name) != contracts.get(name)]
    cause = f"{' and '.join(changed)} changed since" if changed else "the generator changed since"
    for path, text in tree.items():
        found = _read(folder / path)
        if found != text.encode() and path != MANIFEST:
            reason = _explain_drift(found, recorded.files.get(path), text, cause)
            yield Drift(path, reason, "" if found is None else _format_diff(folder / path, _show(found), text))
    for path in (each for each in list_files(folder) if each not in tree):
        is_recorded = path in recorded.files
        stale = f"no contract asks for it any more: {cause}"
        yield Drift(path, stale if is_recorded else "the generator did not make it; move it away", "")
    if _read(folder / MANIFEST) != tree[MANIFEST].encode():
        yield Drift(MANIFEST, cause if changed else "it does not list the generated files", "")


def _explain_drift(found: bytes | None, recorded: str | None, expected: str, cause: str) -> str:
    """Explain the difference between a file and its expected text."""
    if found is None:
        return "it is missing" if recorded else f"it was never generated: {cause}"
    if not recorded or compute_digest(found) == recorded:
        return cause
    also = "" if compute_digest(expected) == recorded else f"; besides, {cause}"
    return f"it was edited by hand; edit the contract instead{also}"


def list_files(folder: Path) -> list[str]:
    """List the paths of all files below a folder, sorted, without byte code."""
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return sorted(path.as_posix() for path in found if "__pycache__" not in path.parts)


def _format_diff(path: Path, found: str, expected: str) -> str:
    """Format a unified diff from the file's text to the expected one."""
    shown = display_path(path)
    lines = difflib.unified_diff(
        found.split("\n"), expected.split("\n"), f"{shown} (now)", f"{shown} (generated)", lineterm=""
    )
    return "\n".join(map(escape_unprintable, lines))
