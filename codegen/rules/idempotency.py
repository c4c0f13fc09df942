"""Rules for tools that take an idempotency key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from codegen.diagnostics import Problem
from codegen.loading.documents import Document
from codegen.loading.references import as_array, as_object
from toolpact.semantics.json_pointers import join_pointer


def check_idempotency(document: Document, dialects: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield keys that no tool can store, and conflicts without a code or without a key."""
    contract = as_object(document.value)
    dialect = contract.get("dialect")
    family = as_object(dialects.get(dialect) if isinstance(dialect, str) else None)
    for index, tool in enumerate(map(as_object, as_array(contract.get("tools")))):
        at = join_pointer("/tools", index)
        bound = [place for place, error in enumerate(as_array(tool.get("errors"))) if _is_conflict(error)]
        if "idempotency" in tool:
            yield from _check_store(document, at, tool)
            if not bound and family and "conflict" not in as_object(family.get("occasions")):
                sentence = (
                    f'the dialect "{dialect}" has no code for a key that is reused with other arguments; '
                    'bind one of the tool\'s errors to it with "when": {"occasion": "conflict"}'
                )
                yield document.problem(join_pointer(at, "idempotency"), "CONFLICT_UNNAMED", sentence)
            continue
        for place in bound:
            sentence = 'the tool takes no key, so no conflict can arise; add "idempotency", or remove this'
            yield document.problem(join_pointer(at, "errors", place, "when"), "CONFLICT_NEVER", sentence)


def _is_conflict(error: Any) -> bool:
    """Return True for an error that is bound to key conflicts."""
    return as_object(as_object(error).get("when")).get("occasion") == "conflict"


def _check_store(document: Document, at: str, tool: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield tools that write nothing, or nothing that can store a key."""
    sources = as_object(as_object(document.value).get("sources"))
    writes = [name for name in as_array(as_object(tool.get("effects")).get("writes")) if isinstance(name, str)]
    if not writes:
        sentence = "a tool that only reads may run as often as it is called; remove this key"
        yield document.problem(join_pointer(at, "idempotency"), "IDEMPOTENT_READ", sentence)
    elif all(as_object(sources[name]).get("kind") != "postgresql" for name in writes if name in sources):
        sentence = "a key is stored in PostgreSQL with the written data, but the tool writes to no such source"
        yield document.problem(join_pointer(at, "idempotency"), "IDEMPOTENT_STORE", sentence)
