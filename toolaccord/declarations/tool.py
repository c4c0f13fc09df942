"""Declarations of a server and its tools; the compiler writes them, the pipeline reads them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from datetime import date
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, Self, TypeAlias

from toolaccord.contract.access import Access
from toolaccord.contract.dialects import Dialect
from toolaccord.contract.policies import TaskPolicy
from toolaccord.contract.settings import Setting
from toolaccord.declarations.causes import DeclaredError
from toolaccord.declarations.operation import NO_RESULT, AnyOperation, Call, Operation, Request, Result
from toolaccord.semantics.effects import CHANGING_ELSEWHERE, Elsewhere
from toolaccord.sources import SourceDeclaration

if TYPE_CHECKING:  # a server loads the declarations that it has
    from toolaccord.declarations.asks import Ask
    from toolaccord.declarations.events import Event
    from toolaccord.declarations.prompts import Prompt
    from toolaccord.declarations.resources import Resource
    from toolaccord.declarations.views import ViewFile

Transport: TypeAlias = str
"""Name of a transport in `toolaccord/server/transports.py`."""
WORK: Transport = "work"
"""Stands for a transport in a process that takes tasks and serves nothing.

Every tool exists there.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool(Operation[Request, Call, Result]):
    """A tool: an operation that models choose."""

    is_enveloped: ClassVar[bool] = True

    title: str | None = None
    """The name that people see; None without one."""
    description: str
    """The description for the model that chooses the tool."""
    adds: tuple[str, ...] = ()
    """Names of the sources among `writes` to which it only adds."""
    elsewhere: Elsewhere = "nothing"
    """Its effects beyond the sources that it names."""
    released_on: date | None = None
    """The first day on which the newest version was answered; None if the contract does not say."""
    transports: tuple[Transport, ...] | None = None
    """The transports on which it exists; None for all of the server's."""
    scopes: tuple[str, ...] = ()
    """The scopes that a caller needs for it beside those of the server."""
    task: TaskPolicy | None = None
    """The tasks that its calls may become; None if each is answered at once."""
    view: ViewFile | None = None
    """The page on which hosts show its results; None without one."""

    @property
    def has_result(self) -> bool:
        """Return False if the handler returns content alone."""
        return self.returns is not NO_RESULT

    @property
    def error_occasions(self) -> tuple[tuple[str, str | None], ...]:
        """Return the code of each declared error, with the occasion that it is bound to."""
        return tuple((each.error.code, each.occasion) for each in self.errors)


AnyTool: TypeAlias = Tool[Any, Any, Any]
"""A tool of whatever arguments, call and result."""


class Scoped(Protocol):
    """A tool, a resource or a prompt, for which a caller may need scopes."""

    @property
    def scopes(self) -> tuple[str, ...]:
        """Return the scopes that it needs beside those of the server."""


