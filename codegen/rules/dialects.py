"""dialects.json: where it lies, and what may be wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from codegen.diagnostics import Problem
from codegen.loading.documents import DIALECTS_FILE, OWN_CONTRACTS, Document, join_pointer, read_document
from codegen.loading.references import as_object
from codegen.rules import metaschema

TEMPLATE_VALUES = {"latency_ms", "source", "corr_id", "arguments_in", "empty_of"}
OUTCOME_VALUES = {
    "success": frozenset({"result", "cached", "cache_ttl_remaining", *TEMPLATE_VALUES}),
    "failure": frozenset({"code", "message", "details", *TEMPLATE_VALUES}),
}
"""What a template may ask for, in a call that succeeded and in one that failed."""
ROOT_VALUES = {"success": frozenset({"result", "arguments_in"}), "failure": frozenset({"details", "arguments_in"})}
"""What may be the whole answer, which is an object."""


def read_dialect_files(folder: Path, problems: list[Problem]) -> list[Document]:
    """toolpact's own dialects, then the folder's; a name said again replaces the first."""
    paths = dict.fromkeys((OWN_CONTRACTS / DIALECTS_FILE, (folder / DIALECTS_FILE).resolve()))
    found = [read_document(path, DIALECTS_FILE, problems) for path in paths if path.exists()]
    known = [document for document in found if document]
    for document in known:
        problems.extend(metaschema.check_shape(document, "DialectsFile"))
        problems.extend(fault for name in dialects_by_name(document) for fault in _check_dialect(document, name))
    return known


def dialects_by_name(document: Document) -> dict[str, Any]:
    """The dialects of a file, by name."""
    return {name: part for name, part in as_object(document.value).items() if not name.startswith(("$", "x-"))}


def _check_dialect(document: Document, name: str) -> Iterator[Problem]:
    """Occasions with a code that the dialect does not explain, and templates that ask for what a call has not."""
    dialect = as_object(as_object(document.value).get(name))
    codes = list(as_object(dialect.get("codes")))
    for occasion, code in as_object(dialect.get("occasions")).items():
        if code not in codes:
            at = join_pointer("", name, "occasions", occasion)
            yield document.problem(at, "CODE_UNDECLARED", f"{code} is not among the dialect's codes")
    for side in OUTCOME_VALUES:
        yield from _check_template(document, join_pointer("", name, side), dialect.get(side), side, ROOT_VALUES[side])


def _check_template(
    document: Document, at: str, template: Any, side: str, available: frozenset[str]
) -> Iterator[Problem]:
    """Values of a template that a call of this outcome has not, or, at its root, that are no object."""
    value = as_object(template).get("$")
    if isinstance(value, str) and value not in available:
        sentence = f'"{value}" cannot stand here; {side} has {", ".join(sorted(available))}'
        yield document.problem(join_pointer(at, "$"), "TEMPLATE_VALUE", sentence)
    for name, part in as_object(template).items():
        yield from _check_template(document, join_pointer(at, name), part, side, OUTCOME_VALUES[side])
