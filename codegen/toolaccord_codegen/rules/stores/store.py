"""Rule for stores: the Redis sources in which the library keeps state of calls."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord_codegen.diagnostics import Problem, suggest
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.loading.references import as_object


def check_store(document: Document, at: str, policy: object) -> Iterator[Problem]:
    """Yield a `store` of the *policy* at a pointer that is no Redis source."""
    store, sources = as_object(policy).get("store"), as_object(as_object(document.value).get("sources"))
    if not isinstance(store, str):
        return
    if store not in sources:
        sentence = f'"{store}" is not among the sources; {suggest(store, sources)}'
        yield document.problem(f"{at}/store", "SOURCE_UNKNOWN", sentence)
    elif as_object(sources[store]).get("kind") != "redis":
        sentence = f'"{store}" is no Redis source, and only Redis can be a store; name a source of the kind "redis"'
        yield document.problem(f"{at}/store", "STORE_NOT_REDIS", sentence)
