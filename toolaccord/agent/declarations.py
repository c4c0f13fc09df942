"""Declarations of an agent; the compiler writes them, the runner reads them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from toolaccord.contract.agents import AgentTasks, Credentials, IfMissing, Metric, Model, Queue, SharedCache
from toolaccord.contract.settings import Setting
from toolaccord.declarations.tool import Event
from toolaccord.json_values import JsonObject
from toolaccord.sources import SourceDeclaration

if TYPE_CHECKING:  # the compiler imports this module
    from pydantic import BaseModel

    from toolaccord.client.base import ServerClient
    from toolaccord.client.declarations import RemoteTool
    from toolaccord.client.policies import Retry, ToolCache

Request = TypeVar("Request", bound="BaseModel")
Call = TypeVar("Call")
Result = TypeVar("Result", bound="BaseModel")


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """One thing that an agent can do."""

    name: str
    """Lower-case words joined by hyphens."""
    title: str
    """The name that people see."""
    description: str
    """The purpose of the skill, and the occasions to use it."""
    tags: tuple[str, ...] = ()
    """Words by which other agents find it."""
    examples: tuple[str, ...] = ()
    """Questions that it answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """Use of one tool."""

    tool: RemoteTool[Any, Any]
    """The tool, as the client declares it."""
    description: str = ""
    """Its description, for the agent's model."""
    reads: tuple[str, ...] = ()
    """Pointers to what the agent reads of the result; `*` is every item of an array."""
    cache: ToolCache | None = None
    """Lifetime of its results in the agent's cache; None if every call reaches the server."""
    if_missing: IfMissing | None = None
    """Effect of a missing result; None if the agent cannot answer without it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """A server that the handler calls.

    It is at its URL, or else a process that its command starts, or else its module in a process of this Python.
    """

    name: str
    """Field of the call record that holds the client."""
    client: type[ServerClient]
    """Class of the client."""
    version: str
    """Range of the server's versions for which the agent was written, such as `^1`."""
    tools: tuple[ToolUse, ...]
    """The tools that the agent calls."""
    environment: tuple[str, ...]
    """Names of the environment variables that a started server receives: those of its settings."""
    required: tuple[str, ...] = ()
    """Those of them without which it does not start."""
    url: str | None = None
    """Name of the setting with the URL of its endpoint; None if the contract names none."""
    token: str | None = None
    """Name of the setting with the bearer token for that URL."""
    credentials: Credentials | None = None
    """Names of the settings by which the agent gets such tokens; None without them."""
    command: str | None = None
    """Name of the setting with the command that starts it."""
    max_concurrent: int | None = None
    """Largest number of requests to it at once; None without a limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of an agent's work."""

    timeout_ms: int
    """Milliseconds for a request with all of its calls."""
    max_concurrent: int
    """Largest number of requests at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Execution of many requests that differ in one argument."""

    argument: str
    """Member of the request that differs."""
    size: int
    """Number of requests in a batch."""
    delay_ms: int
    """Milliseconds between two batches."""
    min_success_rate: float
    """Share of a batch's requests below which the batch is an error."""
    result: type[BaseModel]
    """Model of a batch's result."""
    schema: JsonObject
    """The schema of a batch's result, everything inlined."""
    all: str | None = None
    """Name of the setting with every value, separated by commas; None without one."""
    queue: Queue | None = None
    """The queue from which processes on several machines take requests; None without one."""

    @property
    def delivery_time(self) -> timedelta | None:
        """Time after that of a request in which its events are sent if their source fails.

        It is None without a queue, and if the batch's result has no place for deferred results. Then the request fails.
        """
        has_place = "deferred" in self.schema["properties"]
        return timedelta(seconds=self.queue.max_age_s) if self.queue and has_place else None


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