@dataclass(frozen=True, slots=True)
class Lifespan:
    """The state of a server, which is opened after its sources and closed before them."""

    start: type[Any]
    """The record of sources and settings that `open` takes."""
    open: Callable[[Any], AbstractAsyncContextManager[Any]]
    """Gives the state, for as long as the server serves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Server(Generic[Call]):
    """A server: its tools, resources, prompts, settings, sources and events."""

    name: str
    """The name that hosts use."""
    title: str | None = None
    """The name that people see; None without one."""
    version: str
    """The version of its contract."""
    description: str
    """The purpose of the server."""
    instructions: str | None = None
    """Advice to the model on its use; None without any."""
    dialect: Dialect
    """The dialect of its answers."""
    settings: tuple[Setting, ...]
    """The settings that it reads from the environment."""
    sources: tuple[SourceDeclaration, ...]
    """The sources of its data."""
    call: type[Call]
    """The record that handlers take beside the request.

    It has a field for each source and event, `now`, and where the contract declares them `settings`, `idempotency`,
    `progress`, `log` and `changed`.
    """
    handler_settings: type[Any] | None = None
    """The record of the settings that handlers read; None without any."""
    tools: tuple[Tool[Any, Call, Any], ...]
    """Its tools, in the order of `tools/list`."""
    events: tuple[Event, ...] = ()
    """The events that its tools publish."""
    transports: tuple[Transport, ...] = ("stdio", "http")
    """The transports on which it can be run."""
    access: Access = field(default_factory=Access)
    """The keys that its callers send."""
    sessions: bool = False
    """True if it has sessions over HTTP in the handshake era."""
    publishes_open_schemas: bool = False
    """True to list schemas of arguments without boolean `additionalProperties`."""
    resources: tuple[Resource[Call], ...] = ()
    """Its resources, in the order of `resources/list`."""
    prompts: tuple[Prompt[Call], ...] = ()
    """Its prompts, in the order of `prompts/list`."""
    changes: Callable[[Callable[[str], None]], Any] | None = None
    """Makes the record that reports changes of resources; None if clients cannot subscribe."""
    asks: tuple[Ask, ...] = ()
    """The questions that its handlers may put to their callers."""
    lifespan: Lifespan | None = None
    """Its state, `call.state` in handlers; None without one."""

    def on(self, transport: Transport) -> Self:
        """Return the server as *transport* serves it.

        It has the tools, resources and prompts that exist there, and no setting that only the access of another
        transport needs.
        """
        unneeded = self.access.settings_only_of_others(transport)
        return replace(
            self,
            settings=tuple(setting for setting in self.settings if setting.name not in unneeded),
            tools=tuple(
                tool for tool in self.tools if transport in (tool.transports or (transport,)) or transport == WORK
            ),
            resources=() if transport == "content_length" else self.resources,
            prompts=() if transport == "content_length" else self.prompts,
        )

    @property
    def scopes(self) -> frozenset[str]:
        """Return the scopes that callers may need."""
        scoped: tuple[Scoped, ...] = (*self.tools, *self.resources, *self.prompts)
        return frozenset(self.access.scopes).union(*(each.scopes for each in scoped))

    def demand(self, operation: Scoped) -> frozenset[str]:
        """Return the scopes that a caller needs for a tool, a resource or a prompt."""
        return frozenset((*self.access.scopes, *operation.scopes))

    def seen_with(self, scopes: frozenset[str]) -> Self:
        """Return the server as a caller with *scopes* sees it, with what it may use."""
        return replace(
            self,
            tools=tuple(each for each in self.tools if self.demand(each) <= scopes),
            resources=tuple(each for each in self.resources if self.demand(each) <= scopes),
            prompts=tuple(each for each in self.prompts if self.demand(each) <= scopes),
        )

    @property
    def reads(self) -> tuple[AnyOperation, ...]:
        """Return the reads of resources by handlers."""
        return tuple(resource.read for resource in self.resources if resource.read)

    @property
    def handled(self) -> tuple[AnyOperation | Prompt[Call], ...]:
        """Return its tools, its reads of resources and its prompts."""
        return *self.tools, *self.reads, *self.prompts

    @property
    def deadlines_ms(self) -> tuple[int, ...]:
        """Return the deadlines of its tools, resources and prompts in milliseconds."""
        return tuple(each.timeout_ms for each in self.handled)

    @property
    def errors(self) -> tuple[DeclaredError, ...]:
        """Return the errors that its tools, resources and prompts declare."""
        return tuple(error for each in self.handled for error in each.errors)

    @property
    def task_store(self) -> str | None:
        """Return the name of the source that keeps its tasks; None for none, and for memory."""
        return next((tool.task.store for tool in self.tools if tool.task), None)

    def needs_keys(self, tool: Tool[Any, Call, Any]) -> bool:
        """Return False if JetStream drops all that *tool* repeats, by the ids of its events."""
        streams = {event.source for event in self.events if event.subject is not None}
        return not tool.writes or not streams.issuperset(tool.writes) or tool.elsewhere in CHANGING_ELSEWHERE

    @property
    def optional_stores(self) -> tuple[str, ...]:
        """Return the names of the sources in which replicas share what each can also have alone."""
        stores = [tool.idempotency.store for tool in self.tools if tool.idempotency and not self.needs_keys(tool)]
        stores += [tool.cache.store for tool in self.tools if tool.cache]
        stores += [each.rate_limit.store for each in self.handled if each.rate_limit]
        stores += [getattr(source, "store", None) for source in self.sources if source.kind == "http"]
        return tuple(dict.fromkeys(name for name in stores if name))

    @property
    def dispensable_sources(self) -> frozenset[str]:
        """Return the names of the sources without which every tool still answers.

        Calls that shall be tasks need their store.
        """
        needed = {name for each in self.handled for name in each.reads}
        needed |= {name for tool in self.tools for name in tool.writes}
        needed |= {tool.idempotency.store or "" for tool in self.tools if tool.idempotency and self.needs_keys(tool)}
        stores = {*self.optional_stores, self.task_store or ""} - {""}
        return frozenset(stores) - needed - {event.source for event in self.events}
