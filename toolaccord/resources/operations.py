"""Operations that read resources and complete values."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, cast

from pydantic import BaseModel, ConfigDict

from toolaccord.contract.policies import RateLimit
from toolaccord.declarations.causes import DeclaredError
from toolaccord.declarations.operation import AnyOperation, Operation
from toolaccord.declarations.resources import Completion, ContentKind, Resource, StaticContent
from toolaccord.declarations.tool import Server
from toolaccord.errors import ResourceNotFound
from toolaccord.json_values import JsonObject
from toolaccord.resources.static_content import read_static

MAX_COMPLETIONS = 100
"""Number of values in an answer, by the specification of MCP."""
_STATIC_TIMEOUT_MS = 5000
_MAX_PREFIX_CHARACTERS = 1024
_COMPLETION_LIMIT = RateLimit(calls=100, window_s=10)
"""Limit of a caller's completions by one handler; MCP demands one. A person types less."""

_Handler = Callable[[Any, Any], Awaitable[Any]]
_Named = Mapping[str, Sequence[str]]
"""Values, each with its other names."""
_Find = Callable[[str, Any], Awaitable[Sequence[str]]]
_ListAll = Callable[[Any], Awaitable[_Named]]


class NoArguments(BaseModel):
    """Arguments of an operation that has none."""

    model_config = ConfigDict(extra="forbid")


class _Contents(BaseModel):
    """Content of a resource, as the member of MCP's record that holds it."""

    text: str | None = None
    blob: str | None = None


class _Prefix(BaseModel):
    prefix: str


class _Completed(BaseModel):
    values: list[str]
    total: int
    hasMore: bool  # noqa: N815 - the name in MCP


NO_ARGUMENTS: JsonObject = {"type": "object", "properties": {}, "additionalProperties": False}
_CONTENTS: JsonObject = {"type": "object", "properties": {"text": {"type": "string"}, "blob": {"type": "string"}}}
_PREFIX: JsonObject = {
    "type": "object",
    "properties": {"prefix": {"type": "string", "maxLength": _MAX_PREFIX_CHARACTERS}},
    "required": ["prefix"],
    "additionalProperties": False,
}
_COMPLETED: JsonObject = {
    "type": "object",
    "properties": {
        "values": {"type": "array", "items": {"type": "string"}, "maxItems": MAX_COMPLETIONS},
        "total": {"type": "integer"},
        "hasMore": {"type": "boolean"},
    },
}


def list_operations(server: Server[Any]) -> tuple[AnyOperation, ...]:
    """Return all operations of the resources of *server*."""
    completions = (each for resource in server.resources for each in completion_operations(resource).values())
    return (*map(read_operation, server.resources), *completions)


def read_operation(resource: Resource[Any]) -> AnyOperation:
    """Return the operation that reads *resource*.

    Its result is `{"text": ...}` or `{"blob": ...}`, of a JSON content the content itself.
    """
    content, name = resource.content, f"resources/read {resource.name}"
    if not isinstance(content, Operation):
        handler = _static_handler(content, resource.kind)
        return Operation(
            name=name,
            request=NoArguments,
            parameters=NO_ARGUMENTS,
            returns=_CONTENTS,
            handler=handler,
            timeout_ms=_STATIC_TIMEOUT_MS,
        )
    errors = (*content.errors, DeclaredError(ResourceNotFound))
    if resource.kind == "json":
        return replace(content, name=name, errors=errors)
    handler = _contents_handler(resource, content)
    return replace(content, name=name, errors=errors, returns=_CONTENTS, handler=handler)


def completion_operations(resource: Resource[Any]) -> dict[str, AnyOperation]:
    """Return the operations that complete the variables of *resource*, by variable."""
    if not isinstance(resource.content, Operation):
        return {}
    return complete_members(resource.name, resource.completions, resource.content.timeout_ms, resource.content.errors)


