"""The output folder: written, or compared with what it should be, by the same mapping of paths to texts."""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from codegen.diagnostics import CommandError, escape_unprintable
from codegen.loading.documents import Document, display_path
from codegen.loading.protobuf import ProtoFile

Tree = dict[str, str]
"""Texts by their paths below the output folder."""
MANIFEST = "manifest.json"
"""Names what the folder was generated from and the digest of each file, so that a drift can be explained."""


class Foreign(CommandError):
    """A file that is no work of the compiler is in its way; the text says which."""


@dataclass(frozen=True, slots=True)
class Drift:
    """A file that is not what the contracts ask for."""

    path: str
    reason: str
    diff: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a folder was generated from: digests of contracts and of files, by name."""

    contracts: Mapping[str, str]
    files: Mapping[str, str]

    def text(self) -> str:
        """The manifest as JSON."""
        return json.dumps({"contracts": self.contracts, "files": self.files}, indent=2, sort_keys=True) + "\n"


def with_manifest(tree: Mapping[str, str], documents: Sequence[Document | ProtoFile], contracts: str) -> dict[str, str]:
    """The tree and its manifest."""
    # dialects.json may be read twice, toolpact's own and the folder's: the last one decides, as it does in a contract.
    named = {f"{contracts}/{document.name}": document.digest() for document in documents}
    files = {path: digest(text) for path, text in tree.items()}
    return {**tree, MANIFEST: Manifest(named, files).text()}


def digest(text: str) -> str:
    """A hash of a file's text."""
    return hashlib.sha256(text.encode()).hexdigest()


def manifest_of(folder: Path) -> Manifest:
    """The manifest that a folder has; an empty one where it has none that can be read."""
    return manifest_in(current(folder / MANIFEST) or "") or Manifest({}, {})


def manifest_in(text: str) -> Manifest | None:
    """The manifest that a text is; None where it is none of ours."""
    try:
        value = json.loads(text)
        files = {path: recorded for path, recorded in dict(value["files"]).items() if is_inside(path)}
        return Manifest(dict(value["contracts"]), files)
    except (ValueError, LookupError, TypeError):
        return None


def is_inside(path: str) -> bool:
    """Whether a path of a manifest, which anybody may have edited, is a plain one below the folder."""
    return all(part not in {"", ".", ".."} for part in path.split("/")) and not set(path) & set("\\:\0")


def write(folder: Path, tree: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Make a folder hold a tree; return the paths written and those removed. Files that are right are not touched.

    Raises Foreign, before anything is written, where a file of somebody else would be lost.
    """
    was = manifest_of(folder).files
    written = [path for path, text in tree.items() if current(folder / path) != text]
    foreign = [display_path(folder / path) for path in written if path not in was and is_foreign(folder, path)]
    if foreign:
        raise Foreign(f"not generated: {', '.join(foreign)}; move it away, or choose another --out")
    for path in written:
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(tree[path], encoding="utf-8", newline="\n")
    removed = [path for path, recorded in was.items() if path not in tree and is_own(folder, path, recorded)]
    for path in removed:
        (folder / path).unlink()
        remove_empty(folder, (folder / path).parent)
    return written, removed


def is_own(folder: Path, path: str, recorded: str) -> bool:
    """Whether a file that a manifest names lies in the folder, no link on the way, as it was generated."""
    whole = folder / path
    return whole.is_file() and whole.resolve() == folder.resolve() / path and digest(current(whole) or "") == recorded


def is_foreign(folder: Path, path: str) -> bool:
    """Whether a file that no manifest names is somebody else's: not empty, and not saying that it was generated."""
    text = current(folder / path) or ""
    if path == MANIFEST:
        return text.strip() != "" and manifest_in(text) is None
    words = " ".join(text.split())
    return words != "" and not (path.endswith(".py") and "; do not edit. Regenerate" in words)


def remove_empty(folder: Path, directory: Path) -> None:
    """Remove a directory and its parents up to the folder, as far as nothing but byte code is left in them."""
    while directory != folder and all(entry.name == "__pycache__" for entry in directory.iterdir()):
        for entry in directory.glob("__pycache__/*"):
            entry.unlink()
        for cache in directory.glob("__pycache__"):
            cache.rmdir()
        directory.rmdir()
        directory = directory.parent


def current(path: Path) -> str | None:
    """A file's text, with escapes where it is not UTF-8; None where there is none."""
    try:
        return path.read_bytes().decode(errors="backslashreplace")
    except (FileNotFoundError, NotADirectoryError):
        return None


def drifts(folder: Path, tree: Mapping[str, str]) -> Iterator[Drift]:
    """Every file that differs from the tree, is missing from it, or is too much; with the reason."""
    was, will = manifest_of(folder), json.loads(tree[MANIFEST])["contracts"]
    changed = sorted(name for name in {*was.contracts, *will} if was.contracts.get(name) != will.get(name))
    cause = f"{' and '.join(changed)} changed since" if changed else "the generator changed since"
    for path, text in tree.items():
        found = current(folder / path)
        if found == text or path == MANIFEST:
            continue
        yield Drift(path, reason(found, was.files.get(path), text, cause), unified(folder / path, found or "", text))
    for path in extra(folder, tree):
        known = path in was.files
        why = f"no contract asks for it any more: {cause}" if known else "the generator did not make it; move it away"
        yield Drift(path, why, "")
    if current(folder / MANIFEST) != tree[MANIFEST]:
        yield Drift(MANIFEST, cause if changed else "it does not name what was generated", "")


def reason(found: str | None, recorded: str | None, wanted: str, cause: str) -> str:
    """Why a file is not what it should be."""
    if found is None:
        return "it is missing" if recorded else f"it was never generated: {cause}"
    if not recorded or digest(found) == recorded:
        return cause
    also = "" if digest(wanted) == recorded else f"; besides, {cause}"
    return f"it was edited by hand; edit the contract instead{also}"


def extra(folder: Path, tree: Mapping[str, str]) -> list[str]:
    """Files in the folder that the tree does not have."""
    return [path for path in held(folder) if path not in tree]


def held(folder: Path) -> list[str]:
    """The paths of all files below a folder, sorted; byte code does not count."""
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return sorted(path.as_posix() for path in found if "__pycache__" not in path.parts)


def unified(path: Path, found: str, wanted: str) -> str:
    """The difference as people and patch read it."""
    shown = display_path(path)
    lines = difflib.unified_diff(
        found.split("\n"), wanted.split("\n"), f"{shown} (now)", f"{shown} (generated)", lineterm=""
    )
    return "\n".join(map(escape_unprintable, lines))
