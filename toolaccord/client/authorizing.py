"""Requests with tokens of an authorization server, for clients with credentials (SEP-1046)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator

import httpx2
import orjson
from mcp.client.auth import OAuthFlowError, OAuthTokenError
from mcp.client.auth.extensions.client_credentials import ClientCredentialsOAuthProvider
from mcp.client.auth.utils import extract_scope_from_www_auth, union_scopes
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import ValidationError

from toolaccord.client.challenges import NoToken, find_needed_scopes
from toolaccord.client.credentials import ClientCredentials

_PAUSE_S = 30.0
"""Seconds after which a token that was refused, or did not help, is asked for again."""
_SHOWN = re.compile(r"[^\x20-\x7e]|(?<=^.{200}).+", re.DOTALL)
"""Characters of another server's sentence that are left out of an error."""


class _Memory:
    """Keeps tokens while a connection is open; the SDK wants a place to store them."""

    async def get_tokens(self) -> OAuthToken | None:
        return None

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Store nothing: the provider has them."""

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return None

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Store nothing: the provider has it."""


class _Provider(ClientCredentialsOAuthProvider):
    """The SDK's provider, which would ask for all scopes that the server knows."""

    wanted: str | None = None
    """Scopes to ask for; None for those that the SDK chooses."""

    async def _perform_authorization(self) -> httpx2.Request:
        if self.wanted:
            self.context.client_metadata.scope = self.wanted
        return await super()._perform_authorization()


class CredentialsAuth(httpx2.Auth):
    """Signs requests, and gets a token when the server wants one, or wants one with more scopes.

    The SDK's provider discovers the authorization server and asks it. It would hold a lock while a request is answered,
    so that calls would wait for each other; here only those that need a new token do.
    """

    def __init__(self, url: str, credentials: ClientCredentials) -> None:
        self._issuer = credentials.issuer
        self._provider = _Provider(
            url,
            _Memory(),
            credentials.client_id,
            credentials.client_secret,
            issuer=credentials.issuer,
            scope=" ".join(credentials.scopes) or None,
        )
        self._provider.wanted = " ".join(credentials.scopes) or None
        self._lock = asyncio.Lock()
        self._useless: dict[str, tuple[float, NoToken | None]] = {}
        """Scopes for which a token was refused or did not help, with the time of the next try."""

    async def async_auth_flow(self, request: httpx2.Request) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """Yield *request* until it has the token that it needs, and requests for one.

        Raises NoToken.
        """
        asked: set[str] = set()
        while True:
            sent = self._sign(request)
            response = yield request
            need = "" if response.status_code == 401 else find_needed_scopes(response.status_code, response.headers)
            if need is None:
                return
            async with self._lock:
                if self._sign(request) != sent:  # another call has got a new one
                    continue
                if not self._may_ask(need, is_again=need in asked):
                    return
                asked.add(need)
                flow = self._ask(request, response, need)
                try:
                    asking = await anext(flow)
                    while True:
                        answer = yield asking
                        asking = await flow.asend(answer)
                except StopAsyncIteration:
                    continue
                finally:
                    await flow.aclose()

    def _may_ask(self, need: str, *, is_again: bool) -> bool:
        """Return whether to ask for a token; one that did not help is not asked for at once.

        Raises NoToken if it was refused a short time ago.
        """
        if is_again:
            self._useless[need] = self._now() + _PAUSE_S, None
        until, failure = self._useless.get(need, (0.0, None))
        if failure and self._now() < until:
            raise NoToken(str(failure), http_status=failure.http_status, scopes=failure.scopes)
        return self._now() >= until

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    def _sign(self, request: httpx2.Request) -> str | None:
        """Give *request* the token, if there is one, and return it."""
        tokens = self._provider.context.current_tokens
        if tokens is None:
            return None
        request.headers["Authorization"] = f"Bearer {tokens.access_token}"
        return tokens.access_token

    async def _ask(
        self, request: httpx2.Request, challenge: httpx2.Response, need: str
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """Yield the requests that get a token with the scopes *need*. Raises NoToken."""
        before, last, is_signed = self._provider.wanted, challenge, False
        if before:
            self._provider.wanted = union_scopes(before, need or extract_scope_from_www_auth(challenge))
        flow = self._provider.async_auth_flow(request)
        try:
            asking = await anext(flow)
            while not (asking is request and is_signed):
                if asking is request:
                    is_signed, answer = True, challenge
                else:
                    answer = last = yield asking
                asking = await flow.asend(answer)
            before = self._provider.wanted
        except StopAsyncIteration:  # the provider sees no challenge, and asks for nothing
            self._useless[need] = self._now() + _PAUSE_S, None
        except (OAuthFlowError, ValidationError) as error:
            failure = _describe(self._issuer, last, error, need)
            if failure.http_status == 401:
                self._useless[need] = self._now() + _PAUSE_S, failure
            raise failure from error
        finally:
            self._provider.wanted = before
            await flow.aclose()


def _describe(issuer: str, last: httpx2.Response, error: Exception, scopes: str) -> NoToken:
    """Return the error of a flow that ended after the answer *last*."""
    text = f"{issuer} gave no token{' with the scopes ' if scopes else ''}{scopes}"
    if last.status_code == 429 or last.status_code >= 500:
        reason = f"{last.request.url.copy_with(query=None)} answered {last.status_code}"
        return NoToken(f"{text}: {reason}", http_status=503, scopes=scopes)
    reason = str(error)
    if isinstance(error, OAuthTokenError):
        try:
            answer = orjson.loads(last.content)
            reason = ": ".join(str(answer[name]) for name in ("error", "error_description") if name in answer)
        except (ValueError, TypeError):
            reason = f"its answer was {last.status_code}"
    return NoToken(f"{text}: {_SHOWN.sub('', reason)}", http_status=401, scopes=scopes)
