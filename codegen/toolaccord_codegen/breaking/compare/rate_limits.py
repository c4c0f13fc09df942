"""Compare the calls that a caller may make."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from toolaccord.contract.policies import RateLimit
from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.contract_pair import ContractPair
from toolaccord_codegen.loading.records import read_incomplete

Limit: TypeAlias = RateLimit | None


def rate_limit_changes(operation: ContractPair) -> Iterator[Change]:
    """Yield a limit that rejects what the other one allows, and another place of the count."""
    old, new = (_read_limit(side.at("rate_limit").value) for side in (operation.old, operation.new))
    text = f"a caller may make {_describe_limit(new)} instead of {_describe_limit(old)}"
    if _allows_more(old, new):
        yield operation.change("RATE_LIMIT_LOWERED", text, "rate_limit")
    elif _allows_more(new, old):
        yield operation.change("RATE_LIMIT_RAISED", text, "rate_limit")
    if old and new and old.store != new.store:
        text = f"the calls are counted in {new.store or 'each replica'} instead of {old.store or 'each replica'}"
        circumstance = "shared" if new.store else ""
        yield operation.change("RATE_LIMIT_STORE_CHANGED", text, "rate_limit", "store", circumstance=circumstance)


def _read_limit(value: object) -> Limit:
    """Return a rate limit; None without one, or without its numbers."""
    limit = read_incomplete(RateLimit, value)
    return limit if limit.calls and limit.window_s else None


def _allows_more(limit: Limit, other: Limit) -> bool:
    """Return True if a limit allows calls that another one rejects.

    In the other's window it allows its number of calls once for each of its own windows that begin there.
    """
    if limit is None or other is None:
        return other is not None
    return limit.calls * -(-other.window_s // limit.window_s) > other.calls


def _describe_limit(limit: Limit) -> str:
    """Return a rate limit for a message."""
    return "any number of calls" if limit is None else f"{limit.calls} calls in {limit.window_s} s"
