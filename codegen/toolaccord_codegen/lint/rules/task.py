"""Lint rules for the tasks of a contract."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord.contract.server_contracts import ServerContract
from toolaccord_codegen.ir.contract import DEFAULT_TRANSPORTS, MCP_TRANSPORTS
from toolaccord_codegen.lint.issues import Addition, Issue
from toolaccord_codegen.loading.schema_nodes import ContractValue
from toolaccord_codegen.rules.stores.task import STORES

PATIENCE_MS = 60_000
"""Milliseconds that clients made with MCP's SDK for TypeScript wait for an answer."""


def check_tasks(contract: ContractValue) -> Iterator[Issue]:
    """Yield tasks that die with their process, and calls that take longer than clients wait."""
    server = contract.read(ServerContract)
    transports = {*(server.transports or DEFAULT_TRANSPORTS)}
    tools = list(zip(server.tools, contract.listed("tools"), strict=True))
    if "http" in transports:
        yield from _check_memory(
            server, [place.at("task") for tool, place in tools if tool.task and not tool.task.store]
        )
    for tool, place in tools:
        timeout_ms = tool.deadline.timeout_ms if tool.deadline else 0
        if not tool.task and {*(tool.transports or transports)} & {*MCP_TRANSPORTS} and timeout_ms > PATIENCE_MS:
            message = (
                f"a call of {tool.name} may take {timeout_ms / 1000:g} s, and many clients give up "
                f'after {PATIENCE_MS // 1000} s; add a "task" to the tool'
            )
            yield Issue("CALL_TOO_LONG", place.at("deadline", "timeout_ms").place.key_place(), message)


def _check_memory(server: ServerContract, bare: list[ContractValue]) -> Iterator[Issue]:
    """Yield the first of the *bare* tasks, which have no store."""
    if bare:
        stores = [source.name for source in server.sources if source.kind in STORES]
        cure = f'add "store": "{stores[0]}" to each' if stores else 'name a source of kind redis or nats as "store"'
        message = f"tasks die with the process, and no other replica knows them; {cure}"
        additions = tuple(Addition(task.place, "store", stores[0]) for task in bare) if len(stores) == 1 else ()
        yield Issue("TASK_IN_MEMORY", bare[0].place.key_place(), message, additions=additions)
