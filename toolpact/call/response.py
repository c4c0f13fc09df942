"""What a call is answered: its outcome in the dialect's envelope."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

import orjson

from toolpact.call import error_mapping
from toolpact.call.cache import Found
from toolpact.call.context import Asked
from toolpact.call.error_mapping import Failure
from toolpact.declarations.dialects import Filling, Stencil, render
from toolpact.declarations.tool import AnyTool, Server
from toolpact.json_values import JsonObject, encoded
from toolpact.sources import Source
from toolpact.telemetry.json_logs import Redactor
from toolpact.versioning.lifecycle import Deprecation

_LOG = logging.getLogger(__name__)


class Answer(NamedTuple):
    """What a call is answered."""

    json: bytes
    """The dialect's envelope, filled, as JSON."""
    is_error: bool
    """Whether it is the envelope of failure."""
    code: str | None
    """The code of the error."""
    http: int
    """The HTTP status that says the same."""
    corr_id: str
    """By what the call is known in logs."""
    deprecation: Deprecation | None = None
    """What is said of the version that was asked for; None where there is nothing to say."""

    @property
    def text(self) -> str:
        """The envelope as JSON text."""
        return self.json.decode()

    @property
    def body(self) -> JsonObject:
        """The envelope as a value."""
        body: JsonObject = json.loads(self.json)
        return body


class Answers:
    """Makes the answers of one server."""

    def __init__(self, server: Server[Any], sources: Mapping[str, Source], redactor: Redactor) -> None:
        self._dialect = server.dialect
        self._kinds = {tool.name: _kind(tool, sources) for tool in server.tools}
        stencils = {kind: Stencil(server.dialect.success, {"source": kind}) for kind in self._kinds.values()}
        self._successes = {name: stencils[kind] for name, kind in self._kinds.items()}
        self._redactor = redactor

    def answer(self, asked: Asked, outcome: Found[bytes] | Failure, latency_ms: float) -> Answer:
        """Return the answer to a call that came out so after *latency_ms*. Raises nothing."""
        try:
            if isinstance(outcome, Failure):
                return self._failed(asked, outcome, latency_ms)
            return self._succeeded(asked, outcome, latency_ms)
        except Exception as error:
            return self._fallen_back(asked, error, latency_ms)

    def _succeeded(self, asked: Asked, found: Found[bytes], latency_ms: float) -> Answer:
        left = found.remaining_s
        said = {
            "result": found.value,
            "latency_ms": orjson.dumps(round(latency_ms)),
            "cached": b"false" if left is None else b"true",
            "cache_ttl_remaining": b"null" if left is None else orjson.dumps(math.ceil(left)),
            "corr_id": orjson.dumps(asked.corr_id),
        }
        success = self._successes[asked.bound.tool.name]
        body = success.filled(said, lambda: Filling({}, asked.returns, lambda: asked.arguments))
        return Answer(body, False, None, 200, asked.corr_id)

    def _failed(self, asked: Asked, failure: Failure, latency_ms: float) -> Answer:
        said: JsonObject = {"message": failure.message, "details": _plain(failure.details)}
        values: JsonObject = {"latency_ms": round(latency_ms), "source": self._kinds[asked.bound.tool.name]}
        values |= {"corr_id": asked.corr_id, "code": failure.code}
        values |= self._redactor.hide(said) if failure.free else said
        known = partial(asked.parameters.readable, asked.arguments)
        body = render(self._dialect.failure, Filling(values=values, returns=asked.returns, arguments=known))
        return _error(body, failure, asked)

    def _fallen_back(self, asked: Asked, error: Exception, latency_ms: float) -> Answer:
        """Return the answer that needs nothing of the call, in place of one whose making raised *error*."""
        failure = error_mapping.internal(self._dialect, error)
        values: JsonObject = {"code": failure.code, "message": failure.message, "details": {}}
        values |= {"latency_ms": round(latency_ms), "source": None, "corr_id": asked.corr_id}
        try:
            body = render(self._dialect.failure, Filling(values=values, returns=asked.returns))
        except Exception:
            _LOG.exception("the envelope of failure cannot be filled")
            body = {"error": {"code": failure.code, "message": failure.message}}
        return _error(body, failure, asked)


def _kind(tool: AnyTool, sources: Mapping[str, Source]) -> str | None:
    """Return the kind of the source that answers *tool*; None where it needs none."""
    names = (*tool.reads, *tool.writes)
    return sources[names[0]].kind if names else None


def size_bytes(value: Any) -> int | None:
    """Return the size of *value* as JSON; None where it has no JSON form. Raises nothing."""
    try:
        return len(encoded(value))
    except (TypeError, ValueError, RecursionError):
        return None


def _error(body: JsonObject, failure: Failure, asked: Asked) -> Answer:
    return Answer(json=encoded(body), is_error=True, code=failure.code, http=failure.http, corr_id=asked.corr_id)


def _plain(details: JsonObject) -> JsonObject:
    """Return *details* as plain JSON; what has no JSON form becomes its text."""
    try:
        plain: JsonObject = orjson.loads(orjson.dumps(details, default=str, option=orjson.OPT_NON_STR_KEYS))
    except TypeError:
        _LOG.exception("the details of an error are not JSON")
        return {}
    return plain
