"""Answers as results of `tools/call`, encoded without the SDK."""

from __future__ import annotations

from typing import Any

import orjson

from toolaccord.call.response import Answer
from toolaccord.declarations.tool import Server
from toolaccord.transports.mcp import deprecation
from toolaccord.transports.mcp.answer_content import encode_content
from toolaccord.transports.mcp.capabilities import server_info

_TEXT_START = b'{"content":[{"type":"text","text":'


class CallResults:
    """Results of calls in one era of the protocol."""

    def __init__(self, server: Server[Any], result_type: bytes = b"", server_info_meta: bytes = b"") -> None:
        """The texts are members of the result, and of its `_meta`, as JSON."""
        self._errors_structured = server.dialect.errors_in_output_schema
        self._result_type = result_type
        self._server_info_meta = server_info_meta

    @classmethod
    def stateless(cls, server: Server[Any]) -> CallResults:
        """Return the results of protocol version 2026-07-28."""
        info = b',"io.modelcontextprotocol/serverInfo":' + orjson.dumps(server_info(server))
        return cls(server, b',"resultType":"complete"', info)

    def encode(self, answer: Answer) -> bytes:
        """Return *answer* as the result of a call.

        Its envelope, encoded once, is both structure and text.
        """
        is_structured = answer.has_result and (not answer.is_error or self._errors_structured)  # as in sdk_server
        if answer.content is None:
            start, content, end = _TEXT_START, orjson.dumps(answer.text), b"}]"
        else:
            start, content, end = b'{"content":', encode_content(answer), b""
        notice = b"," + orjson.dumps(deprecation.to_meta(answer.deprecation))[1:-1] if answer.deprecation else b""
        replayed = b',"replayed":true' if answer.is_replayed else b""
        parts = (
            start,
            content,
            end,
            b',"isError":true' if answer.is_error else b',"isError":false',
            b',"structuredContent":' if is_structured else b"",
            answer.json if is_structured else b"",
            b',"_meta":{"corr_id":"',
            answer.corr_id.encode(),
            b'"',
            notice,
            replayed,
            self._server_info_meta,
            b"}",
            self._result_type,
            b"}",
        )
        return b"".join(parts)
