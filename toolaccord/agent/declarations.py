"""Declarations of an agent; the compiler writes them, the runner reads them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from toolaccord.contract.agents import (
    AgentTasks,
    Batch,
    Limits,
    Metric,
    Model,
    ResultUse,
    Retry,
    ServerUse,
    SharedCache,
    Skill,
)
from toolaccord.contract.settings import Setting
from toolaccord.declarations.events import Event
from toolaccord.json_values import JsonObject
from toolaccord.sources import SourceDeclaration

if TYPE_CHECKING:  # the compiler imports this module
    from pydantic import BaseModel

    from toolaccord.client.base import ServerClient
    from toolaccord.client.declarations import RemoteTool

Request = TypeVar("Request", bound="BaseModel")
Call = TypeVar("Call")
Result = TypeVar("Result", bound="BaseModel")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse(ResultUse):
    """Use of one tool."""

    tool: RemoteTool[Any, Any]
    """The tool, as the client declares it."""
    description: str = ""
    """Its description, for the agent's model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Use(ServerUse):
    """A server that the handler calls.

    It is at its URL, or else a process that its command starts, or else its module in a process of this Python.
    """

    client: type[ServerClient]
    """Class of the client."""
    tools: tuple[ToolUse, ...]
    """The tools that the agent calls."""
    environment: tuple[str, ...]
    """Names of the environment variables that a started server receives: those of its settings."""
    required: tuple[str, ...] = ()
    """Those of them without which it does not start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent(Generic[Request, Call, Result]):
    """An agent: its contract and its handler."""

    name: str
    """The name that people and hosts use, in lower-case words joined by hyphens."""
    title: str
    """The name that people see."""
    version: str
    """The version of its contract."""
    description: str
    """The purpose of the agent."""
    instructions: str
    """The system prompt of a model that does the agent's work."""
    settings: tuple[Setting, ...]
    """The settings that it reads from the environment."""
    sources: tuple[SourceDeclaration, ...]
    """The sources that its handler uses beside servers."""
    uses: tuple[Use, ...]
    """The servers that its handler calls."""
    limits: Limits
    """The limits of its work."""
    call: type[Call]
    """The record that the handler takes beside the request.

    It has a field for each client, source and event, `now`, `read_clock`, `corr_id`, and where the contract declares
    them `settings`, `missing`, `model` and `progress`.
    """
    handler_settings: type[Any] | None
    """The record of the settings that the handler reads; None without any."""
    request: type[Request]
    """The model of a request."""
    input: JsonObject
    """The schema of a request, everything inlined."""
    result: type[Result]
    """The model of a result."""
    output: JsonObject
    """The schema of a result, everything inlined."""
    nullable: bool = False
    """True if the output admits null somewhere; otherwise members that are None are left out."""
    handler: Callable[[Request, Call], Awaitable[Result]]
    """The handler, a coroutine function."""
    events: tuple[Event, ...] = ()
    """The events that its handler publishes."""
    model: Model | None = None
    """Its language model; None if it never has one."""
    scopes: tuple[str, ...] = ()
    """The scopes that a caller needs over A2A."""
    skills: tuple[Skill, ...] = ()
    """The things that it can do."""
    cache: SharedCache | None = None
    """The place of cached results; None if each process has its own."""
    tasks: AgentTasks = field(default_factory=AgentTasks)
    """The tasks that requests over A2A become."""
    retry: Retry | None = None
    """Repetition of failed calls; None if none is repeated."""
    batch: Batch | None = None
    """Execution of many requests; None if it has one at a time."""
    metrics: tuple[Metric, ...] = ()
    """The metrics of its results."""
