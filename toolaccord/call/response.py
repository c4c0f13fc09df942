"""Answers of calls: puts each outcome into the dialect's envelope."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import orjson

from toolaccord.asks.channel import InputRequired
from toolaccord.call import error_mapping
from toolaccord.call.cache import CacheResult
from toolaccord.call.context import Deferred, IncomingCall
from toolaccord.call.rejection import Failure
from toolaccord.call.results import split_content
from toolaccord.contract.dialects import Dialect
from toolaccord.declarations.envelopes import CompiledTemplate
from toolaccord.declarations.tool import Server
from toolaccord.json_values import JsonObject, encode_json
from toolaccord.semantics.envelope_schemas import omit_replayed
from toolaccord.semantics.envelope_values import EnvelopeValues, render
from toolaccord.sources import Source
from toolaccord.telemetry.call_status import CallStatus
from toolaccord.telemetry.redaction import Redactor

if TYPE_CHECKING:  # a server without tasks or older versions does not load them
    from toolaccord.tasks.task import Task
    from toolaccord.versioning.lifecycle import Deprecation

_LOG = logging.getLogger(__name__)

Outcome: TypeAlias = CacheResult | Failure | InputRequired | Deferred
"""A result as JSON, a failure, questions to the caller, or a task."""


class Answer(NamedTuple):
    """The answer to a call."""

    json: bytes
    """The dialect's envelope, filled, as JSON; empty in a success that is content alone."""
    is_error: bool
    """True if it is the envelope of a failure."""
    code: str | None
    """The code of the error; None in a success."""
    http: int
    """The HTTP status of the answer."""
    corr_id: str
    """Correlation id of the call."""
    deprecation: Deprecation | None = None
    """Deprecation notice of the version that was called; None if it is not deprecated."""
    retry_after_s: int | None = None
    """Seconds after which the call is allowed; None if nobody knows."""
    content: bytes | None = None
    """The content as a JSON array of MCP's blocks; None without content."""
    has_result: bool = True
    """False if the tool returns content alone."""
    is_question: bool = False
    """True if it is no envelope, but holds `inputRequests` and `requestState` of MCP."""
    missing_capability: str | None = None
    """The capability without which the client cannot be asked; None for any other answer."""
    cause: str | None = None
    """The failure of a source for the log; None if no source failed."""
    is_replayed: bool = False
    """True if the result is that of an earlier call with the same idempotency key."""
    is_fault: bool = False
    """True if the server is at fault, and no contract declares the failure."""
    task: Task | None = None
    """The task that the call became, instead of an envelope; None for any other answer."""

    @property
    def document(self) -> bytes:
        """The answer as JSON on transports other than MCP.

        It is the envelope, or an object with the content and the envelope.
        """
        if self.content is None:
            return self.json
        result = b',"structuredContent":' + self.json if self.has_result else b""
        return b'{"content":%b%b}' % (self.content, result)

    @property
    def status(self) -> CallStatus:
        """The outcome of the call, as logs, metrics and traces name it."""
        if self.task:
            return "deferred"
        return "error" if self.is_error else "input_required" if self.is_question else "success"

    @property
    def text(self) -> str:
        """The envelope as JSON text."""
        return self.json.decode()

    @property
    def body(self) -> JsonObject:
        """The envelope as a value."""
        body: JsonObject = json.loads(self.json)
        return body


