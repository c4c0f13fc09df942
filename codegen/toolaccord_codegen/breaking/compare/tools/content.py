"""Compare the content of two states of a tool."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolaccord.contract.tools import Tool
from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.contract_pair import ContractPair

FORMS = {
    (True, False): "a result",
    (False, True): "content",
    (True, True): "a result with content",
    (False, False): "nothing",
}
"""Descriptions of answers: with a result or not, with content or not."""


def content_changes(tool: ContractPair) -> Iterator[Change]:
    """Yield another form of answers, and kinds of content that were added or removed."""
    before, after = tool.records(Tool)
    old, new = ((side.returns is not None, bool(side.content)) for side in (before, after))
    if old != new:
        key = "content" if old[1] != new[1] else "returns"
        yield tool.change("ANSWER_FORM_CHANGED", f"the tool returns {FORMS[new]} instead of {FORMS[old]}", key)
    if not (before.content and after.content):
        return
    for kind in _list_missing(after.content, before.content):
        message = f"the tool can also return {kind}"
        yield tool.change("CONTENT_KIND_ADDED", message, "content", detail=kind)
    for kind in _list_missing(before.content, after.content):
        has_part = any(each.startswith(f"{kind}/") for each in after.content)
        message = f"the tool no longer returns {kind}" + (" of every media type" if has_part else "")
        yield tool.change("CONTENT_KIND_REMOVED", message, "content", detail=kind)


def _list_missing(kinds: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return those of *kinds* that *others* do not cover."""
    return [kind for kind in kinds if not {kind, kind.partition("/")[0]} & {*others}]
