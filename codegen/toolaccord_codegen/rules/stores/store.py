"""Rule for stores: the Redis sources in which the library keeps state of calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolaccord.contract.sources import Source
from toolaccord_codegen.diagnostics import Problem, suggest
from toolaccord_codegen.loading.documents import Document


def check_store(document: Document, at: str, store: str | None, known: Iterable[Source]) -> Iterator[Problem]:
    """Yield a `store` of the policy at a pointer that is no Redis source."""
    sources = {source.name: source for source in known}
    if store is None:
        return
    if store not in sources:
        sentence = f'"{store}" is not among the sources; {suggest(store, sources)}'
        yield document.problem(f"{at}/store", "SOURCE_UNKNOWN", sentence)
    elif sources[store].kind != "redis":
        sentence = f'"{store}" is no Redis source, and only Redis can be a store; name a source of the kind "redis"'
        yield document.problem(f"{at}/store", "STORE_NOT_REDIS", sentence)