def complete_members(
    owner: str, completions: Iterable[Completion[Any]], timeout_ms: int, errors: tuple[DeclaredError, ...]
) -> dict[str, AnyOperation]:
    """Return the operations of the *completions* of an *owner*, by the completed member.

    They may fail with the *errors* of their owner.
    """
    return {each.member: _completion_operation(owner, each, timeout_ms, errors) for each in completions}


def _completion_operation(
    owner: str, completion: Completion[Any], timeout_ms: int, errors: tuple[DeclaredError, ...]
) -> AnyOperation:
    """Return the operation that completes a value of *owner*.

    Its result is the `completion` of MCP. Of listed values, it has those that begin with the prefix, in any case.
    """
    name = f"completion/complete {owner} {completion.member}"
    find = _find_values(completion)

    async def complete(request: _Prefix, call: Any) -> _Completed:
        found = [*await find(request.prefix, call)]
        values = found[:MAX_COMPLETIONS]
        return _Completed(values=values, total=len(found), hasMore=len(found) > len(values))

    limit = None if completion.handler is None else _COMPLETION_LIMIT
    return Operation(
        name=name,
        request=_Prefix,
        parameters=_PREFIX,
        returns=_COMPLETED,
        handler=complete,
        timeout_ms=timeout_ms,
        reads_all=True,
        keeps_values=completion.ttl_s is not None,
        errors=errors,
        rate_limit=limit,
    )


def _find_values(completion: Completion[Any]) -> _Find:
    """Return the function that finds the values of a *completion* for a text."""
    if completion.handler is None:
        listed = dict.fromkeys(completion.values, ())

        async def find_listed(prefix: str, _call: Any) -> Sequence[str]:
            return _filter(listed, prefix)

        return find_listed
    if completion.ttl_s is None:
        return cast("_Find", completion.handler)
    kept = _KeptValues(cast("_ListAll", completion.handler), completion.ttl_s)

    async def find_kept(prefix: str, call: Any) -> Sequence[str]:
        return _filter(await kept.current(call), prefix)

    return find_kept


class _KeptValues:
    """Values that a handler lists, kept for some time."""

    def __init__(self, handler: _ListAll, ttl_s: int) -> None:
        self._handler, self._ttl = handler, timedelta(seconds=ttl_s)
        self._lock = asyncio.Lock()
        self._values: _Named = {}
        self._expires_at: datetime | None = None

    async def current(self, call: Any) -> _Named:
        """Return the values; list them again if they have expired."""
        async with self._lock:  # callers that arrive meanwhile share the list
            if self._expires_at is None or self._expires_at <= call.now:
                self._values = dict(await self._handler(call))
                self._expires_at = call.now + self._ttl
            return self._values


def _filter(values: _Named, prefix: str) -> Sequence[str]:
    """Return the *values* that begin with *prefix* in any case, then those with such a name."""
    start = prefix.casefold()
    by_value = [value for value in values if value.casefold().startswith(start)]
    by_name = [value for value, names in values.items() if any(name.casefold().startswith(start) for name in names)]
    return [*dict.fromkeys(by_value + by_name)]


def _static_handler(content: StaticContent, kind: ContentKind) -> _Handler:
    """Return the handler of a *content* that never changes."""

    async def read(_request: BaseModel, _call: Any) -> _Contents:
        text = read_static(content)
        return _Contents(blob="".join(text.split())) if kind == "binary" else _Contents(text=text)

    return read


def _contents_handler(resource: Resource[Any], content: AnyOperation) -> _Handler:
    """Return the handler of *resource*, whose result becomes contents.

    It raises TypeError for a result of a wrong type.
    """
    expected = str if resource.kind == "text" else bytes

    async def read(request: BaseModel, call: Any) -> _Contents:
        found = await content.handler(request, call)
        if not isinstance(found, expected):
            raise TypeError(f"read_{resource.name} must return {expected.__name__}, not {type(found).__name__}")
        return _Contents(text=found) if isinstance(found, str) else _Contents(blob=base64.b64encode(found).decode())

    return read
