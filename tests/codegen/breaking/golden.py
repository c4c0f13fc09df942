"""Unpack golden cases of the breaking-change checker into folders of contracts."""

import json
import shutil
from pathlib import Path
from typing import Any

import jsonpatch

CASES = Path(__file__).parent / "cases"
CHANGED = ("after", "allowed")
"""States that a patch makes of the base."""


def unpack(case: Path, folder: Path) -> Path:
    """Write `before/`, `after/` and `allowed/` of a case into *folder*, and return it.

    Each patch file maps paths of contract files to the operations of a JSON Patch (RFC 6902). A state without a patch
    file equals its base. The path "" of an operation is a whole file, which it adds or removes; of
    files beside contracts, it replaces the text.
    """
    for state in ("before", *CHANGED):
        shutil.copytree(case / "base", folder / state)
    for state in CHANGED:
        patch = case / f"{state}.json"
        changes = json.loads(patch.read_text(encoding="utf-8")) if patch.exists() else {}
        for name, operations in changes.items():
            change(folder / state / name, operations)
    return folder


def change(path: Path, operations: list[dict[str, Any]]) -> None:
    """Apply a JSON Patch to the file at *path*."""
    if operations == [{"op": "remove", "path": ""}]:
        path.unlink()
        return
    if path.suffix != ".json":
        path.write_text(operations[0]["value"], encoding="utf-8")
        return
    old = json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
    new = jsonpatch.apply_patch(old, operations)
    path.write_text(json.dumps(new, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
