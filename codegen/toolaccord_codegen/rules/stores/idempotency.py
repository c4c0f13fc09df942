"""Rules for tools that take an idempotency key."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord.contract.policies import Idempotency
from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.ir.tool import may_change
from toolaccord_codegen.rules.stores.store import check_store
from toolaccord_codegen.rules.tool_view import ToolView


def check_idempotency(view: ToolView) -> Iterator[Problem]:
    """Yield keys that the tool cannot store, and conflicts without a code or without a key."""
    yield from _check_conflict(view)
    if idempotency := view.declared.idempotency:
        yield from _check_effects(view, idempotency)
        yield from check_store(view.document, f"{view.pointer}/idempotency", idempotency.store, view.contract.sources)


def _check_conflict(view: ToolView) -> Iterator[Problem]:
    """Yield a conflict that cannot arise, and one without a code.

    Only a key that the caller sends can come again with other arguments.
    """
    bound, idempotency = view.bound_to("conflict"), view.declared.idempotency
    if not idempotency or "request" not in idempotency.key_from:
        for at in bound:
            sentence = (
                'callers send no key, so no conflict can arise; add "idempotency" with "key_from": ["request"], '
                "or remove this"
            )
            yield view.problem(f"{at}/when", "CONFLICT_NEVER", sentence)
    elif not bound and view.lacks_code("conflict"):
        sentence = (
            f'the dialect "{view.contract.dialect}" has no code for a key that is reused with other arguments; '
            'bind one of the tool\'s errors to it with "when": {"occasion": "conflict"}'
        )
        yield view.problem("/idempotency", "CONFLICT_UNNAMED", sentence)


def _check_effects(view: ToolView, idempotency: Idempotency) -> Iterator[Problem]:
    """Yield a tool without effects, and one without a place for its keys."""
    effects, kinds = view.declared.effects, {source.name: source.kind for source in view.contract.sources}
    if not may_change(effects):
        sentence = "a tool that changes nothing may run as often as it is called; remove this key, or state its effects"
        yield view.problem("/idempotency", "IDEMPOTENT_READ", sentence)
    elif idempotency.store is not None:
        return
    elif all(kinds.get(name) != "postgresql" for name in (*effects.writes, *effects.adds)):
        sentence = 'a tool that writes nothing to PostgreSQL cannot store keys there; name a Redis source as "store"'
        yield view.problem("/idempotency", "IDEMPOTENT_STORE", sentence)
    elif "derived" in idempotency.key_from:
        sentence = 'derived keys need a Redis source that stores them; name it as "store", or remove "derived"'
        yield view.problem("/idempotency/key_from", "DERIVED_WITHOUT_STORE", sentence)
