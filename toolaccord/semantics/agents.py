"""Parts of agents, as contracts declare them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """The language model of an agent."""

    name: str
    """Name of the setting with the model's name; the agent works without a model if it is empty."""
    url: str
    """Name of the setting with the base URL of an API like OpenAI's."""
    token: str
    """Name of the setting with the API key."""
    preferred: str
    """The model that hosts' configurations name."""
    fallback: str
    """The model that replaces one without the required capabilities."""
    requires: tuple[Literal["tool_calling", "structured_output"], ...]
    """Capabilities without which a model is not used."""
    min_context_window: int
    """Fewest tokens of a model's context."""

    @property
    def used_settings(self) -> tuple[str, ...]:
        """Names of the settings that configure it."""
        return self.name, self.url, self.token


@dataclass(frozen=True, slots=True, kw_only=True)
class IfMissing:
    """Effect of a result that cannot be had, neither from the tool nor from the cache."""

    label: str
    """Name of the missing data; tools may share one."""
    confidence_penalty: float
    """Confidence that the agent's result loses, from 0 to 1, once for each label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedCache:
    """Place in which processes share the cached results of tools."""

    store: str
    """Name of the Redis source; each process goes on alone while it is away."""
    prefix: str
    """Beginning of every key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """A work queue of JetStream, from which any number of processes take requests."""

    source: str
    """Name of the NATS source that carries it."""
    stream: str
    """Name of the stream."""
    subject: str
    """Subject of its messages."""
    max_age_s: int
    """Seconds after the scheduled time from which no request begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A metric of results: a histogram of a number, or a counter."""

    name: str
    """Its name, without the agent's name before it."""
    description: str
    """Its meaning."""
    value: str | None = None
    """Pointer to the number that a histogram observes; None for a counter."""
    buckets: tuple[float, ...] = ()
    """Upper bounds of a histogram's buckets, ascending."""
    when: str | None = None
    """Pointer to a boolean; only results where it is true count. None if all do."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Pointers to the values of its labels, by label."""
