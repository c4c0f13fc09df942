"""Declarations of agents."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from toolaccord.agent.declarations import Agent, ToolUse, Use
from toolaccord.contract.agents import AgentTasks
from toolaccord_codegen.emit.declarations.literals import fill_record, refer
from toolaccord_codegen.emit.declarations.parts import declare_event, declare_source
from toolaccord_codegen.emit.model_schemas import has_nullable_member
from toolaccord_codegen.ir import agent
from toolaccord_codegen.loading.source_kinds import SourceKinds


def declare_agent(each: agent.Agent, kinds: SourceKinds, request: str, result: str) -> Agent[Any, Any, Any]:
    """Declare an agent; *request* and *result* are its models."""
    declared, name = each.declared, each.class_name
    return fill_record(
        Agent,
        each,
        sources=tuple(declare_source(each, source, kinds) for source in each.sources),
        uses=tuple(_declare_use(use, has_model=each.model is not None) for use in each.clients),
        limits=declared.limits,
        call=refer(f"{name}Call"),
        handler_settings=refer(f"{name}Settings") if each.handler_settings else None,
        request=refer(request),
        input=refer("schemas.INPUT"),
        result=refer(result),
        output=refer("schemas.OUTPUT"),
        nullable=has_nullable_member(each.output, required=True),
        handler=refer("handler.answer"),
        events=tuple(map(declare_event, each.events)),
        skills=tuple(replace(skill, steps=(), output=None) for skill in declared.agent.skills),
        cache=declared.cache,
        tasks=declared.tasks or AgentTasks(),
        retry=declared.retry,
        batch=replace(each.batch, result=refer("schemas.BATCH_RESULT")) if each.batch else None,
        metrics=declared.metrics,
    )


def _declare_use(use: agent.Use, *, has_model: bool) -> Use:
    client = f"{use.name}_client"
    return fill_record(
        Use,
        use,
        client=refer(f"{client}.{use.server.class_name}Client"),
        environment=tuple(setting.env for setting in use.server.settings),
        required=tuple(setting.env for setting in use.server.on("stdio").settings if setting.required),
        tools=tuple(
            fill_record(
                ToolUse,
                used,
                tool=refer(f"{client}.{used.tool.constant}"),
                description=used.tool.description if has_model else "",
            )
            for used in use.tools
        ),
    )
