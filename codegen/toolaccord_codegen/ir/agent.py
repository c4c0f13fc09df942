"""Contracts of agents, resolved: the compiler's own view, without faults."""

from __future__ import annotations

from dataclasses import dataclass

from toolaccord.contract import agent_contracts
from toolaccord.contract.agents import Batch, Model
from toolaccord.contract.settings import Setting
from toolaccord.contract.sources import Source
from toolaccord_codegen.ir.contract import Contract, Event
from toolaccord_codegen.ir.owners import InFolder
from toolaccord_codegen.ir.sources import list_used_settings
from toolaccord_codegen.ir.tool import Schema, Tool
from toolaccord_codegen.loading.documents import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class UsedTool(agent_contracts.UsedTool):
    """A tool that an agent calls."""

    tool: Tool


@dataclass(frozen=True, slots=True, kw_only=True)
class Use(agent_contracts.Use):
    """A server that an agent uses."""

    server: Contract
    """The server over the transports that speak MCP."""
    tools: tuple[UsedTool, ...]

    @property
    def used_settings(self) -> tuple[str, ...]:
        """Return the names of the settings that configure it."""
        credentials = self.credentials.used_settings if self.credentials else ()
        return tuple(setting for setting in (self.url, self.token, self.command, *credentials) if setting)


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent(InFolder):
    """One agent; `raw_*` are its schemas as written, the others have every reference inlined."""

    document: Document
    declared: agent_contracts.AgentContract
    sources: tuple[Source, ...]
    uses: tuple[Use, ...]
    batch: Batch | None
    events: tuple[Event, ...]
    input: Schema
    output: Schema

    @property
    def identity(self) -> agent_contracts.Agent:
        """Return the part of the contract that names the agent."""
        return self.declared.agent

    @property
    def model(self) -> Model | None:
        """Return its language model."""
        return self.declared.agent.model

    @property
    def scopes(self) -> tuple[str, ...]:
        """Return the scopes that a caller needs."""
        return self.declared.access.scopes if self.declared.access else ()

    @property
    def settings(self) -> tuple[Setting, ...]:
        """Return the settings that it reads from the environment."""
        return self.declared.settings

    @property
    def has_optional_data(self) -> bool:
        """Return True where the handler may answer without the result of a tool."""
        return any(each.if_missing for use in self.clients for each in use.tools)

    @property
    def clients(self) -> tuple[Use, ...]:
        """Return the uses for which the handler gets a client."""
        return tuple(use for use in self.uses if not use.model_only)

    @property
    def handler_sources(self) -> tuple[Source, ...]:
        """Return the sources that the handler gets: all but those of the queue and of tasks."""
        queue, tasks = self.batch.queue if self.batch else None, self.declared.tasks
        hidden = {queue.source if queue else None, tasks.store if tasks else None}
        return tuple(source for source in self.sources if source.name not in hidden)

    @property
    def handler_settings(self) -> tuple[Setting, ...]:
        """Return the settings that nothing but the handler uses."""
        users: list[Use | Model] = [*self.uses, *([self.model] if self.model else [])]
        used = {setting for user in users for setting in user.used_settings}
        used |= {setting for source in self.sources for _, setting in list_used_settings(source)}
        used |= {self.batch.all} if self.batch and self.batch.all else set()
        return tuple(setting for setting in self.settings if setting.name not in used)
