"""Contracts against tests: every error, cache and page that a contract promises is shown on the real source, and nothing else is claimed."""

import importlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.contracts.reading import CONTRACTS, contracts, load
from tests.servers.manifest import answers, cached, claims, each_tool, paginated
from tests.servers.seen import Seen

Claim = tuple[str, ...]
"""A mark: its name, the tool, and for an error its code."""


def promises() -> set[Claim]:
    """What all contracts promise, as the marks that tests must have."""
    dialects = load(CONTRACTS / "dialects.json")
    return {
        promise
        for contract in contracts().values()
        for tool in contract["tools"]
        for promise in promised(tool, dialects[contract["dialect"]])
    }


def promised(tool: dict[str, Any], dialect: dict[str, Any]) -> set[Claim]:
    """What one tool promises."""
    name = tool["name"]
    found: set[Claim] = {("answers", name, code) for code in codes(tool, dialect)}
    if "cache" in tool:
        found.add(("cached", name))
    if "pagination" in tool:
        found.add(("paginated", name))
    return found


def codes(tool: dict[str, Any], dialect: dict[str, Any]) -> set[str]:
    """The codes that a tool can answer: its own, and the dialect's on occasions for which it has none."""
    bound = {error["when"]["occasion"] for error in tool["errors"] if "occasion" in error.get("when", {})}
    never = {"source"} if not any(tool["effects"].values()) else set()
    never |= {"conflict"} if "idempotency" not in tool else set()
    never |= {"sunset"} if "versions" not in tool else set()
    never |= {"access", "unknown_tool"}
    occasions = set(dialect["occasions"]) - bound - never
    return {error["code"] for error in tool["errors"]} | {dialect["occasions"][each] for each in occasions}


def claimed() -> set[Claim]:
    """What the tests of this folder claim."""
    modules = [f"tests.servers.{file.stem}" for file in sorted(Path(__file__).parent.glob("test_*_answers.py"))]
    return {claim for module in modules for claim in claims(importlib.import_module(module))}


def test_every_promise_of_every_contract_is_shown_by_a_test() -> None:
    assert promises() - claimed() == set()


def test_no_test_claims_what_no_contract_promises() -> None:
    assert claimed() - promises() == set()


def test_marks_of_tests_and_of_their_single_parameters_are_claims() -> None:
    @each_tool(["b", "c"], "OTHER")
    @answers("a", "CODE")
    @cached("a")
    @pytest.mark.parametrize("x", [1])
    def test(tool: str, x: int) -> None: ...

    expected = {("answers", "a", "CODE"), ("cached", "a"), ("answers", "b", "OTHER"), ("answers", "c", "OTHER")}
    assert claims(SimpleNamespace(test_it=test, helper=None)) == expected


@pytest.mark.parametrize("off", [pytest.mark.skip, pytest.mark.skipif(False, reason="?"), pytest.mark.xfail])
def test_what_may_be_skipped_or_fail_claims_nothing(off: pytest.MarkDecorator) -> None:
    @off
    @answers("a", "CODE")
    def whole() -> None: ...

    @pytest.mark.parametrize("x", [pytest.param(1, marks=[cached("a"), off]), pytest.param(2, marks=cached("b")), 3])
    def one(x: int) -> None: ...

    @answers("a", "CODE")
    def plain() -> None: ...

    assert claims(SimpleNamespace(test_whole=whole, test_one=one)) == {("cached", "b")}
    assert claims(SimpleNamespace(test_plain=plain)) == {("answers", "a", "CODE")}
    assert claims(SimpleNamespace(test_plain=plain, pytestmark=off)) == set()
    assert claims(SimpleNamespace(test_plain=plain, pytestmark=[off])) == set()


def test_a_claim_is_only_true_once_it_was_seen() -> None:
    marks = [answers("a", "CODE").mark, cached("a").mark, paginated("a").mark, pytest.mark.skip.mark]
    assert Seen().missing(marks) == ["answers('a', 'CODE')", "cached('a',)", "paginated('a',)"]
    assert Seen({("a", "CODE")}, {("a",)}, {("a",)}).missing(marks) == []
