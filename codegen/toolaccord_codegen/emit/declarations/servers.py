"""Declarations of servers."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

from toolaccord.contract.access import Access
from toolaccord.contract.asks import Roots, Sampling
from toolaccord.contract.documents import Ask as LanguageAsk
from toolaccord.contract.prompts import PromptMessage
from toolaccord.contract.resources import Static
from toolaccord.declarations.asks import Ask, Elicitation
from toolaccord.declarations.operation import NO_RESULT, AnyOperation, OlderVersion, Operation
from toolaccord.declarations.prompts import ImageMessage, Prompt, ResourceMessage, TextMessage
from toolaccord.declarations.resources import Completion, Resource, StaticContent, StaticFile
from toolaccord.declarations.tool import Lifespan, Server, Tool
from toolaccord.declarations.views import ViewFile
from toolaccord.semantics.json_pointers import join_pointer
from toolaccord.semantics.version_steps import ABSENT, Step
from toolaccord_codegen.emit.declarations.literals import fill_record, refer
from toolaccord_codegen.emit.declarations.parts import declare_errors, declare_event, declare_source
from toolaccord_codegen.emit.model_schemas import has_nullable_member
from toolaccord_codegen.ir import prompts, resources, tool
from toolaccord_codegen.ir.contract import Contract, Form
from toolaccord_codegen.loading.source_kinds import SourceKinds
from toolaccord_codegen.naming import ConstantName, format_literal


def declare_server(contract: Contract, package: str, kinds: SourceKinds) -> Server[Any]:
    """Declare a server, whose modules are those of *package*."""
    name = contract.class_name
    return fill_record(
        Server,
        contract,
        dialect=refer(ConstantName(contract.dialect.name)),
        sources=tuple(declare_source(contract, source, kinds) for source in contract.sources),
        call=refer(f"{name}Call"),
        handler_settings=refer(f"{name}Settings") if contract.handler_settings else None,
        tools=tuple(_declare_tool(each, package) for each in contract.tools),
        events=tuple(map(declare_event, contract.events)),
        access=contract.declared.access or Access(),
        resources=tuple(_declare_resource(each, package) for each in contract.resources),
        prompts=tuple(_declare_prompt(each, package) for each in contract.prompts),
        changes=refer(f"{name}Changes") if contract.watched_resources else None,
        asks=tuple(map(_declare_ask, contract.asks)),
        lifespan=Lifespan(refer(f"{name}Start"), refer("handlers.lifespan")) if contract.lifespan else None,
    )


def _declare_ask(ask: LanguageAsk) -> Ask:
    """Declare an ask, without what only the types of handlers need."""
    if isinstance(ask, Sampling):
        return replace(ask, description="", parameters={})
    if isinstance(ask, Form):
        form, answer = refer(f"schemas.{ask.constant}_FORM"), refer(f"models.{ask.class_name}")
        return fill_record(Elicitation, ask, description="", parameters={}, schema=form, answer=answer)
    return Roots(name=ask.name, optional=ask.optional)


def _declare_tool(each: tool.Tool, package: str) -> Tool[Any, Any, Any]:
    return fill_record(
        Tool,
        each,
        request=refer(f"models.{each.class_name}Request"),
        parameters=refer(f"schemas.{each.constant}_PARAMETERS"),
        returns=refer(f"schemas.{each.constant}_RETURNS") if each.has_result else NO_RESULT,
        handler=refer(f"handlers.{each.function}"),
        publishes=each.effects.publishes,
        errors=declare_errors(each.errors),
        conditions=each.argument_conditions,
        paginated=each.pagination is not None,
        nullable_results=has_nullable_member(each.returns, required=True),
        versions=tuple(_declare_version(each, older) for older in each.versions),
        released_on=_read_day(each.released_on),
        scopes=each.access.scopes if each.access else (),
        view=ViewFile(package, each.view_copy.file) if each.view_copy else None,
    )


def _declare_version(each: tool.Tool, older: tool.OlderVersion) -> OlderVersion:
    days = {key: _read_day(getattr(older, key)) for key in ("released_on", "deprecated_on", "sunset_on")}
    returns = refer(f"schemas.{each.constant}_RETURNS_{older.constant}") if each.has_result else NO_RESULT
    return OlderVersion(
        version=older.version,
        parameters=refer(f"schemas.{each.constant}_PARAMETERS_{older.constant}"),
        returns=returns,
        parameter_steps=tuple(_declare_step(step, "") for step in older.parameter_steps),
        result_steps=tuple(_declare_step(step, "_back") for step in older.result_steps),
        **days,
    )


def _read_day(day: str | None) -> date | None:
    return date.fromisoformat(day) if day else None


def _declare_step(step: Step, suffix: str) -> Any:
    """Declare a step by the function that makes it; *suffix* ends the name of a lookup function."""
    arguments = [format_literal(join_pointer("", *path)) for path in (step.source, step.target) if path]
    if step.constant is not ABSENT:
        arguments.append(format_literal(step.constant))
    if step.values:
        arguments.append(f"values={step.values!r}")
    if step.lookup:
        arguments.append(f"lookup=handlers.{step.lookup}{suffix}")
    function = "add" if not step.source else "move" if step.target else "drop"
    return refer(f"{function}({', '.join(arguments)})")


def _declare_resource(each: resources.Resource, package: str) -> Resource[Any]:
    return fill_record(
        Resource,
        each,
        kind=each.content,
        content=_declare_static(each.static, package) if each.static else _declare_read(each),
        scopes=each.access.scopes if each.access else (),
        completions=tuple(map(_declare_completion, each.completions)),
    )


def _declare_static(static: Static, package: str) -> StaticContent:
    return static.text or "" if static.file is None else StaticFile(package, static.file)


def _declare_read(each: resources.Resource) -> AnyOperation:
    returns = each.returns
    return fill_record(
        Operation,
        each,
        request=refer(f"models.{each.class_name}Request"),
        parameters=refer(f"schemas.{each.constant}_PARAMETERS"),
        returns=NO_RESULT if returns is None else refer(f"schemas.{each.constant}_RETURNS"),
        content=(),
        cache=None,
        nullable_results=returns is not None and has_nullable_member(returns, required=True),
        errors=declare_errors(each.errors),
        handler=refer(f"handlers.{each.function}"),
    )


def _declare_completion(each: resources.Completion) -> Completion[Any]:
    handler = refer(f"handlers.{each.function}") if each.values is None else None
    return Completion(member=each.member, values=each.values or (), handler=handler, ttl_s=each.ttl_s)


def _declare_prompt(each: prompts.Prompt, package: str) -> Prompt[Any]:
    return fill_record(
        Prompt,
        each,
        request=refer(f"models.{each.class_name}Request"),
        parameters=refer(f"schemas.{each.constant}_PARAMETERS"),
        messages=tuple(_declare_message(message, package) for message in each.messages),
        handler=None if each.messages else refer(f"handlers.{each.function}"),
        errors=declare_errors(each.errors),
        scopes=each.access.scopes if each.access else (),
        completions=tuple(map(_declare_completion, each.completions)),
    )


def _declare_message(message: PromptMessage, package: str) -> TextMessage | ImageMessage | ResourceMessage:
    if message.image:
        return ImageMessage(message.role, StaticFile(package, message.image.file), message.image.mime_type)
    if message.text:
        return TextMessage(message.role, message.text)
    return ResourceMessage(message.role, message.resource or "")
