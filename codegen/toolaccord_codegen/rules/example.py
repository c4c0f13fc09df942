"""Rules for the examples of a tool: valid calls with valid answers."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord.contract.tools import Example
from toolaccord.semantics.version_steps import ABSENT
from toolaccord_codegen.diagnostics import Problem, suggest
from toolaccord_codegen.rules.schema import violations
from toolaccord_codegen.rules.tool_view import ToolView, VersionView, has_content_alone, place_items


def check_examples(view: ToolView) -> Iterator[Problem]:
    """Yield invalid examples, and tools without an example of their newest version."""
    versions = {each.version: each for each in (*reversed(view.older), view.newest)}
    newest, examples = view.newest.version, view.declared.examples
    for at, example in place_items("/examples", examples):
        version = example.version or newest
        if version in versions:
            yield from _check_example(view, versions[version], at, example)
        else:
            sentence = f"the tool has no version {version}; {suggest(version, versions)}"
            yield view.problem(f"{at}/version", "EXAMPLE_INVALID", sentence)
    if examples and all((example.version or newest) != newest for example in examples):
        sentence = f"there is an example of older versions only; add one of {newest}"
        yield view.problem("/examples", "EXAMPLE_INVALID", sentence)


def _check_example(view: ToolView, version: VersionView, at: str, example: Example) -> Iterator[Problem]:
    """Yield the problems of an example against one version."""
    is_content = has_content_alone(view.declared)
    if (example.returns is ABSENT) == (example.error is None) and not is_content:
        yield view.problem(at, "EXAMPLE_INVALID", 'an example has either "returns" or "error"')
        return
    if example.error:
        if view.dialect and example.error not in [*view.codes, *view.dialect.codes]:
            yield view.problem(f"{at}/error", "EXAMPLE_INVALID", f"{example.error} is no code of the tool")
        return
    shown = [("arguments", "parameters"), ("returns", "returns")]
    for key, side in shown[:1] if is_content else shown:
        found = violations(version.schema(side), getattr(example, key)) if version.is_resolved_object(side) else ()
        for place, why in found:
            yield view.problem(f"{at}/{key}{place}", "EXAMPLE_INVALID", f"the tool's {side} reject this: {why}")
