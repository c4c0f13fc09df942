"""Declarations: what a server and its tools are, as the compiler writes them and the pipeline reads them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from pydantic import BaseModel

from toolpact import json_values
from toolpact.declarations.dialects import Dialect
from toolpact.declarations.settings import Setting
from toolpact.declarations.version_steps import Step
from toolpact.errors import ToolError
from toolpact.sources import SourceDeclaration

Request = TypeVar("Request", bound=BaseModel)
Call = TypeVar("Call")
Result = TypeVar("Result")

JsonObject: TypeAlias = json_values.JsonObject

Occasion: TypeAlias = Literal["source", "deadline", "conflict"]


@dataclass(frozen=True, slots=True)
class At:
    """An error arises where arguments break the contract at one of these places."""

    pointers: tuple[str, ...]
    """JSON pointers into the arguments; each stands for everything below it too."""
    keyword: str | None = None
    """The only keyword of the schema that counts; None for all."""


@dataclass(frozen=True, slots=True)
class On:
    """An error arises on an occasion outside the handler."""

    occasion: Occasion
    """The occasion."""


@dataclass(frozen=True, slots=True)
class DeclaredError:
    """An error that a tool may answer."""

    error: type[ToolError]
    """Its class; code and HTTP status stand there."""
    when: At | On | None = None
    """Where it arises; None when the handler raises it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordered:
    """The first of two arguments must not come after the second."""

    pointers: tuple[str, str]
    """The earlier and the later argument."""
    strict: bool
    """Whether equal ones break the rule."""
    code: str
    """The code of an error that the tool declares."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Two arguments must not lie further apart than a limit."""

    pointers: tuple[str, str]
    """The earlier and the later argument."""
    at_most: timedelta
    """The limit."""
    code: str
    """The code of an error that the tool declares."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CachePolicy:
    """How long a result may be given again."""

    ttl_s: float
    """Seconds that a result is kept."""
    bypass: str | None
    """The boolean parameter that asks for a fresh result."""
    provisional_ttl_s: float | None = None
    """Seconds that a `Provisional` result is kept; None where the handler returns none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Idempotency:
    """A call that comes again under the key its caller gave does not write again."""

    window_s: int
    """Seconds for which a key is remembered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OlderVersion:
    """A version of a tool that is not its newest and is answered still."""

    version: str
    """What callers name."""
    released_on: date | None
    """The day from which it was answered; None where the contract does not say."""
    deprecated_on: date | None
    """The day from which callers are told to leave it; None while nobody is."""
    sunset_on: date | None
    """The last day on which it is answered; None while it has none."""
    parameters: JsonObject
    """The schema of its arguments, everything inlined."""
    returns: JsonObject
    """The schema of its result, everything inlined."""
    parameter_steps: tuple[Step, ...]
    """How its arguments become those of the next newer version; a lookup answers upwards."""
    result_steps: tuple[Step, ...]
    """How its result becomes that of the next newer version; results go the other way, and a lookup answers downwards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool(Generic[Request, Call, Result]):
    """One tool: its contract and the handler that keeps it."""

    name: str
    """What callers name."""
    title: str | None
    """What people are shown."""
    version: str
    """The version of its contract."""
    description: str
    """What it does, for the model that chooses it."""
    reads: tuple[str, ...]
    """The sources it reads, by name; the first of reads and writes is the one that answers."""
    writes: tuple[str, ...]
    """The sources it writes, by name."""
    request: type[Request]
    """The model of its arguments."""
    parameters: JsonObject
    """The schema of its arguments, everything inlined."""
    returns: JsonObject
    """The schema of its result, everything inlined."""
    output: JsonObject
    """The schema of its answer, as published: the dialect's envelope around `returns`."""
    errors: tuple[DeclaredError, ...]
    """The errors it may answer; where several fit, the first one counts."""
    conditions: tuple[Ordered | Span, ...]
    """Rules between arguments."""
    cache: CachePolicy | None
    """How long results are kept; None when they are not."""
    paginated: bool
    """Whether the handler returns a `Page`; the arguments then have `offset` and `limit`."""
    timeout_ms: int
    """Milliseconds within which it answers."""
    nullable_results: bool
    """Whether `returns` admits null somewhere; else a value that is None is left out of the result."""
    handler: Callable[[Request, Call], Awaitable[Result]]
    """The coroutine function that does it."""
    idempotency: Idempotency | None = None
    """How a call that comes again is known; None where every call runs."""
    progress: bool = False
    """Whether the handler says how far it is."""
    released_on: date | None = None
    """The day from which its own version was answered; None where the contract does not say."""
    versions: tuple[OlderVersion, ...] = ()
    """The older versions that are answered still, the newest of them first."""


AnyTool: TypeAlias = Tool[Any, Any, Any]
"""A tool of whatever arguments, call and result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Server(Generic[Call]):
    """One server: its tools and what they stand on."""

    name: str
    """What hosts call it."""
    title: str | None
    """What people are shown."""
    version: str
    """The version of its contract."""
    description: str
    """What it is for."""
    instructions: str | None
    """Advice to the model on how to use it."""
    dialect: Dialect
    """The shapes of its answers."""
    settings: tuple[Setting, ...]
    """What it reads from the environment."""
    sources: tuple[SourceDeclaration, ...]
    """Where its data comes from."""
    call: type[Call]
    """The record a handler is given: a field for each source, `now`, and where there are any `settings`, keys and progress."""
    handler_settings: type[Any] | None
    """The record of the settings that handlers read; None when there are none."""
    tools: tuple[Tool[Any, Call, Any], ...]
    """Its tools, in the order in which they are listed."""
