"""The contract.schema.json of a contracts folder, from which editors complete contracts."""

from __future__ import annotations

from pathlib import Path

from toolaccord_codegen.emit.locked_folder import lock_folder
from toolaccord_codegen.emit.output_tree import read_text
from toolaccord_codegen.loading.documents import OWN_SCHEMA, SCHEMA_FILE


def explain_schema_drift(contracts: Path) -> str:
    """Return how a folder's file differs from the compiler's; empty if it does not.

    Raises OSError.
    """
    found = read_text(contracts / SCHEMA_FILE)
    if found == OWN_SCHEMA.read_text(encoding="utf-8"):
        return ""
    return "missing" if found is None else "differs from the one of this toolaccord"


def refresh_schema(contracts: Path) -> bool:
    """Write the file of a folder, unless it is current; return if it was written.

    A link is replaced, not followed. Raises CommandError and OSError.
    """
    if not explain_schema_drift(contracts):
        return False
    with lock_folder(contracts) as folder:
        if not explain_schema_drift(contracts):  # another process has just written it
            return False
        folder.replace(SCHEMA_FILE, OWN_SCHEMA.read_text(encoding="utf-8"))
    return True
