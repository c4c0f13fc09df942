"""Metadata of a call and its caller in the headers of an HTTP request."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

from toolaccord.handler import Caller

_QUOTED = re.compile(r'"([^"\\]*)"')
"""A string of RFC 9651 without escapes, which no valid key needs."""
_CALLER = "toolaccord.caller"
"""The member of an ASGI scope that holds the proven caller."""
_PROOF = "toolaccord.proof"
"""The member that holds a function, which returns whether the caller is still proven."""
_PRODUCT = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}")


def complete_meta(headers: Mapping[str, str], meta: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the `_meta` of a request, completed by its *headers*.

    Members of *meta* take precedence. A trace context takes precedence over a correlation id. The values are not
    checked here, but where they are used.
    """
    complete = dict(meta or {})
    if "traceparent" not in complete and "traceparent" in headers:
        complete |= {name: headers[name] for name in ("traceparent", "tracestate") if name in headers}
    if not complete.keys() & {"corr_id", "traceparent"} and "x-correlation-id" in headers:
        complete["corr_id"] = headers["x-correlation-id"]
    if "idempotency-key" in headers:
        complete.setdefault("idempotency_key", _unquote(headers["idempotency-key"]))
    return complete


def _unquote(key: str) -> str:
    """Return the text of a *key* that is quoted, as the header's draft demands, or bare."""
    quoted = _QUOTED.fullmatch(key)
    return quoted[1] if quoted else key


def set_caller(scope: MutableMapping[str, Any], caller: Caller, is_still_proven: Callable[[], Awaitable[bool]]) -> None:
    """Note in the *scope* of an HTTP request who proved to be its caller."""
    scope[_CALLER], scope[_PROOF] = caller, is_still_proven


async def may_read_on(scope: Mapping[str, Any]) -> bool:
    """Return whether the caller of an HTTP request is still proven, or needs no proof."""
    is_still_proven: Callable[[], Awaitable[bool]] | None = scope.get(_PROOF)
    return is_still_proven is None or await is_still_proven()


def proven_caller(scope: Mapping[str, Any]) -> Caller | None:
    """Return the proven caller of an HTTP request; None without one."""
    return scope.get(_CALLER)


def caller_identity(scope: Mapping[str, Any]) -> str:
    """Return the proven identity of the caller of an HTTP request; empty without one."""
    caller = proven_caller(scope)
    return caller.identity if caller else ""


def client_product(headers: Mapping[str, str]) -> str:
    """Return the first product of the header User-Agent, without its version; empty without one."""
    found = _PRODUCT.match(headers.get("user-agent", ""))
    return found[0] if found else ""
