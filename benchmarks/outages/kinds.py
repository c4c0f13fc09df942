"""The calls of a run: their arguments, and the codes that contracts give to an outage."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.clients import paced

CONTRACTS = Path(__file__).parents[2] / "contracts"
OCCASIONS = ("source", "deadline", "overload")
"""Occasions of the errors that an outage may cause; an internal error is none of them."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A tool, and how it is called."""

    tool: str
    server: str
    """The server, as `system.server`."""
    deadline_s: float
    target_s: float
    """The contract's objective for the 95th percentile."""
    codes: frozenset[str]
    """The codes that the contract gives to an outage."""
    arguments: Callable[[int], Mapping[str, Any]]
    """Returns arguments with a number, by which a write is found again."""
    read_identity: Callable[[Mapping[str, Any]], str] | None = None
    """Returns the identity of a stored write, from its result; None for a tool that reads."""

    def request(self, number: int, caller: int) -> bytes:
        """Return the request of a call, with a key if it writes."""
        headers = {"User-Agent": f"caller-{caller}"}
        if self.read_identity:
            headers["Idempotency-Key"] = f"outages-{number}"
        return paced.post(f"/mcp/tools/{self.tool}", self.arguments(number), headers)


def check(number: int) -> Mapping[str, Any]:
    """Return the arguments of an order that no other call has, so that no cache answers it."""
    return {"portfolio_id": "port_123", "symbol": "EURUSD", "quantity": number + 1, "direction": "long"}


def decide(number: int) -> Mapping[str, Any]:
    """Return the arguments of a decision."""
    return {"symbol": "ETH/USD", "action": "HOLD", "confidence": 0.5, "reasoning": str(number)}


def warn(number: int) -> Mapping[str, Any]:
    """Return the arguments of an alert."""
    return {"violation_type": "exposure_limit", "severity": "warning", "message": str(number)}


def read_kinds() -> tuple[Kind, ...]:
    """Return the kinds of calls, with deadlines, targets and codes of the contracts."""
    return (
        _read("platform.risk", "risk.position_limits_check", check),
        _read("tradestream.decisions", "save_decision", decide, lambda result: str(result["data"]["decision_id"])),
        _read("platform.risk", "risk.trigger_alert", warn, lambda result: str(result["timestamp"])),
    )


def _read(
    server: str,
    tool: str,
    arguments: Callable[[int], Mapping[str, Any]],
    read_identity: Callable[[Mapping[str, Any]], str] | None = None,
) -> Kind:
    contract = json.loads((CONTRACTS / f"{server.replace('.', '/')}.json").read_text(encoding="utf-8"))
    dialects = json.loads((CONTRACTS / "dialects.json").read_text(encoding="utf-8"))
    declared = next(each for each in contract["tools"] if each["name"] == tool)
    return Kind(
        tool,
        server,
        declared["deadline"]["timeout_ms"] / 1000,
        declared["deadline"]["p95_ms"] / 1000,
        frozenset(_codes(declared, dialects[contract["dialect"]]["occasions"])),
        arguments,
        read_identity,
    )


def _codes(tool: Mapping[str, Any], occasions: Mapping[str, str]) -> Iterator[str]:
    """Yield the code of each occasion: the tool's own, or else the dialect's."""
    own = {error["when"].get("occasion"): error["code"] for error in tool["errors"] if "when" in error}
    for occasion in OCCASIONS:
        yield own.get(occasion, occasions[occasion])
