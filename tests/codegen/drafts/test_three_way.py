"""A new draft is merged into an edited one, and both sides' changes stay."""

from __future__ import annotations

from typing import Any

import pytest

from toolaccord_codegen.drafts.three_way import ContractMerge

OLD: dict[str, Any] = {
    "server": {"title": "Books", "version": "1.0.0"},
    "tools": [
        {"name": "get", "description": "Get a book", "errors": [{"code": "A", "http": 404}]},
        {"name": "list", "description": "List books", "required": ["x", "y"]},
    ],
    "examples": [1, 2],
}


def changed(**members: Any) -> dict[str, Any]:
    """Return the old draft with other members."""
    return {**OLD, **members}


@pytest.mark.parametrize(
    "edited, new, merged, conflicts",
    [
        (OLD, changed(examples=[3]), changed(examples=[3]), []),
        (changed(examples=[3]), OLD, changed(examples=[3]), []),
        (changed(examples=[3]), changed(examples=[3]), changed(examples=[3]), []),
        (changed(examples=[3]), changed(examples=[4]), changed(examples=[3]), ["/examples"]),
        (
            changed(server={"title": "Mine", "version": "1.0.0", "x-note": 1}),
            changed(server={"title": "Books", "version": "2.0.0"}),
            changed(server={"title": "Mine", "version": "2.0.0", "x-note": 1}),
            [],
        ),
        (
            changed(tools=[OLD["tools"][1], {"name": "own"}, {**OLD["tools"][0], "description": "Mine"}]),
            changed(tools=[{**OLD["tools"][0], "errors": [{"code": "B"}]}, {"name": "added"}]),
            changed(
                tools=[
                    {"name": "own"},
                    {"name": "get", "description": "Mine", "errors": [{"code": "B"}]},
                    {"name": "added"},
                ]
            ),
            [],
        ),
        (
            changed(tools=[OLD["tools"][0], {**OLD["tools"][1], "description": "Mine"}]),
            changed(tools=[OLD["tools"][0]]),
            changed(tools=[OLD["tools"][0], {**OLD["tools"][1], "description": "Mine"}]),
            ["/tools/list"],
        ),
        (
            changed(tools=[OLD["tools"][0], {**OLD["tools"][1], "required": ["y", "mine"]}]),
            changed(tools=[OLD["tools"][0], {**OLD["tools"][1], "required": ["x", "y", "new"]}]),
            changed(tools=[OLD["tools"][0], {**OLD["tools"][1], "required": ["y", "mine", "new"]}]),
            [],
        ),
        (changed(examples=True), changed(examples=1), changed(examples=True), ["/examples"]),
    ],
)
def test_both_sides_stay_and_conflicts_are_named(edited: Any, new: Any, merged: Any, conflicts: list[str]) -> None:
    merge = ContractMerge()
    assert merge.merge(OLD, edited, new) == merged
    assert merge.conflicts == conflicts
