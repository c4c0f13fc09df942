"""Compare the content of two states of a tool."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.contract_pair import ContractPair
from toolaccord_codegen.loading.references import as_array

FORMS = {
    (True, False): "a result",
    (False, True): "content",
    (True, True): "a result with content",
    (False, False): "nothing",
}
"""Descriptions of answers: with a result or not, with content or not."""


def content_changes(tool: ContractPair) -> Iterator[Change]:
    """Yield another form of answers, and kinds of content that were added or removed."""
    results, (before, after) = tool.values("returns"), tool.values("content")
    old, new = (results[0] is not None, before is not None), (results[1] is not None, after is not None)
    if old != new:
        key = "content" if old[1] != new[1] else "returns"
        yield tool.change("ANSWER_FORM_CHANGED", f"the tool returns {FORMS[new]} instead of {FORMS[old]}", key)
    if None in (before, after):
        return
    for kind in _list_missing(after, before):
        message = f"the tool can also return {kind}"
        yield tool.change("CONTENT_KIND_ADDED", message, "content", detail=kind)
    for kind in _list_missing(before, after):
        message = f"the tool no longer returns {kind}" + (" of every media type" if _has_part(after, kind) else "")
        yield tool.change("CONTENT_KIND_REMOVED", message, "content", detail=kind)


def _list_missing(kinds: Any, others: Any) -> list[str]:
    """Return those of *kinds* that *others* do not cover."""
    named = [kind for kind in as_array(kinds) if isinstance(kind, str)]
    return [kind for kind in named if not {kind, kind.partition("/")[0]} & set(map(str, as_array(others)))]


def _has_part(kinds: Any, whole: str) -> bool:
    """Return True if *kinds* have a media type of *whole*."""
    return any(str(kind).startswith(f"{whole}/") for kind in as_array(kinds))
