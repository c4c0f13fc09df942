"""Parts of agents that a running agent has as its contract declares them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Final, Literal

from toolaccord.contract.policies import ToolCache

if TYPE_CHECKING:
    from toolaccord.contract.constraints import Constraint, Counts, Required, Uncounted
    from toolaccord.contract.texts import (
        Count,
        Delay,
        KeyName,
        Milliseconds,
        ModelName,
        ResultPointer,
        Schema,
        SettingName,
        Share,
        SkillName,
        SnakeName,
        Target,
        Text,
        VersionRange,
    )

UNPUBLISHED: Final = ("duplicate", "deferred")
"""Optional lists of a batch's results whose event was published before, or is sent later."""
_ANSWER_S = 3
"""Seconds after a request's timeout in which its worker tells the queue of the outcome."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """The language model of the agent, behind an API like OpenAI's."""

    name: Annotated[SettingName, Counts("MODEL_CHANGED")]
    """Setting with the model's name. If it is empty, the agent works without a model."""
    url: Annotated[SettingName, Counts("MODEL_CHANGED")]
    """Setting with the base URL of the API."""
    token: Annotated[SettingName, Counts("MODEL_CHANGED")]
    """Setting with the API key."""
    preferred: Annotated[ModelName, Counts("MODEL_CHANGED")]
    """Model that hosts' configurations name."""
    fallback: Annotated[ModelName, Counts("MODEL_CHANGED")]
    """Model that replaces one without the required capabilities."""
    requires: Annotated[
        tuple[Literal["tool_calling", "structured_output"], ...],
        Constraint(minItems=1, uniqueItems=True),
        Counts("MODEL_CHANGED"),
    ]
    """Capabilities without which a model is not used."""
    min_context_window: Annotated[int, Constraint(minimum=1), Counts("MODEL_CHANGED")]
    """Fewest tokens of a model's context."""

    @property
    def used_settings(self) -> tuple[str, ...]:
        """Names of the settings that configure it."""
        return self.name, self.url, self.token


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """Settings by which the agent gets tokens for the url from an authorization server.

    If all are empty, it has none.
    """

    issuer: SettingName
    """Setting with the URL of the authorization server, as its metadata has it."""
    client_id: SettingName
    """Setting with the id by which that server knows the agent."""
    client_secret: SettingName
    """Setting with its secret."""

    @property
    def used_settings(self) -> tuple[str, ...]:
        """Names of the settings."""
        return self.issuer, self.client_id, self.client_secret


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
class IfMissing:
    """Effect of a result that cannot be had, neither from the tool nor from the cache."""

    label: SnakeName
    """Name of the missing data."""
    confidence_penalty: Share
    """Confidence that the agent's result loses, from 0 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedCache:
    """Place in which processes share the cached results of used tools.

    Without it each process has its own, as while the store is away.
    """

    store: str
    """Redis source that holds the results."""
    prefix: Annotated[str, Constraint(pattern=r"^\S+$", maxLength=100)]
    """Beginning of every key, e.g. signal-gen:cache:."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentTasks:
    """Requests of other agents over A2A, each of which is a task."""

    store: Annotated[str, Counts("TASK_STORE_CHANGED", subject="")] | None = None
    """Source of kind redis or nats with the tasks and their queue. Handlers do not get it.

    Without it, or if its address is empty, tasks live in the memory of one process.
    """
    ttl_s: Annotated[
        int, Constraint(minimum=1, maximum=2592000), Counts(raised="TASK_TTL_EXTENDED", lowered="TASK_TTL_SHORTENED")
    ] = 3600
    """Seconds from its creation for which a task can be read; then its result is gone."""
    max_waiting: Annotated[int, Constraint(minimum=1, maximum=1000000), Counts("TASK_CHANGED")] = 100
    """Largest number of tasks that wait for a worker.

    A further message is rejected as overload.
    """
    redeliver_after_s: Annotated[float, Constraint(minimum=1, maximum=3600), Counts("TASK_CHANGED")] = 30
    """Seconds after which the task of a silent process goes to another one."""
    max_attempts: Annotated[int, Constraint(minimum=1, maximum=100), Counts("TASK_CHANGED")] = 3
    """Number of processes that may die with a task; then it has failed."""
    max_result_bytes: Annotated[
        int,
        Constraint(minimum=1024, maximum=16777216),
        Counts(raised="TASK_RESULT_RAISED", lowered="TASK_RESULT_LOWERED"),
    ] = 524288
    """Size beyond which the result of a task is an error; 921600 at most in a nats source."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """A work queue, from which processes take the values of the argument, each as a task."""

    source: Annotated[str, Counts("QUEUE_CHANGED", subject="queuesource")]
    """Nats source that keeps its tasks. Handlers do not get it."""
    stream: Annotated[
        str, Constraint(pattern=r"^[A-Za-z0-9_-]+$", maxLength=255), Counts("QUEUE_CHANGED", subject="queuestream")
    ]
    """Name of the queue among those of the agent."""
    subject: (
        Annotated[
            str,
            Constraint(pattern=r"^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$", maxLength=255),
            Uncounted("it has no effect"),
        ]
        | None
    ) = None
    """Subject of the messages that the queue once had; it has no effect."""
    max_age_s: Annotated[int, Constraint(minimum=1, maximum=86400), Counts("POLICY_CHANGED", subject="queuemax_age_s")]
    """Seconds after the scheduled time from which no request begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A metric of results: a counter, or a histogram of a number."""

    name: KeyName
    """Its name, without the agent's name before it."""
    kind: Annotated[Literal["counter", "histogram"], Required()] = "counter"
    """Kind of the metric."""
    description: Annotated[Text, Counts("DESCRIPTION_CHANGED", subject="")]
    """Meaning of the metric."""
    value: ResultPointer | None = None
    """Number in the result that a histogram observes."""
    buckets: Annotated[tuple[float, ...], Constraint(minItems=1)] = ()
    """Upper bounds of a histogram's buckets, ascending."""
    when: ResultPointer | None = None
    """Boolean in the result. Only results where it is true count."""
    labels: Mapping[SnakeName, ResultPointer] = field(default_factory=dict)
    """Values in the result that become labels, by label.

    Each has an enum, a const or the type boolean.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """One thing that the agent can do."""

    name: SkillName
    title: Text | None = None
    """Display name; the name if absent."""
    description: Annotated[str, Constraint(pattern=r"^[^\u0000-\u001f]*\S[^\u0000-\u001f]*$", maxLength=1024)]
    """Purpose of the skill, and the occasions to use it; one line, at most 1024 characters."""
    steps: Annotated[tuple[Text, ...], Constraint(minItems=1), Required()] = ()
    """Steps, in their order."""
    output: Text | None = None
    """Form of the answer."""
    tags: Annotated[tuple[Text, ...], Constraint(minItems=1, uniqueItems=True)] = ()
    """Words by which other agents find the skill."""
    examples: Annotated[tuple[Text, ...], Constraint(minItems=1)] = ()
    """Questions that the skill answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerUse:
    """The address of a server that an agent uses, and its limits."""

    name: KeyName
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultUse:
    """Use of a tool's results."""

    reads: Annotated[tuple[ResultPointer, ...], Constraint(minItems=1, uniqueItems=True)] = ()
    """Parts of the result that the agent reads, as JSON pointers; * is every item of an array."""
    cache: ToolCache | None = None
    if_missing: IfMissing | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of the agent's work."""

    timeout_ms: Annotated[Milliseconds, Counts(raised="TIMEOUT_RAISED", lowered="TIMEOUT_LOWERED")]
    """Milliseconds for a request with all of its calls."""
    p95_ms: Target | None = None
    """Target of the 95th percentile of a request's duration, in milliseconds.

    Prometheus rules alert if it is missed.
    """
    max_concurrent: Annotated[Count, Counts("POLICY_CHANGED", subject="limits.max_concurrent")]
    """Maximum number of requests at once."""

    @property
    def redelivery_s(self) -> float:
        """Seconds after which a request of a worker that died goes to another one."""
        return self.timeout_ms / 1000 + _ANSWER_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Execution of many requests that differ in one argument."""

    argument: Annotated[str, Counts("BATCH_CHANGED", removed="BATCH_CHANGED", subject="batch")]
    """Member of the input that differs. It is a string, and the only required member."""
    all: Annotated[SettingName, Counts("POLICY_CHANGED", subject="batch.all")] | None = None
    """Setting with every value of the argument, separated by commas."""
    size: Annotated[Count, Counts("POLICY_CHANGED", subject="batch.size")]
    """Number of requests in a batch."""
    delay_ms: Annotated[Delay, Counts("POLICY_CHANGED", subject="batch.delay_ms")]
    """Milliseconds between two batches."""
    min_success_rate: Annotated[Share, Counts("POLICY_CHANGED", subject="batch.min_success_rate")]
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
    queue: Annotated[Queue, Counts(added="QUEUE_ADDED", removed="QUEUE_REMOVED")] | None = None

    @property
    def delivery_time(self) -> timedelta | None:
        """Time after that of a request in which its events are sent if their source fails.

        It is None without a queue, and if the batch's result has no place for deferred results. Then the request fails.
        """
        has_place = "deferred" in self.result["properties"]
        return timedelta(seconds=self.queue.max_age_s) if self.queue and has_place else None
