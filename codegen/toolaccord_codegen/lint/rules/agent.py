"""Lint rules for an agent: what it reads of results, its retries, and its events."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord.contract.agent_contracts import AgentContract
from toolaccord.contract.agents import Retry
from toolaccord_codegen.lint.issues import Issue
from toolaccord_codegen.lint.rules.event import check_window
from toolaccord_codegen.loading.schema_nodes import ContractValue, Place


def check_agent(contract: ContractValue) -> Iterator[Issue]:
    """Yield tools without `reads`, retries that are cut off, and events that may come twice."""
    agent = contract.read(AgentContract)
    for use in [each for each in agent.uses if not each.model_only]:
        for tool in [each for each in use.tools if not each.reads]:
            message = f'the agent does not say what it reads of the result of {tool.name}; add "reads"'
            yield Issue("READS_MISSING", contract.at("uses", use.name, "tools", tool.name).place.key_place(), message)
    if agent.retry:
        yield from _check_retries(agent.retry, agent.limits.timeout_ms, contract.at("retry").place)
    max_age_s = agent.batch.queue.max_age_s if agent.batch and agent.batch.queue else 0
    for event in agent.events:
        yield from check_window(event, contract.at("events", event.name).place, max_age_s, "the queue")


def _check_retries(retry: Retry, timeout_ms: int, place: Place) -> Iterator[Issue]:
    """Yield retries whose delays take all of the time."""
    delays_ms = [
        min(retry.initial_delay_ms * retry.multiplier**number, retry.max_delay_ms)
        for number in range(retry.max_attempts - 1)
    ]
    if sum(delays_ms) >= timeout_ms:
        message = (
            f"the delays between {retry.max_attempts} attempts are {sum(delays_ms):g} ms, and a request has {timeout_ms} ms; "
            "make the delays shorter, or allow fewer attempts"
        )
        yield Issue("RETRIES_TOO_LONG", place.key_place(), message)
