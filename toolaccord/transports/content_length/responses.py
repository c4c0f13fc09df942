"""Responses of JSON-RPC 2.0, with the errors of a dialect."""

from __future__ import annotations

from typing import Any, NamedTuple

from toolaccord.call.response import Answer, failure_body
from toolaccord.contract.dialects import Dialect
from toolaccord.json_values import JsonObject, encode_json
from toolaccord.transports.content_length.requests import Rejected
from toolaccord.transports.mcp import jsonrpc


class Response(NamedTuple):
    """A response, and what the log says about it."""

    body: bytes
    """The response as JSON."""
    corr_id: str
    """Correlation id of the request."""
    error: JsonObject | None
    """`code` and `message` of an error; None in a success."""


class ResponseBuilder:
    """Builds the responses of one server."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        invalid = (name for name, code in dialect.codes.items() if code.jsonrpc == jsonrpc.INVALID_REQUEST)
        self._invalid_request = next(invalid, None)
        """The dialect's code of a message that is no request; None if it has no such code."""

    def answer(self, request_id: str | int | None, answer: Answer) -> Response:
        """Return the response with the *answer* to a call."""
        if answer.is_error:
            return _failure(request_id, answer.json, answer.corr_id)
        body = b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (encode_json(request_id), answer.document)
        return Response(body, answer.corr_id, None)

    def reject(self, rejected: Rejected, corr_id: str) -> Response:
        """Return the response to a message that does not become a call."""
        if rejected.occasion != "request":
            code = getattr(self._dialect.occasions, rejected.occasion)
        else:
            code = self._invalid_request
        if code is None:
            failure = encode_json({"error": {"code": jsonrpc.INVALID_REQUEST, "message": rejected.message}})
        else:
            failure = failure_body(self._dialect, code, rejected.message, corr_id)
        return _failure(rejected.request_id, failure, corr_id)


def _failure(request_id: str | int | None, failure: bytes, corr_id: str) -> Response:
    """Return the response with a *failure*, an object whose only member is `error`."""
    body = b'{"jsonrpc":"2.0","id":%b,%b' % (encode_json(request_id), failure[1:])
    error: Any = jsonrpc.parse(failure)["error"]
    return Response(body, corr_id, {"code": error["code"], "message": error["message"]})