class AnswerBuilder:
    """Builds the answers of one server."""

    def __init__(self, server: Server[Any], sources: Mapping[str, Source], redactor: Redactor) -> None:
        self._dialect = server.dialect
        self._kinds: dict[str | None, str | None] = {
            None: None,
            **{name: source.kind for name, source in sources.items()},
        }
        forms = {False: omit_replayed(server.dialect.success), True: server.dialect.success}
        self._successes = {
            (kind, is_replayed): CompiledTemplate(form, {"source": kind, "replayed": True})
            for kind in {self._kinds[tool.source] for tool in server.tools}
            for is_replayed, form in forms.items()
        }
        self._redactor = redactor
        errors = [declared.error for declared in server.errors]
        self._own_numbers = {error.code: error.jsonrpc for error in errors if error.jsonrpc is not None}

    def build(self, call: IncomingCall, outcome: Outcome, latency_ms: float) -> Answer:
        """Return the answer to *call*.

        Raises nothing: an error on the way becomes an internal error.
        """
        try:
            if isinstance(outcome, CacheResult):
                answer = self._success(call, outcome, latency_ms)
            elif isinstance(outcome, InputRequired):
                question = encode_json({"inputRequests": outcome.requests, "requestState": outcome.state})
                answer = Answer(question, False, None, 200, call.corr_id, is_question=True)
            elif isinstance(outcome, Deferred):
                answer = Answer(b"", False, None, 202, call.corr_id, task=outcome.task)
            else:
                answer = self._failure(call, outcome, latency_ms)
        except Exception as error:
            answer = self._fallback(call, error, latency_ms)
        return answer._replace(deprecation=call.deprecation) if call.deprecation else answer

    def _success(self, call: IncomingCall, result: CacheResult, latency_ms: float) -> Answer:
        operation, remaining_s = call.bound.operation, result.remaining_s
        value, content = result.value, None
        if operation.content:
            value, content = split_content(value)
            if not operation.has_result:
                answer = Answer(b"", False, None, 200, call.corr_id, content=content, has_result=False)
                return answer._replace(is_replayed=result.is_replayed)
        if not operation.is_enveloped:
            return Answer(value, False, None, 200, call.corr_id)
        values = {
            "result": value,
            "latency_ms": orjson.dumps(round(latency_ms)),
            "cached": b"false" if remaining_s is None else b"true",
            "cache_ttl_remaining": b"null" if remaining_s is None else orjson.dumps(math.ceil(remaining_s)),
            "corr_id": orjson.dumps(call.corr_id),
        }
        template = self._successes[self._kinds[call.bound.source], result.is_replayed]
        body = template.fill(values, lambda: EnvelopeValues({}, call.returns, lambda: call.arguments))
        answer = Answer(body, False, None, 200, call.corr_id, is_replayed=result.is_replayed)
        return answer if content is None else answer._replace(content=content)

    def _failure(self, call: IncomingCall, failure: Failure, latency_ms: float) -> Answer:
        texts: JsonObject = {"message": failure.message, "details": _as_json(failure.details)}
        values: JsonObject = {"latency_ms": round(latency_ms), "source": self._kinds[call.bound.source]}
        number = self._own_numbers.get(failure.code, self._dialect.jsonrpc(failure.code))
        values |= {"corr_id": call.corr_id, "code": failure.code, "jsonrpc_code": number}
        values |= self._redactor.redact(texts) if failure.is_from_handler else texts
        arguments = partial(call.parameters.valid_members, call.arguments)
        body = render(self._dialect.failure, EnvelopeValues(values=values, returns=call.returns, arguments=arguments))
        return _error(body, failure, call)

    def _fallback(self, call: IncomingCall, error: Exception, latency_ms: float) -> Answer:
        """Return an internal error whose envelope needs nothing of the call's arguments."""
        failure = error_mapping.internal_error(self._dialect, error)
        values = _values_without_tool(self._dialect, failure.code, failure.message, call.corr_id)
        values["latency_ms"] = round(latency_ms)
        try:
            body = render(self._dialect.failure, EnvelopeValues(values=values, returns=call.returns))
        except Exception:
            _LOG.exception("the envelope of failure cannot be filled")
            body = {"error": {"code": failure.code, "message": failure.message}}
        return _error(body, failure, call)


def failure_body(dialect: Dialect, code: str, message: str, corr_id: str, returns: JsonObject | None = None) -> bytes:
    """Return the envelope of a failure that reaches no tool, as JSON.

    *returns* is the schema of the result, if the tool is known.
    """
    values = _values_without_tool(dialect, code, message, corr_id)
    return orjson.dumps(render(dialect.failure, EnvelopeValues(values=values, returns=returns or {})))


def _values_without_tool(dialect: Dialect, code: str, message: str, corr_id: str) -> JsonObject:
    """Return the values of a failure with a standard code, which needs nothing of a tool."""
    return {
        "code": code,
        "jsonrpc_code": dialect.jsonrpc(code),
        "message": message,
        "details": {},
        "latency_ms": 0,
        "source": None,
        "corr_id": corr_id,
    }


def _error(body: JsonObject, failure: Failure, call: IncomingCall) -> Answer:
    return Answer(
        json=encode_json(body),
        is_error=True,
        code=failure.code,
        http=failure.http,
        corr_id=call.corr_id,
        retry_after_s=failure.retry_after_s,
        has_result=call.bound.operation.has_result,
        missing_capability=failure.missing_capability,
        cause=failure.cause,
        is_fault=failure.is_fault,
    )


def _as_json(details: JsonObject) -> JsonObject:
    """Return *details* as a JSON value; members without a JSON form become text."""
    try:
        value: JsonObject = orjson.loads(orjson.dumps(details, default=str, option=orjson.OPT_NON_STR_KEYS))
    except TypeError:
        _LOG.exception("the details of an error are not JSON")
        return {}
    return value
