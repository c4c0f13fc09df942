"""Loading and rules of dialects.json."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.diagnostics import Problem
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


def read_dialect_files(folder: Path, problems: list[Problem]) -> list[Document]:
    """Read toolaccord's own dialects, then the folder's; of equal names the later dialect wins."""
    paths = (OWN_DIALECTS, folder / DIALECTS_FILE)
    found = [read_document(path, DIALECTS_FILE, problems) for path in paths if os.path.lexists(path)]
    known = [document for document in found if document]
    for document in known:
        problems.extend(metaschema.check_shape(document, "DialectsFile"))
        problems.extend(fault for name in dialects_by_name(document) for fault in _check_dialect(document, name))
    return known


def dialects_by_name(document: Document) -> dict[str, Any]:
    """Return the dialects of a file by name."""
    return {name: part for name, part in as_object(document.value).items() if not name.startswith(("$", "x-"))}


def _check_dialect(document: Document, name: str) -> Iterator[Problem]:
    """Yield occasions with an undeclared code and templates with unavailable values."""
    dialect = as_object(as_object(document.value).get(name))
    codes = list(as_object(dialect.get("codes")))
    for occasion, code in as_object(dialect.get("occasions")).items():
        if code not in codes:
            at = join_pointer("", name, "occasions", occasion)
            yield document.problem(at, "CODE_UNDECLARED", f"{code} is not among the dialect's codes")
    for code, standard in as_object(dialect.get("codes")).items():
        if sends_jsonrpc_code(dialect) and "jsonrpc" not in as_object(standard):
            at = join_pointer("", name, "codes", code)
            yield document.problem(
                at, "JSONRPC_MISSING", f'failure sends {code} as a number; give it a "jsonrpc" number'
            )
    for side in OUTCOME_VALUES:
        yield from _check_template(document, join_pointer("", name, side), dialect.get(side), side, ROOT_VALUES[side])


def sends_jsonrpc_code(dialect: Mapping[str, Any]) -> bool:
    """Return True where failures of a dialect have the number of their code in JSON-RPC."""
    return _uses_jsonrpc_code(dialect.get("failure"))


def _uses_jsonrpc_code(template: Any) -> bool:
    """Return True where a template has the number of the code, at any depth."""
    parts = as_object(template)
    return parts.get("$") == "jsonrpc_code" or any(map(_uses_jsonrpc_code, parts.values()))


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
