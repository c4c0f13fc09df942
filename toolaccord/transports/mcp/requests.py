"""Requests that the fast path understands, and their clients."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from toolaccord.handler import Caller
from toolaccord.json_values import JsonObject
from toolaccord.timing.deadline import DeadlineTask
from toolaccord.transports.mcp import request_meta
from toolaccord.transports.mcp.jsonrpc import ProtocolError

Outcome: TypeAlias = bytes | ProtocolError
"""Result of a request as JSON, or the error that is its response."""
OnResult: TypeAlias = Callable[[Outcome | None], None]
"""Callback that gets the outcome of a request, once; None if it was abandoned."""
ResultOrTask: TypeAlias = bytes | DeadlineTask[Any]
"""Result of a request as JSON, or a running one, whose outcome goes to the callback."""

_REQUEST_MEMBERS = frozenset({"jsonrpc", "id", "method", "params"})


class NeedsSdk(Exception):
    """The fast path does not understand a message, and the SDK must answer it."""


class Request(NamedTuple):
    """A valid JSON-RPC request."""

    id: str | int
    """Id of the request."""
    method: str
    """Method of the request."""
    params: JsonObject
    """Parameters without `_meta`."""
    meta: JsonObject | None
    """The `_meta` of the parameters; None without it."""


@dataclass(frozen=True, slots=True)
class Client:
    """Client that sends requests."""

    name: str = ""
    """Name of the client from `initialize`; empty without one."""
    headers: Mapping[str, str] | None = None
    """HTTP headers of the request; None on stdio."""
    identity: str | None = None
    """Proven identity of the caller; empty if unproven, None on stdio."""
    proven: Caller | None = None
    """The caller, where a token proves it."""
    shows_views: bool = False
    """True if `initialize` declared that the host shows views."""

    def complete_meta(self, meta: JsonObject | None) -> JsonObject | None:
        """Return the `_meta` of a request, completed by the headers."""
        return meta if self.headers is None else request_meta.complete_meta(self.headers, meta)

    def resolve_name(self, client_info: JsonObject | None) -> str:
        """Return the name of the client; the `clientInfo` of the request takes precedence."""
        if client_info:
            name: str = client_info["name"]
            return name
        return self.name if self.name or self.headers is None else request_meta.client_product(self.headers)


def parse_request(message: Any) -> Request:
    """Return *message*, a JSON value, as a request. Raises NeedsSdk.

    Removes `_meta` from the parameters of *message*.
    """
    if type(message) is not dict or not _REQUEST_MEMBERS.issuperset(message) or message.get("jsonrpc") != "2.0":
        raise NeedsSdk
    request_id: Any = message.get("id")
    method, params = message.get("method"), message.get("params", {})
    if type(request_id) not in {int, str} or type(method) is not str or type(params) is not dict:
        raise NeedsSdk
    if "_meta" not in params:
        return Request(request_id, method, params, None)
    meta = params.pop("_meta")
    if type(meta) is not dict:
        raise NeedsSdk
    return Request(request_id, method, params, meta)
