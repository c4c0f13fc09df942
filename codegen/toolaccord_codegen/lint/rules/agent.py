"""Lint rules for an agent: what it reads of results, its retries, and its events."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord_codegen.lint.issues import Issue
from toolaccord_codegen.lint.rules.event import check_window
from toolaccord_codegen.loading.references import as_object
from toolaccord_codegen.loading.schema_nodes import ContractValue


def check_agent(contract: ContractValue) -> Iterator[Issue]:
    """Yield tools without `reads`, retries that are cut off, and events that may come twice."""
    for use in contract.items("uses").values():
        for name, tool in use.items("tools").items():
            if as_object(use.value).get("model_only") is None and "reads" not in as_object(tool.value):
                message = f'the agent does not say what it reads of the result of {name}; add "reads"'
                yield Issue("READS_MISSING", tool.place.key_place(), message)
    yield from _check_retries(contract)
    max_age_s = contract.at("batch", "queue", "max_age_s").value or 0
    for name, event in contract.items("events").items():
        yield from check_window(name, event, max_age_s, "the queue")


def _check_retries(contract: ContractValue) -> Iterator[Issue]:
    """Yield retries whose delays take all of the time."""
    retry, timeout_ms = as_object(contract.at("retry").value), contract.at("limits", "timeout_ms").value
    if not retry:
        return
    delays_ms = [
        min(retry["initial_delay_ms"] * retry["multiplier"] ** number, retry["max_delay_ms"])
        for number in range(retry["max_attempts"] - 1)
    ]
    if sum(delays_ms) >= timeout_ms:
        message = (
            f"the delays between {retry['max_attempts']} attempts are {sum(delays_ms):g} ms, and a request has {timeout_ms} ms; "
            "make the delays shorter, or allow fewer attempts"
        )
        yield Issue("RETRIES_TOO_LONG", contract.at("retry").place.key_place(), message)
