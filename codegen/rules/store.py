"""Rule for stores: the Redis sources in which the library keeps state of a tool's calls."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.diagnostics import Problem, suggest
from codegen.loading.references import as_object
from codegen.rules.tool_view import ToolView


def check_store(view: ToolView, key: str) -> Iterator[Problem]:
    """Yield a `store` below a tool's *key* that is no Redis source."""
    store, sources = as_object(view.tool.get(key)).get("store"), as_object(view.contract.get("sources"))
    if not isinstance(store, str):
        return
    if store not in sources:
        sentence = f'"{store}" is not among the sources; {suggest(store, sources)}'
        yield view.problem(f"/{key}/store", "SOURCE_UNKNOWN", sentence)
    elif as_object(sources[store]).get("kind") != "redis":
        sentence = f'"{store}" is no Redis source, and only Redis can be a store; name a source of the kind "redis"'
        yield view.problem(f"/{key}/store", "STORE_NOT_REDIS", sentence)
