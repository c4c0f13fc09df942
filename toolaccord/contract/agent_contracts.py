"""Contracts of agents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from toolaccord.contract.access import AgentAccess
from toolaccord.contract.agents import AgentTasks, Credentials, IfMissing, Metric, Model, Queue, SharedCache
from toolaccord.contract.constraints import ByName, Constraint
from toolaccord.contract.documents import DOCUMENT_KEYS, Events, Settings
from toolaccord.contract.sources import Sources
from toolaccord.contract.texts import (
    Count,
    Delay,
    Duration,
    Flag,
    KeyName,
    LanguageVersion,
    Milliseconds,
    ResultPointer,
    Schema,
    SettingName,
    Share,
    SkillName,
    SnakeName,
    Text,
    Version,
    VersionRange,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentContract:
    """Contract of one agent: a client of servers, with one handler."""

    keywords: ClassVar[Mapping[str, Any]] = {
        **DOCUMENT_KEYS,
        "properties": {
            **DOCUMENT_KEYS["properties"],
            "server": {"not": {}, "description": "A contract is of a server or of an agent; write two files."},
        },
    }

    contract: LanguageVersion
    agent: Agent
    access: AgentAccess | None = None
    settings: Settings = ()
    sources: Sources = ()
    uses: Annotated[tuple[Use, ...], ByName(SnakeName), Constraint(minProperties=1)]
    """Servers that the agent uses, by the name of the client that its handler gets.

    At least one.
    """
    cache: SharedCache | None = None
    tasks: AgentTasks | None = None
    retry: Retry | None = None
    limits: Limits
    batch: Batch | None = None
    events: Events = ()
    metrics: Annotated[tuple[Metric, ...], ByName(SnakeName)] = ()
    """Metrics of the agent's results, by name.

    The agent's name in snake_case and _ come before it.
    """
    progress: Flag = False
    """If true, the handler reports progress with call.progress."""
    input: Schema
    """Schema of a request: an object that states additionalProperties."""
    output: Schema
    """Schema of the result: an object."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """Identity of the agent."""

    name: SkillName
    """Name of the agent, e.g. signal-generator."""
    title: Text
    """Display name."""
    version: Version
    description: Text
    """Purpose of the agent, in one sentence."""
    instructions: Text
    """System prompt of a model that does the agent's work."""
    model: Model | None = None
    skills: Annotated[tuple[Skill, ...], Constraint(minItems=1)] = ()
    """Skills. Each becomes a SKILL.md for hosts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """One thing that the agent can do."""

    name: SkillName
    title: Text | None = None
    """Display name; the name if absent."""
    description: Annotated[str, Constraint(pattern=r"^[^\u0000-\u001f]*\S[^\u0000-\u001f]*$", maxLength=1024)]
    """Purpose of the skill, and the occasions to use it; one line, at most 1024 characters."""
    steps: Annotated[tuple[Text, ...], Constraint(minItems=1)]
    """Steps, in their order."""
    output: Text | None = None
    """Form of the answer."""
    tags: Annotated[tuple[Text, ...], Constraint(minItems=1, uniqueItems=True)] = ()
    """Words by which other agents find the skill."""
    examples: Annotated[tuple[Text, ...], Constraint(minItems=1)] = ()
    """Questions that the skill answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """A server that the agent uses. It is reached at its url, or else started with its command."""

    name: KeyName
    contract: Annotated[str, Constraint(pattern=r"\.json$")]
    """Path of the server's contract from this file, e.g. ../tradestream/strategy.json."""
    version: VersionRange
    url: SettingName | None = None
    """Setting with the URL of the server's MCP endpoint.

    If it is empty, the agent starts the server.
    """
    token: SettingName | None = None
    """Setting with the bearer token for the url."""
    credentials: Credentials | None = None
    command: SettingName | None = None
    """Setting with the command that starts the server, divided as a shell does.

    If it is empty, Python runs the server's module.
    """
    max_concurrent: Count | None = None
    """Maximum number of requests to the server at once."""
    model_only: Flag = False
    """If true, only a model in a host uses the server, and the handler gets no client."""
    tools: Annotated[tuple[UsedTool, ...], ByName(str), Constraint(minProperties=1)]
    """Tools that the agent calls, by name. At least one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UsedTool:
    """Use of one tool."""

    name: KeyName
    reads: Annotated[tuple[ResultPointer, ...], Constraint(minItems=1, uniqueItems=True)] = ()
    """Parts of the result that the agent reads, as JSON pointers; * is every item of an array."""
    cache: ResultCache | None = None
    if_missing: IfMissing | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultCache:
    """Caching of a used tool's results by the agent."""

    ttl_s: Duration
    """Seconds for which a result replaces a call."""
    stale_if_error_s: Duration | None = None
    """Maximum age in seconds of a result that replaces a failed call. None does if absent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """Repetition of calls that fail for a retryable reason.

    A call that writes is never repeated.
    """

    max_attempts: Annotated[int, Constraint(minimum=1, maximum=10)]
    """Maximum number of attempts, including the first."""
    initial_delay_ms: Delay
    """Milliseconds before the first retry."""
    max_delay_ms: Delay
    """Maximum milliseconds before a retry."""
    multiplier: Annotated[float, Constraint(minimum=1, maximum=10)]
    """Factor from one delay to the next."""
    jitter: Share
    """Maximum share of a delay that is added to it at random."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of the agent's work."""

    timeout_ms: Milliseconds
    """Milliseconds for a request with all of its calls."""
    p95_ms: Milliseconds | None = None
    """Target of the 95th percentile of a request's duration, in milliseconds.

    Prometheus rules alert if it is missed.
    """
    max_concurrent: Count
    """Maximum number of requests at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Execution of many requests that differ in one argument."""

    argument: str
    """Member of the input that differs. It is a string, and the only required member."""
    all: SettingName | None = None
    """Setting with every value of the argument, separated by commas."""
    size: Count
    """Number of requests in a batch."""
    delay_ms: Delay
    """Milliseconds between two batches."""
    min_success_rate: Share
    """Share of a batch's requests that must succeed.

    Below it the batch is logged as an error, and Prometheus rules alert.
    """
    result: Schema
    """Schema of a batch's result: an object with the lists successful (results), partial
    (objects with a result, missing_data and confidence_penalty) and failed (objects with the argument, error,
    error_type and retries_attempted), and with success_rate. Two lists of results are optional: duplicate, whose events
    were published before, and deferred, whose events wait for their source until max_age_s of the queue. Without
    deferred, such a request fails.
    """
    queue: Queue | None = None
