"""Rules for the content of a tool."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.rules.tool_view import ToolView, place_items


def check_content(view: ToolView) -> Iterator[Problem]:
    """Yield media types beside the kind that stands for all of them."""
    kinds = view.declared.content
    for place, kind in place_items("/content", kinds):
        whole = kind.partition("/")[0]
        if whole != kind and whole in kinds:
            sentence = f'"{whole}" already stands for all its media types; remove it, or {kind}'
            yield view.problem(place, "CONTENT_COVERED", sentence)
