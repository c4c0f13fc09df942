"""Lint rules for the tasks of a contract."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord_codegen.ir.contract import DEFAULT_TRANSPORTS, MCP_TRANSPORTS
from toolaccord_codegen.lint.issues import Addition, Issue, string_items
from toolaccord_codegen.loading.references import as_object
from toolaccord_codegen.loading.schema_nodes import ContractValue
from toolaccord_codegen.rules.stores.task import STORES

PATIENCE_MS = 60_000
"""Milliseconds that clients made with MCP's SDK for TypeScript wait for an answer."""


def check_tasks(contract: ContractValue) -> Iterator[Issue]:
    """Yield tasks that die with their process, and calls that take longer than clients wait."""
    transports = set(string_items(contract.at("transports").value)) or {*DEFAULT_TRANSPORTS}
    tools = list(contract.listed("tools"))
    if "http" in transports:
        yield from _check_memory(contract, [tool for tool in tools if tool.at("task").value is not None])
    for tool in [each for each in tools if each.at("task").value is None]:
        own, deadline = set(string_items(tool.at("transports").value)) or transports, tool.at("deadline", "timeout_ms")
        if own & {*MCP_TRANSPORTS} and (deadline.value or 0) > PATIENCE_MS:
            message = (
                f"a call of {tool.at('name').value} may take {deadline.value / 1000:g} s, and many clients give up "
                f'after {PATIENCE_MS // 1000} s; add a "task" to the tool'
            )
            yield Issue("CALL_TOO_LONG", deadline.place.key_place(), message)


def _check_memory(contract: ContractValue, tools: list[ContractValue]) -> Iterator[Issue]:
    """Yield the first of the *tools* whose tasks have no store."""
    bare = [tool.at("task") for tool in tools if tool.at("task", "store").value is None]
    if bare:
        sources = as_object(contract.at("sources").value)
        stores = [name for name, source in sources.items() if as_object(source).get("kind") in STORES]
        cure = f'add "store": "{stores[0]}" to each' if stores else 'name a source of kind redis or nats as "store"'
        message = f"tasks die with the process, and no other replica knows them; {cure}"
        additions = tuple(Addition(task.place, "store", stores[0]) for task in bare) if len(stores) == 1 else ()
        yield Issue("TASK_IN_MEMORY", bare[0].place.key_place(), message, additions=additions)
