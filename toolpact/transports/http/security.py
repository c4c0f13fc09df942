"""What a request must pass before anything reads it: who sends it, to whom, from where, and how much."""

from __future__ import annotations

import asyncio
import hmac
import logging
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from toolpact.config.process_settings import AccessRules
from toolpact.telemetry import correlation
from toolpact.transports.http import headers as http_fields
from toolpact.transports.http.cors import Origins
from toolpact.transports.http.errors import Refusals, Refused
from toolpact.transports.http.headers import Fields
from toolpact.transports.mcp import request_meta

_LOG = logging.getLogger(__name__)
_LONGEST_PATH = 200
_NOT_SNIFFED = (b"x-content-type-options", b"nosniff")
_NOT_STORED = (b"cache-control", b"no-store")


class Traffic:
    """The requests in flight, each of which is served within it, and whether there may be more."""

    def __init__(self) -> None:
        self.leaving = False
        """Whether the process is on its way out: it is not ready, and asks for no connection to be kept."""
        self.closed = False
        """Whether no more requests are taken."""
        self._in_flight: set[asyncio.Task[Any] | None] = set()
        self._none = asyncio.Event()
        self._none.set()

    def __enter__(self) -> None:
        self._in_flight.add(asyncio.current_task())
        self._none.clear()

    def __exit__(self, *_: object) -> None:
        self._in_flight.discard(asyncio.current_task())
        if not self._in_flight:
            self._none.set()

    async def none(self) -> None:
        """Wait until no request is in flight."""
        await self._none.wait()

    def give_up(self) -> None:
        """Cancel the requests in flight."""
        for task in self._in_flight:
            if task is not None:
                task.cancel()


class Guard:
    """Refuses what may not pass to *app*, and sees that whatever is answered says no more than it should."""

    def __init__(self, app: ASGIApp, access: AccessRules, refusals: Refusals, traffic: Traffic) -> None:
        self._app = app
        self._access = access
        self._origins = Origins(access.origins)
        self._tokens = [token.encode() for token in access.tokens]
        self._refusals = refusals
        self._traffic = traffic

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        fields = http_fields.of(scope)
        answer = _Answer(send, fields, self._origins, self._traffic)
        with self._traffic:
            try:
                _check_addressed(scope["http_version"], fields)
                self._check_host(fields, scope.get("server"))
                self._origins.check(fields)
                preflight = self._origins.preflight(scope["method"], fields)
                if preflight is None:
                    self._check_token(scope["path"], fields)
                    self._check_open()
                await (preflight or self._app)(scope, receive, answer.send)
            except Refused as refused:
                await self._refuse(scope, receive, answer, refused)
            except asyncio.CancelledError:
                if not self._traffic.closed:
                    raise
                if not answer.begun:  # given up at the end; a stream that had begun has ended with an error by now
                    await self._refuse(scope, receive, answer, _stopping())
            except Exception:
                _LOG.exception("a request failed")
                if not answer.begun:
                    await self._refuse(scope, receive, answer, _failed())

    def _check_host(self, fields: Fields, server: tuple[str, int | None] | None) -> None:
        """Let pass who names this server, so that no page can reach it by a name of its own (DNS rebinding)."""
        host, known = fields.get("host", "").lower(), self._access.hosts
        name = _without_port(host)
        reached = server[0] if server else None  # an address, as of a probe, is no name that a page could own
        if host not in known and name not in known and name.strip("[]") != reached:
            raise Refused(421, "This server does not answer to that Host.", occasion="access")

    def _check_token(self, path: str, fields: Fields) -> None:
        if not self._tokens or any(path == each or path.startswith(f"{each}/") for each in self._access.open_paths):
            return
        scheme, _, token = (fields.sole("authorization") or "").partition(" ")
        # All are compared, each in constant time: how long it takes says nothing.
        right = [hmac.compare_digest(token.strip().encode(), known) for known in self._tokens]
        if scheme.lower() != "bearer" or not any(right):
            challenge = 'Bearer error="invalid_token"' if "authorization" in fields else "Bearer"
            headers = {"WWW-Authenticate": challenge}
            raise Refused(401, "A valid bearer token is needed.", occasion="access", headers=headers)

    def _check_open(self) -> None:
        if self._traffic.closed:
            raise _stopping()

    async def _refuse(self, scope: Scope, receive: Receive, answer: _Answer, refused: Refused) -> None:
        corr_id = correlation.resolve_corr_id(request_meta.complete_meta(http_fields.of(scope)))
        facts = {"http": refused.status, "path": scope["path"][:_LONGEST_PATH]}
        with correlation.CorrelationScope(corr_id):
            _LOG.info("request refused: %s", refused.message, extra={"fields": facts})
        response = self._refusals.response(scope["path"], refused, corr_id)
        response.headers["X-Correlation-ID"] = corr_id
        await response(scope, receive, answer.send)


class _Answer:
    """What is sent, with the headers that every answer has."""

    def __init__(self, send: Send, asked: Fields, origins: Origins, traffic: Traffic) -> None:
        self._send = send
        self._asked = asked
        self._origins = origins
        self._traffic = traffic
        self.begun = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            headers = [*message.get("headers", ()), _NOT_SNIFFED]
            if not any(name.lower() == b"cache-control" for name, _ in headers):
                headers.append(_NOT_STORED)
            message = {**message, "headers": headers}
            self._origins.mark(self._asked, message)
            if self._traffic.leaving:
                MutableHeaders(scope=message)["Connection"] = "close"
        await self._send(message)


def _check_addressed(version: str, fields: Fields) -> None:
    """Let pass requests with one Host; only before HTTP/1.1 there may be none (RFC 9112, 3.2)."""
    if "host" in fields.repeated or (version == "1.1" and "host" not in fields):
        raise Refused(400, "A request has one Host header.", headers={"Connection": "close"})


def _stopping() -> Refused:
    return Refused(503, "The server is stopping.", occasion="internal", headers={"Connection": "close"})


def _failed() -> Refused:
    return Refused(500, "The server failed to answer.", occasion="internal")


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdecimal() else host
