"""Parts that the declarations of servers, agents and clients share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from toolaccord.contract.source_kinds.http import HttpSource
from toolaccord.contract.source_kinds.postgresql import PostgresqlSource
from toolaccord.contract.sources import Source
from toolaccord.declarations.causes import DeclaredError
from toolaccord.declarations.events import Event
from toolaccord_codegen.emit.declarations.literals import fill_record, refer
from toolaccord_codegen.emit.model_schemas import has_nullable_member
from toolaccord_codegen.ir.agent import Agent
from toolaccord_codegen.ir.contract import Contract
from toolaccord_codegen.ir.contract import Event as ResolvedEvent
from toolaccord_codegen.ir.privileges import collect_privileges
from toolaccord_codegen.ir.sources import list_values
from toolaccord_codegen.ir.tool import ErrorCode
from toolaccord_codegen.loading.source_kinds import SourceKinds
from toolaccord_codegen.naming import NameReference, format_call


def declare_errors(errors: Iterable[ErrorCode]) -> tuple[DeclaredError, ...]:
    """Declare errors with their causes."""
    return tuple(DeclaredError(refer(f"errors.{error.class_name}"), error.when) for error in errors)


def declare_event(event: ResolvedEvent) -> Event:
    """Declare an event."""
    return fill_record(
        Event,
        event,
        description="",
        payload=refer(f"schemas.{event.constant}_PAYLOAD"),
        nullable=has_nullable_member(event.payload, required=True),
    )


def declare_source(owner: Contract | Agent, source: Source, kinds: SourceKinds) -> NameReference:
    """Declare a source; its class may be that of a package which the compiler does not import."""
    if isinstance(source, PostgresqlSource):
        tables = tuple(collect_privileges(owner, source.name)) if isinstance(owner, Contract) else ()
        source = replace(source, system=owner.system, tables=tables)
    if isinstance(source, HttpSource):
        source = replace(source, client=f"{owner.name}/{owner.version}")
    return NameReference(format_call(kinds.find(source.kind).declaration, list_values(source)))
