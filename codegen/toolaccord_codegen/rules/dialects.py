"""Loading and rules of dialects.json."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from toolaccord.contract.dialects import Dialect
from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.loading.contracts import read_dialects
from toolaccord_codegen.loading.documents import DIALECTS_FILE, OWN_DIALECTS, Document
from toolaccord_codegen.loading.reading import read_document
from toolaccord_codegen.loading.references import as_object
from toolaccord_codegen.rules import metaschema

TEMPLATE_VALUES = {"latency_ms", "source", "corr_id", "arguments_in", "empty_of"}
OUTCOME_VALUES = {
    "success": frozenset({"result", "cached", "cache_ttl_remaining", "replayed", *TEMPLATE_VALUES}),
    "failure": frozenset({"code", "jsonrpc_code", "message", "details", *TEMPLATE_VALUES}),
}
"""Values that a template may use, for successful and for failed calls."""
ROOT_VALUES = {"success": frozenset({"result", "arguments_in"}), "failure": frozenset({"details", "arguments_in"})}
"""Values that may be the whole answer, which is an object."""


def read_dialect_files(folder: Path, problems: list[Problem]) -> tuple[list[Document], dict[str, Dialect | None]]:
    """Read toolaccord's own dialects, then the folder's; of equal names the later dialect wins.

    The dialects of a file with faults of shape are None.
    """
    paths = (OWN_DIALECTS, folder / DIALECTS_FILE)
    found = [read_document(path, DIALECTS_FILE, problems) for path in paths if os.path.lexists(path)]
    known = [document for document in found if document]
    dialects: dict[str, Dialect | None] = {}
    for document in known:
        faults = list(metaschema.check_shape(document, "DialectsFile"))
        if faults:
            problems += faults
            dialects |= dict.fromkeys(as_object(document.value))
        else:
            read = read_dialects(document)
            problems.extend(fault for dialect in read.values() for fault in _check_dialect(document, dialect))
            dialects |= read
    return known, dialects


def _check_dialect(document: Document, dialect: Dialect) -> Iterator[Problem]:
    """Yield occasions with an undeclared code and templates with unavailable values."""
    for occasion, code in dialect.occasion_codes.items():
        if code not in dialect.codes:
            at = join_pointer("", dialect.name, "occasions", occasion)
            yield document.problem(at, "CODE_UNDECLARED", f"{code} is not among the dialect's codes")
    for code, standard in dialect.codes.items() if sends_jsonrpc_code(dialect.failure) else ():
        if standard.jsonrpc is None:
            at = join_pointer("", dialect.name, "codes", code)
            sentence = f'failure sends {code} as a number; give it a "jsonrpc" number'
            yield document.problem(at, "JSONRPC_MISSING", sentence)
    for side, template in (("success", dialect.success), ("failure", dialect.failure)):
        at = join_pointer("", dialect.name, side)
        yield from _check_template(document, at, template, side, ROOT_VALUES[side])


def sends_jsonrpc_code(template: Any) -> bool:
    """Return True where a template has the number of a code in JSON-RPC, at any depth."""
    parts = as_object(template)
    return parts.get("$") == "jsonrpc_code" or any(map(sends_jsonrpc_code, parts.values()))


def _check_template(
    document: Document, at: str, template: Any, side: str, available: frozenset[str]
) -> Iterator[Problem]:
    """Yield values that a call of this outcome lacks, or that are no object at the root."""
    value = as_object(template).get("$")
    if isinstance(value, str) and value not in available:
        sentence = f'"{value}" cannot stand here; {side} has {", ".join(sorted(available))}'
        yield document.problem(join_pointer(at, "$"), "TEMPLATE_VALUE", sentence)
    for name, part in as_object(template).items():
        yield from _check_template(document, join_pointer(at, name), part, side, OUTCOME_VALUES[side])
