"""Access of callers to servers, tools, resources, prompts and agents: keys and scopes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

if TYPE_CHECKING:
    from toolaccord.contract.constraints import Constraint, Judged, Required
    from toolaccord.contract.texts import Scopes, SnakeName


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationAccess:
    """Scopes that a caller needs beside those of the server."""

    has_notes: ClassVar = False

    scopes: Annotated[Scopes, Judged("beside those of the server")]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentAccess:
    """Scopes that a caller needs for every request over A2A."""

    has_notes: ClassVar = False

    scopes: Annotated[Scopes, Judged("as a set")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Keys that callers must send, by transport, and scopes that they need for everything."""

    has_notes: ClassVar = False
    keywords: ClassVar[Mapping[str, Any]] = {"minProperties": 1}
    content_length: Annotated[ArgumentKey, Judged("with the variable of its setting")] | None = None
    http: Annotated[BearerToken, Judged("with the variable of its setting")] | None = None
    scopes: Annotated[Scopes, Judged("beside those of tools")] = ()

    @property
    def by_transport(self) -> dict[str, ArgumentKey | BearerToken]:
        """The keys by the name of their transport."""
        keys = {"content_length": self.content_length, "http": self.http}
        return {transport: key for transport, key in keys.items() if key}

    def settings_only_of_others(self, transport: str) -> frozenset[str]:
        """Return the names of the settings that only transports other than *transport* need."""
        own = self.by_transport.get(transport)
        return frozenset(key.setting for key in self.by_transport.values()) - {own.setting if own else None}


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentKey:
    """A key that callers send in the params of each request; handlers never see it."""

    has_notes: ClassVar = False

    scheme: Annotated[Literal["argument"], Required()] = "argument"
    name: Annotated[str, Constraint(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,63}$")]
    """Name of the member of params, which no tool on this transport has as an argument."""
    setting: SnakeName
    """Required secret setting with the key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BearerToken:
    """A bearer token that gives access beside those of MCP_AUTH_TOKEN.

    The server then requires a token on loopback too.
    """

    has_notes: ClassVar = False

    scheme: Annotated[Literal["bearer"], Required()] = "bearer"
    setting: SnakeName
    """Required secret setting with the token."""
