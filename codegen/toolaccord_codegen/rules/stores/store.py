"""Rule for stores: the sources in which the library keeps state of calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from toolaccord.contract.sources import Source
from toolaccord_codegen.diagnostics import Problem, suggest
from toolaccord_codegen.loading.documents import Document


def check_store(
    document: Document, at: str, store: str | None, known: Iterable[Source], kinds: Sequence[str] = ("redis",)
) -> Iterator[Problem]:
    """Yield a `store` of a policy that is no source, or none of the *kinds* that can be one."""
    sources = {source.name: source for source in known}
    if store is None:
        return
    if store not in sources:
        sentence = f'"{store}" is not among the sources; {suggest(store, sources)}'
        yield document.problem(f"{at}/store", "SOURCE_UNKNOWN", sentence)
    elif sources[store].kind not in kinds:
        listed = " or ".join(f'"{kind}"' for kind in kinds)
        sentence = f'"{store}" is of the kind "{sources[store].kind}"; a store is a source of the kind {listed}'
        yield document.problem(f"{at}/store", "STORE_KIND", sentence)
