"""Rules for tools that take an idempotency key."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.ir.tool import CHANGING
from toolaccord_codegen.loading.references import as_array, as_object, list_items
from toolaccord_codegen.rules.stores.store import check_store
from toolaccord_codegen.rules.tool_view import ToolView


def check_idempotency(view: ToolView) -> Iterator[Problem]:
    """Yield keys that the tool cannot store, and conflicts without a code or without a key."""
    yield from _check_conflict(view)
    if "idempotency" in view.tool:
        yield from _check_effects(view)
        yield from check_store(view.document, f"{view.pointer}/idempotency", view.tool.get("idempotency"))


def _check_conflict(view: ToolView) -> Iterator[Problem]:
    """Yield a conflict that cannot arise, and one without a code.

    Only a key that the caller sends can come again with other arguments.
    """
    errors = list_items(view.tool, "errors")
    bound = [at for at, error in errors if as_object(error.get("when")).get("occasion") == "conflict"]
    if "request" not in as_array(as_object(view.tool.get("idempotency")).get("key_from")):
        for at in bound:
            sentence = (
                'callers send no key, so no conflict can arise; add "idempotency" with "key_from": ["request"], '
                "or remove this"
            )
            yield view.problem(f"{at}/when", "CONFLICT_NEVER", sentence)
    elif not bound and view.dialect and "conflict" not in as_object(view.dialect.get("occasions")):
        sentence = (
            f'the dialect "{view.contract["dialect"]}" has no code for a key that is reused with other arguments; '
            'bind one of the tool\'s errors to it with "when": {"occasion": "conflict"}'
        )
        yield view.problem("/idempotency", "CONFLICT_UNNAMED", sentence)


def _check_effects(view: ToolView) -> Iterator[Problem]:
    """Yield a tool without effects, and one without a place for its keys."""
    sources, effects = as_object(view.contract.get("sources")), as_object(view.tool.get("effects"))
    idempotency = as_object(view.tool["idempotency"])
    written = [name for key in ("writes", "adds") for name in as_array(effects.get(key)) if isinstance(name, str)]
    if not any(map(effects.get, CHANGING)) and effects.get("elsewhere") not in CHANGING:
        sentence = "a tool that changes nothing may run as often as it is called; remove this key, or state its effects"
        yield view.problem("/idempotency", "IDEMPOTENT_READ", sentence)
    elif "store" in idempotency:
        return
    elif all(as_object(sources[name]).get("kind") != "postgresql" for name in written if name in sources):
        sentence = 'a tool that writes nothing to PostgreSQL cannot store keys there; name a Redis source as "store"'
        yield view.problem("/idempotency", "IDEMPOTENT_STORE", sentence)
    elif "derived" in as_array(idempotency.get("key_from")):
        sentence = 'derived keys need a Redis source that stores them; name it as "store", or remove "derived"'
        yield view.problem("/idempotency/key_from", "DERIVED_WITHOUT_STORE", sentence)
