"""Rules for tools that take an idempotency key."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.diagnostics import Problem
from codegen.loading.references import as_array, as_object, list_items
from codegen.rules.tool_view import ToolView


def check_idempotency(view: ToolView) -> Iterator[Problem]:
    """Yield keys that the tool cannot store, and conflicts without a code or without a key."""
    errors = list_items(view.tool, "errors")
    bound = [at for at, error in errors if as_object(error.get("when")).get("occasion") == "conflict"]
    if "idempotency" not in view.tool:
        for at in bound:
            sentence = 'the tool takes no key, so no conflict can arise; add "idempotency", or remove this'
            yield view.problem(f"{at}/when", "CONFLICT_NEVER", sentence)
        return
    yield from _check_store(view)
    if not bound and view.dialect and "conflict" not in as_object(view.dialect.get("occasions")):
        sentence = (
            f'the dialect "{view.contract["dialect"]}" has no code for a key that is reused with other arguments; '
            'bind one of the tool\'s errors to it with "when": {"occasion": "conflict"}'
        )
        yield view.problem("/idempotency", "CONFLICT_UNNAMED", sentence)


def _check_store(view: ToolView) -> Iterator[Problem]:
    """Yield a tool that writes nothing, or nothing that can store a key."""
    sources = as_object(view.contract.get("sources"))
    writes = [name for name in as_array(as_object(view.tool.get("effects")).get("writes")) if isinstance(name, str)]
    if not writes:
        sentence = "a tool that only reads may run as often as it is called; remove this key"
        yield view.problem("/idempotency", "IDEMPOTENT_READ", sentence)
    elif all(as_object(sources[name]).get("kind") != "postgresql" for name in writes if name in sources):
        sentence = "a key is stored in PostgreSQL with the written data, but the tool writes to no such source"
        yield view.problem("/idempotency", "IDEMPOTENT_STORE", sentence)
