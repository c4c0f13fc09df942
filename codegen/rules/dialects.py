"""dialects.json: where it lies, and what may be wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from codegen.diagnostics import Problem
from codegen.loading.documents import DIALECTS, OWN_CONTRACTS, Document, member, read
from codegen.loading.references import as_object
from codegen.rules import metaschema

EVERYWHERE = {"latency_ms", "source", "corr_id", "arguments_in", "empty_of"}
AVAILABLE = {
    "success": frozenset({"result", "cached", "cache_ttl_remaining", *EVERYWHERE}),
    "failure": frozenset({"code", "message", "details", *EVERYWHERE}),
}
"""What a template may ask for, in a call that succeeded and in one that failed."""
AS_A_WHOLE = {"success": frozenset({"result", "arguments_in"}), "failure": frozenset({"details", "arguments_in"})}
"""What may be the whole answer, which is an object."""


def dialect_documents(folder: Path, problems: list[Problem]) -> list[Document]:
    """toolpact's own dialects, then the folder's; a name said again replaces the first."""
    paths = dict.fromkeys((OWN_CONTRACTS / DIALECTS, (folder / DIALECTS).resolve()))
    found = [read(path, DIALECTS, problems) for path in paths if path.exists()]
    known = [document for document in found if document]
    for document in known:
        problems.extend(metaschema.faults(document, "DialectsFile"))
        problems.extend(fault for name in named_dialects(document) for fault in dialect_faults(document, name))
    return known


def named_dialects(document: Document) -> dict[str, Any]:
    """The dialects of a file, by name."""
    return {name: part for name, part in as_object(document.value).items() if not name.startswith(("$", "x-"))}


def dialect_faults(document: Document, name: str) -> Iterator[Problem]:
    """Occasions with a code that the dialect does not explain, and templates that ask for what a call has not."""
    dialect = as_object(as_object(document.value).get(name))
    codes = list(as_object(dialect.get("codes")))
    for occasion, code in as_object(dialect.get("occasions")).items():
        if code not in codes:
            at = member("", name, "occasions", occasion)
            yield document.problem(at, "CODE_UNDECLARED", f"{code} is not among the dialect's codes")
    for side in AVAILABLE:
        yield from template_faults(document, member("", name, side), dialect.get(side), side, AS_A_WHOLE[side])


def template_faults(
    document: Document, at: str, template: Any, side: str, available: frozenset[str]
) -> Iterator[Problem]:
    """Values of a template that a call of this outcome has not, or, at its root, that are no object."""
    value = as_object(template).get("$")
    if isinstance(value, str) and value not in available:
        sentence = f'"{value}" cannot stand here; {side} has {", ".join(sorted(available))}'
        yield document.problem(member(at, "$"), "TEMPLATE_VALUE", sentence)
    for name, part in as_object(template).items():
        yield from template_faults(document, member(at, name), part, side, AVAILABLE[side])
