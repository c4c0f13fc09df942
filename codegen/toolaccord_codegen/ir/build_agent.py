"""Building of agents' records from contracts in which no rule found a fault."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolaccord.contract.agents import IfMissing, Metric, Model, Queue, SharedCache
from toolaccord_codegen.ir.agent import Agent, Batch, Limits, ResultCache, Retry, Skill, Use, UsedTool
from toolaccord_codegen.ir.build import build_event, build_setting, build_source
from toolaccord_codegen.ir.contract import MCP_TRANSPORTS, Contract
from toolaccord_codegen.loading.documents import Document, resolve_path
from toolaccord_codegen.loading.records import read_record
from toolaccord_codegen.loading.references import SchemaLibrary


def build_agent(library: SchemaLibrary, document: Document, servers: Mapping[str, Contract]) -> Agent:
    """Build the record of an agent; *servers* are the contracts of servers by path."""
    value = document.value
    agent = value["agent"]
    return Agent(
        document=document,
        name=agent["name"],
        title=agent["title"],
        version=agent["version"],
        description=agent["description"],
        instructions=agent["instructions"],
        model=read_record(Model, agent["model"]) if "model" in agent else None,
        skills=tuple(map(_build_skill, agent.get("skills", ()))),
        settings=tuple(build_setting(name, setting) for name, setting in value.get("settings", {}).items()),
        sources=tuple(build_source(name, source) for name, source in value.get("sources", {}).items()),
        uses=tuple(
            _build_use(name, use, servers[resolve_path(document, use["contract"])])
            for name, use in value["uses"].items()
        ),
        cache=read_record(SharedCache, value["cache"]) if "cache" in value else None,
        retry=_build_retry(value["retry"]) if "retry" in value else None,
        limits=_build_limits(value["limits"]),
        batch=_build_batch(library, document, value["batch"]) if "batch" in value else None,
        events=tuple(build_event(library, document, *event) for event in value.get("events", {}).items()),
        metrics=tuple(read_record(Metric, metric, name=name) for name, metric in value.get("metrics", {}).items()),
        progress="progress" in value,
        raw_input=value["input"],
        raw_output=value["output"],
        input=library.inline(document, value["input"]),
        output=library.inline(document, value["output"]),
    )


def _build_skill(skill: Mapping[str, Any]) -> Skill:
    """Build the record of a skill."""
    return Skill(
        name=skill["name"],
        title=skill.get("title", skill["name"]),
        description=skill["description"],
        steps=tuple(skill["steps"]),
        output=skill.get("output"),
        tags=tuple(skill.get("tags", ())),
        examples=tuple(skill.get("examples", ())),
    )


def _build_use(name: str, use: Mapping[str, Any], server: Contract) -> Use:
    """Build the record of a used server."""
    served = server.on(*MCP_TRANSPORTS)
    tools = {tool.name: tool for tool in served.tools}
    return Use(
        name=name,
        server=served,
        version=use["version"],
        **{key: use[key]["setting"] if key in use else None for key in ("url", "token", "command")},
        max_concurrent=int(use["max_concurrent"]) if "max_concurrent" in use else None,
        model_only="model_only" in use,
        tools=tuple(
            UsedTool(
                tool=tools[tool],
                reads=tuple(part.get("reads", ())),
                cache=_build_result_cache(part["cache"]) if "cache" in part else None,
                if_missing=read_record(IfMissing, part["if_missing"]) if "if_missing" in part else None,
            )
            for tool, part in use["tools"].items()
        ),
    )


def _build_result_cache(cache: Mapping[str, Any]) -> ResultCache:
    """Build the record of a used tool's cache."""
    return ResultCache(ttl_s=cache["ttl_s"], stale_if_error_s=cache.get("stale_if_error_s"))


def _build_retry(retry: Mapping[str, Any]) -> Retry:
    """Build the record of repeated calls."""
    whole = {key: int(retry[key]) for key in ("max_attempts", "initial_delay_ms", "max_delay_ms")}
    return Retry(**whole, multiplier=retry["multiplier"], jitter=retry["jitter"])


def _build_limits(limits: Mapping[str, Any]) -> Limits:
    """Build the record of an agent's limits."""
    return Limits(
        timeout_ms=int(limits["timeout_ms"]),
        p95_ms=int(limits["p95_ms"]) if "p95_ms" in limits else None,
        max_concurrent=int(limits["max_concurrent"]),
    )


def _build_batch(library: SchemaLibrary, document: Document, batch: Mapping[str, Any]) -> Batch:
    """Build the record of an agent's batches."""
    return Batch(
        argument=batch["argument"],
        all=batch["all"]["setting"] if "all" in batch else None,
        size=int(batch["size"]),
        delay_ms=int(batch["delay_ms"]),
        min_success_rate=batch["min_success_rate"],
        raw_result=batch["result"],
        result=library.inline(document, batch["result"]),
        queue=read_record(Queue, batch["queue"]) if "queue" in batch else None,
    )
