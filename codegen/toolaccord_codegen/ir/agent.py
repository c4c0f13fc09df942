"""Contracts of agents as frozen records, without faults."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

from toolaccord.contract.agents import IfMissing, Metric, Model, Queue, SharedCache
from toolaccord.contract.settings import Setting
from toolaccord_codegen.ir.contract import Contract, Event, Source
from toolaccord_codegen.ir.tool import Schema, Tool
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.naming import ClassName


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """One thing that an agent can do."""

    name: str
    title: str
    description: str
    steps: tuple[str, ...]
    output: str | None
    """The form of the answer; None where the contract does not say."""
    tags: tuple[str, ...]
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultCache:
    """Caching of a used tool's results by an agent."""

    ttl_s: float
    stale_if_error_s: float | None
    """Largest age in seconds of a result that replaces a failed call; None where none does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UsedTool:
    """A tool that an agent calls."""

    tool: Tool
    reads: tuple[str, ...]
    """Pointers to what the agent reads of its result."""
    cache: ResultCache | None
    if_missing: IfMissing | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """A server that an agent uses."""

    name: str
    server: Contract
    """The server over the transports that speak MCP."""
    version: str
    """The range of versions, such as `^1`."""
    url: str | None
    """The setting with the URL of its endpoint; None where the agent always starts it."""
    token: str | None
    command: str | None
    max_concurrent: int | None
    model_only: bool
    """True where the handler gets no client."""
    tools: tuple[UsedTool, ...]

    @property
    def used_settings(self) -> tuple[str, ...]:
        """Return the names of the settings that configure it."""
        return tuple(setting for setting in (self.url, self.token, self.command) if setting)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """Repetition of calls that fail for a retryable reason."""

    max_attempts: int
    initial_delay_ms: int
    max_delay_ms: int
    multiplier: float
    jitter: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of an agent's work."""

    timeout_ms: int
    p95_ms: int | None
    max_concurrent: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Execution of many requests that differ in one argument."""

    argument: str
    all: str | None
    """The setting with every value of the argument; None where there is none."""
    size: int
    delay_ms: int
    min_success_rate: float
    raw_result: Schema
    result: Schema
    """The schema of its result, with every reference inlined."""
    queue: Queue | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """One agent; `raw_*` are its schemas as written, the others have every reference inlined."""

    document: Document
    name: str
    title: str
    version: str
    description: str
    instructions: str
    model: Model | None
    skills: tuple[Skill, ...]
    settings: tuple[Setting, ...]
    sources: tuple[Source, ...]
    uses: tuple[Use, ...]
    cache: SharedCache | None
    retry: Retry | None
    limits: Limits
    batch: Batch | None
    events: tuple[Event, ...]
    metrics: tuple[Metric, ...]
    progress: bool
    """True where the handler reports progress."""
    raw_input: Schema
    raw_output: Schema
    input: Schema
    output: Schema

    @property
    def system(self) -> str:
        """Return the name of the folder that holds the contract."""
        return PurePosixPath(self.document.name).parts[0]

    @property
    def module(self) -> str:
        """Return the Python name of the agent's modules."""
        return PurePosixPath(self.document.name).stem

    @property
    def class_name(self) -> str:
        """Return the prefix of its records' names."""
        return ClassName(self.module)

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
        """Return the sources that the handler gets: all but that of the queue."""
        queue = self.batch.queue if self.batch else None
        return tuple(source for source in self.sources if not queue or source.name != queue.source)

    @property
    def handler_settings(self) -> tuple[Setting, ...]:
        """Return the settings that nothing but the handler uses."""
        users: list[Source | Use | Model] = [*self.sources, *self.uses, *([self.model] if self.model else [])]
        used = {setting for user in users for setting in user.used_settings}
        used |= {self.batch.all} if self.batch and self.batch.all else set()
        return tuple(setting for setting in self.settings if setting.name not in used)
