"""Contracts of agents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from toolaccord.contract.access import AgentAccess
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
from toolaccord.contract.constraints import ByName, Constraint, Counts, Judged, Uncounted
from toolaccord.contract.documents import DOCUMENT_KEYS, Events, Settings
from toolaccord.contract.sources import Sources
from toolaccord.contract.texts import (
    Advice,
    Flag,
    Instructions,
    KeyName,
    LanguageVersion,
    Schema,
    SkillName,
    SnakeName,
    Title,
    Version,
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

    contract: Annotated[LanguageVersion, Uncounted("its values mean the same")]
    agent: Agent
    access: AgentAccess | None = None
    settings: Settings = ()
    sources: Sources = ()
    uses: Annotated[tuple[Use, ...], ByName(SnakeName), Constraint(minProperties=1), Judged("each as a whole")]
    """Servers that the agent uses, by the name of the client that its handler gets.

    At least one.
    """
    cache: Annotated[SharedCache, Counts("POLICY_CHANGED")] | None = None
    tasks: AgentTasks | None = None
    retry: Annotated[Retry, Counts("POLICY_CHANGED")] | None = None
    limits: Limits
    batch: Batch | None = None
    events: Events = ()
    metrics: Annotated[tuple[Metric, ...], ByName(SnakeName), Judged("each as a whole, but for its description")] = ()
    """Metrics of the agent's results, by name.

    The agent's name in snake_case and _ come before it.
    """
    progress: Annotated[Flag, Counts(added="PROGRESS_ADDED", removed="PROGRESS_REMOVED")] = False
    """If true, the handler reports progress with call.progress."""
    input: Schema
    """Schema of a request: an object that states additionalProperties."""
    output: Schema
    """Schema of the result: an object."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """Identity of the agent."""

    name: Annotated[SkillName, Counts("AGENT_RENAMED", subject="")]
    """Name of the agent, e.g. signal-generator."""
    title: Title
    """Display name."""
    version: Annotated[Version, Judged("it grows as the changes require")]
    description: Advice
    """Purpose of the agent, in one sentence."""
    instructions: Instructions
    """System prompt of a model that does the agent's work."""
    model: Model | None = None
    skills: Annotated[tuple[Skill, ...], Constraint(minItems=1), Judged("each as a whole")] = ()
    """Skills. Each becomes a SKILL.md for hosts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Use(ServerUse):
    """A server that the agent uses. It is reached at its url, or else started with its command."""

    contract: Annotated[str, Constraint(pattern=r"\.json$")]
    """Path of the server's contract from this file, e.g. ../tradestream/strategy.json."""
    model_only: Flag = False
    """If true, only a model in a host uses the server, and the handler gets no client."""
    tools: Annotated[tuple[UsedTool, ...], ByName(str), Constraint(minProperties=1)]
    """Tools that the agent calls, by name. At least one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UsedTool(ResultUse):
    """Use of one tool."""

    name: KeyName
