"""Rules for tools with a rate limit."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.loading.references import as_object, list_items
from toolaccord_codegen.rules.stores.store import check_store
from toolaccord_codegen.rules.tool_view import ToolView


def check_rate_limit(view: ToolView) -> Iterator[Problem]:
    """Yield a limit without a code, a code without a limit, and a store that is no Redis source."""
    errors = list_items(view.tool, "errors")
    bound = [at for at, error in errors if as_object(error.get("when")).get("occasion") == "rate_limit"]
    if "rate_limit" not in view.tool:
        for at in bound:
            sentence = 'the tool has no rate limit; add "rate_limit", or remove this'
            yield view.problem(f"{at}/when", "RATE_LIMIT_NEVER", sentence)
        return
    yield from check_store(view.document, f"{view.pointer}/rate_limit", view.tool.get("rate_limit"))
    if not bound and view.dialect and "rate_limit" not in as_object(view.dialect.get("occasions")):
        sentence = (
            f'the dialect "{view.contract["dialect"]}" has no code for a caller beyond the limit; '
            'bind one of the tool\'s errors to it with "when": {"occasion": "rate_limit"}'
        )
        yield view.problem("/rate_limit", "RATE_LIMIT_UNNAMED", sentence)
