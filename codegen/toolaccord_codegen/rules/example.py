"""Rules for the examples of a tool: valid calls with valid answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolaccord_codegen.diagnostics import Problem, suggest
from toolaccord_codegen.loading.references import list_items
from toolaccord_codegen.rules.schema import violations
from toolaccord_codegen.rules.tool_view import ToolView, VersionView


def check_examples(view: ToolView) -> Iterator[Problem]:
    """Yield invalid examples, and tools without an example of their newest version."""
    versions = {each.version: each for each in (*reversed(view.older), view.newest)}
    examples = list_items(view.tool, "examples")
    for at, example in examples:
        version = example.get("version", view.newest.version)
        if isinstance(version, str) and version in versions:
            yield from _check_example(view, versions[version], at, example)
        elif isinstance(version, str):
            sentence = f"the tool has no version {version}; {suggest(version, versions)}"
            yield view.problem(f"{at}/version", "EXAMPLE_INVALID", sentence)
    if examples and all(example.get("version", view.newest.version) != view.newest.version for _, example in examples):
        sentence = f"there is an example of older versions only; add one of {view.newest.version}"
        yield view.problem("/examples", "EXAMPLE_INVALID", sentence)


def _check_example(view: ToolView, version: VersionView, at: str, example: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield the problems of an example against one version."""
    if ("returns" in example) == ("error" in example) and not view.has_content_alone:
        yield view.problem(at, "EXAMPLE_INVALID", 'an example has either "returns" or "error"')
        return
    if "error" in example:
        if view.standard is not None and example["error"] not in [*view.codes, *view.standard]:
            yield view.problem(f"{at}/error", "EXAMPLE_INVALID", f"{example['error']} is no code of the tool")
        return
    shown = [("arguments", "parameters", version.parameters), ("returns", "returns", version.returns)]
    for key, side, schema in shown[:1] if view.has_content_alone else shown:
        for place, why in violations(schema, example.get(key)) if version.is_resolved_object(side) else ():
            yield view.problem(f"{at}/{key}{place}", "EXAMPLE_INVALID", f"the tool's {side} reject this: {why}")
