"""Rules for the content of a tool."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.loading.references import as_array
from toolaccord_codegen.rules.tool_view import ToolView


def check_content(view: ToolView) -> Iterator[Problem]:
    """Yield media types beside the kind that stands for all of them."""
    kinds = as_array(view.tool.get("content"))
    for index, kind in enumerate(kinds):
        whole = kind.partition("/")[0] if isinstance(kind, str) else None
        if whole != kind and whole in kinds:
            sentence = f'"{whole}" already stands for all its media types; remove it, or {kind}'
            yield view.problem(join_pointer("/content", index), "CONTENT_COVERED", sentence)
