"""Stores that an operator does without: Redis sources whose address is empty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from toolaccord.declarations.tool import Server

Call = TypeVar("Call")
Policed = TypeVar("Policed")
_POLICIES = ("cache", "rate_limit", "idempotency", "task")
"""Policies of tools that may name a store."""


def drop_absent_stores(server: Server[Call], values: Mapping[str, Any]) -> Server[Call]:
    """Return *server* with policies that do without the stores whose address is empty.

    Each process then caches, counts and paces alone, and keeps its tasks in memory. A source that a tool needs stays as
    it is.
    """
    redis: list[Any] = [source for source in server.sources if source.kind == "redis"]
    absent = {source.name for source in redis if values.get(source.url) == ""} & server.dispensable_sources
    if not absent:
        return server

    def drop(policy: Policed) -> Policed:
        is_absent = getattr(policy, "store", None) in absent
        return replace(policy, store=None) if is_absent else policy  # type: ignore[type-var] # policies are records

    return replace(
        server,
        tools=tuple(replace(tool, **{name: drop(getattr(tool, name)) for name in _POLICIES}) for tool in server.tools),
        resources=tuple(
            replace(each, content=replace(each.read, rate_limit=drop(each.read.rate_limit))) if each.read else each
            for each in server.resources
        ),
        prompts=tuple(replace(prompt, rate_limit=drop(prompt.rate_limit)) for prompt in server.prompts),
        sources=tuple(map(drop, server.sources)),
    )
