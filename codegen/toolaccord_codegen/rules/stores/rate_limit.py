"""Rules for tools with a rate limit."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.rules.stores.store import check_store
from toolaccord_codegen.rules.tool_view import AnyView


def check_rate_limit(view: AnyView) -> Iterator[Problem]:
    """Yield a limit without a code, a code without a limit, and a store that is no Redis source."""
    bound, limit = view.bound_to("rate_limit"), view.declared.rate_limit
    if limit is None:
        for at in bound:
            sentence = 'the tool has no rate limit; add "rate_limit", or remove this'
            yield view.problem(f"{at}/when", "RATE_LIMIT_NEVER", sentence)
        return
    yield from check_store(view.document, f"{view.pointer}/rate_limit", limit.store, view.contract.sources)
    if not bound and view.lacks_code("rate_limit"):
        sentence = (
            f'the dialect "{view.contract.dialect}" has no code for a caller beyond the limit; '
            'bind one of the tool\'s errors to it with "when": {"occasion": "rate_limit"}'
        )
        yield view.problem("/rate_limit", "RATE_LIMIT_UNNAMED", sentence)
