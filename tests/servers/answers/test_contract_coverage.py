"""Prove that tests claim every error, cache and page of the contracts, and nothing else."""

import importlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.contracts.reading import CONTRACTS, contracts, load, mcp_tools
from tests.servers.contracts import Observations, answers, cached, paginated, parametrize_tools, read_claims

Claim = tuple[str, ...]
"""A mark: its name, the tool, and for an error its code."""


def read_promises() -> set[Claim]:
    """Return what all contracts promise over MCP, as the claims that tests must make."""
    dialects = load(CONTRACTS / "dialects.json")
    return {
        promise
        for module, contract in contracts().items()
        for tool in mcp_tools(module)
        for promise in _tool_promises(tool, dialects[contract["dialect"]])
    }


def _tool_promises(tool: dict[str, Any], dialect: dict[str, Any]) -> set[Claim]:
    """Return the promises of one tool."""
    name = tool["name"]
    found: set[Claim] = {("answers", name, code) for code in possible_codes(tool, dialect)}
    if "cache" in tool:
        found.add(("cached", name))
    if "pagination" in tool:
        found.add(("paginated", name))
    return found


def possible_codes(tool: dict[str, Any], dialect: dict[str, Any]) -> set[str]:
    """Return the codes that a tool can answer: its own, and the dialect's for the rest."""
    bound = {error["when"]["occasion"] for error in tool["errors"] if "occasion" in error.get("when", {})}
    never = {"conflict"} if "idempotency" not in tool else set()
    never |= {"rate_limit"} if "rate_limit" not in tool else set()
    never |= {"sunset"} if not any("sunset_on" in older for older in tool.get("versions", ())) else set()
    never |= {"access", "unknown_tool"}
    occasions = set(dialect["occasions"]) - bound - never
    return {error["code"] for error in tool["errors"]} | {dialect["occasions"][each] for each in occasions}


def read_all_claims() -> set[Claim]:
    """Return the claims of all tests in this folder."""
    modules = [f"tests.servers.answers.{file.stem}" for file in sorted(Path(__file__).parent.glob("test_*_answers.py"))]
    return {claim for module in modules for claim in read_claims(importlib.import_module(module))}


def test_every_promise_of_every_contract_is_proven_by_a_test() -> None:
    assert read_promises() - read_all_claims() == set()


def test_no_test_claims_what_no_contract_promises() -> None:
    assert read_all_claims() - read_promises() == set()


def test_marks_of_tests_and_of_their_single_parameters_are_claims() -> None:
    @parametrize_tools(["b", "c"], "OTHER")
    @answers("a", "CODE")
    @cached("a")
    @pytest.mark.parametrize("x", [1])
    def test(tool: str, x: int) -> None: ...

    expected = {("answers", "a", "CODE"), ("cached", "a"), ("answers", "b", "OTHER"), ("answers", "c", "OTHER")}
    assert read_claims(SimpleNamespace(test_it=test, helper=None)) == expected


@pytest.mark.parametrize("off", [pytest.mark.skip, pytest.mark.skipif(False, reason="?"), pytest.mark.xfail])
def test_a_test_that_may_be_skipped_or_fail_claims_nothing(off: pytest.MarkDecorator) -> None:
    @off
    @answers("a", "CODE")
    def whole() -> None: ...

    @pytest.mark.parametrize("x", [pytest.param(1, marks=[cached("a"), off]), pytest.param(2, marks=cached("b")), 3])
    def one(x: int) -> None: ...

    @answers("a", "CODE")
    def plain() -> None: ...

    assert read_claims(SimpleNamespace(test_whole=whole, test_one=one)) == {("cached", "b")}
    assert read_claims(SimpleNamespace(test_plain=plain)) == {("answers", "a", "CODE")}
    assert read_claims(SimpleNamespace(test_plain=plain, pytestmark=off)) == set()
    assert read_claims(SimpleNamespace(test_plain=plain, pytestmark=[off])) == set()


def test_a_claim_is_proven_once_it_was_observed() -> None:
    marks = [answers("a", "CODE").mark, cached("a").mark, paginated("a").mark, pytest.mark.skip.mark]
    assert Observations().unproven(marks) == ["answers('a', 'CODE')", "cached('a',)", "paginated('a',)"]
    assert Observations({("a", "CODE")}, {("a",)}, {("a",)}).unproven(marks) == []
